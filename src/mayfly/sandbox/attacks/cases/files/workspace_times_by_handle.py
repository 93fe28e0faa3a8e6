"""Set the times of a host file through a handle that can neither read nor write.

origin: utimensat with AT_EMPTY_PATH on an O_PATH descriptor, Linux 5.8
why: opening a path like that asks for no right at all
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    fd, error = openat(target, target["canary"], 0o10000000)
    if fd < 0:
        return blocked("openat", error)
    times = (ctypes.c_long * 4)(1, 0, 1, 0)
    result, error = syscall(target, "utimensat", fd, b"", times, 0x1000)
    return escaped("times were changed by a handle") if result == 0 else blocked("utimensat", error)
