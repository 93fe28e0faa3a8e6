"""Signal a process of the same user by its number.

origin: plain
why: the host's numbers are guessable
control: succeeds
harm: stage
"""

import signal


def attack(target):
    result, error = syscall(target, "kill", target["victim"], signal.SIGTERM)
    return escaped("the victim was signalled") if result == 0 else blocked("kill", error)
