"""Set the limits of another process to nothing.

origin: prlimit on a process of the same user
why: a process with no descriptors left is as good as dead
control: succeeds
harm: stage
"""


def attack(target):
    limits = (ctypes.c_uint64 * 2)(3, 3)
    result, error = syscall(target, "prlimit64", target["victim"], 7, limits, 0)
    return escaped("the victim's limits were changed") if result == 0 else blocked("prlimit64", error)
