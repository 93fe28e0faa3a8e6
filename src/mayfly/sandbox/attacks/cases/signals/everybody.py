"""Signal every process we may.

origin: kill(-1)
why: one call, all of a user's processes
control: succeeds
harm: stage
"""

import signal
import time


def attack(target):
    result, error = syscall(target, "kill", -1, signal.SIGURG)
    time.sleep(0.02)
    return nothing("there is nobody to signal") if result == 0 else blocked("kill", error)
