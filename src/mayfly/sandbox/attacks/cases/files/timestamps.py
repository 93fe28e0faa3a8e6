"""Set the times of a host file.

origin: utimensat is outside Landlock's file rights
why: a build system can be fooled by times alone
control: succeeds
harm: stage
"""


def attack(target):
    times = (ctypes.c_long * 4)(1, 0, 1, 0)
    result, error = syscall(target, "utimensat", AT_FDCWD, os.fsencode(target["canary"]), times, 0)
    return escaped("times were changed") if result == 0 else blocked("utimensat", error)
