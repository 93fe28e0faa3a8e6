"""Signal the host process itself.

origin: plain
why: the runtime must not be the job's to stop
control: succeeds
"""

import signal


def attack(target):
    error = ""
    for number in (0, signal.SIGURG):
        result, error = syscall(target, "kill", target["host"], number)
        if result == 0:
            return escaped("the host was signalled")
    return blocked("kill", error)
