"""Signal the whole process group.

origin: kill(0)
why: processes started together are in one group unless somebody separates them
control: succeeds
harm: stage
"""

import signal
import time


def attack(target):
    result, error = syscall(target, "kill", 0, signal.SIGURG)
    time.sleep(0.02)
    return nothing("nobody else is in the group") if result == 0 else blocked("kill", error)
