"""Map one file twice, to be written here and executed there.

origin: dual mapping, as just-in-time compilers do where W^X is enforced
why: neither mapping has both rights
control: succeeds
grants: package fs:workspace:rw
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    fd, error = openat(target, "views", os.O_CREAT | os.O_RDWR, 0o600)
    if fd < 0:
        return blocked("openat", error)
    os.write(fd, bytes(4096))
    writing, error = syscall(target, "mmap", 0, 4096, 3, 1, fd, 0)
    running, refused = syscall(target, "mmap", 0, 4096, 5, 1, fd, 0)
    if error or refused:
        return blocked("mmap", error or refused)
    ctypes.memmove(writing, CODE[target["machine"]], len(CODE[target["machine"]]))
    return escaped(f"it ran: {ctypes.CFUNCTYPE(ctypes.c_int)(running)()}")
