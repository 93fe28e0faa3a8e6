"""Write machine code to a file of the workspace and map it as code.

origin: W^X by mounts: a directory that can be written and is not noexec
why: two grants that are harmless alone
control: succeeds
grants: package fs:workspace:rw
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    fd, error = openat(target, "code", os.O_CREAT | os.O_RDWR, 0o700)
    if fd < 0:
        return blocked("openat", error)
    os.write(fd, CODE[target["machine"]] + bytes(4096))
    address, error = syscall(target, "mmap", 0, 4096, 5, 2, fd, 0)
    return blocked("mmap", error) if error else escaped(f"it ran: {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
