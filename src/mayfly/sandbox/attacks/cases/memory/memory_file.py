"""Make a file in memory, whose size no address space limit counts.

origin: memfd_create and memfd_secret
why: sixteen such files hold sixteen gigabytes
control: succeeds
"""


def attack(target):
    fd, error = syscall(target, "memfd_create", b"x", 0)
    call = "memfd_create"
    if fd < 0:
        call = "memfd_secret"
        fd, error = syscall(target, call, 0)
    if fd < 0:
        return blocked(call, error)
    os.ftruncate(fd, 1 << 40)
    return escaped("a terabyte of file exists in memory")
