"""Signal a thread of another process.

origin: tgkill and the older tkill, for filters that know kill only
why: three calls for one thing
control: succeeds
harm: stage
"""

import signal


def attack(target):
    victim = target["victim"]
    result, error = syscall(target, "tkill", victim, signal.SIGUSR1)
    if result == 0:
        return escaped("tkill worked")
    result, error = syscall(target, "tgkill", victim, victim, signal.SIGUSR1)
    return escaped("tgkill worked") if result == 0 else blocked("tgkill", error)
