"""Stop ourselves, neither dead nor alive.

origin: SIGSTOP
why: a supervisor that waits for an exit waits for ever
control: succeeds
harm: hangs
timeout: 0.5
"""

import signal


def attack(target):
    for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN):
        os.kill(os.getpid(), number)
    return nothing("the first process of its pid namespace cannot be stopped")
