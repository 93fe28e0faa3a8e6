"""Queue a signal with data for another process.

origin: rt_sigqueueinfo and rt_tgsigqueueinfo
why: the fourth and fifth call for the same thing
control: succeeds
harm: stage
"""

import signal
import struct


def attack(target):
    victim = target["victim"]
    info = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGUSR2, 0, -1), 128)
    result, error = syscall(target, "rt_sigqueueinfo", victim, signal.SIGUSR2, info)
    if result == 0:
        return escaped("rt_sigqueueinfo worked")
    result, error = syscall(target, "rt_tgsigqueueinfo", victim, victim, signal.SIGUSR2, info)
    return escaped("rt_tgsigqueueinfo worked") if result == 0 else blocked("rt_tgsigqueueinfo", error)
