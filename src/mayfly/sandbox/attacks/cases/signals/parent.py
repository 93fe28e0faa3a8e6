"""Signal the process that made this one.

origin: plain
why: a dead supervisor serves nobody
control: succeeds
"""

import signal


def attack(target):
    parent = os.getppid()
    if parent == 0:
        return nothing("its own pid namespace: the parent has no number here")
    result, error = syscall(target, "kill", parent, signal.SIGURG)
    return escaped("the parent was signalled") if result == 0 else blocked("kill", error)
