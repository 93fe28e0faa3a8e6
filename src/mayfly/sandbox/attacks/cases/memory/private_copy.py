"""Map a library as code, make our private copy of it writable, write, and make it code again.

origin: text relocations, which need just this
why: executable mappings of files are allowed where packages are
control: succeeds
grants: package
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    library = next(path for path in (ctypes.__file__, os.__file__) if os.path.exists(path))
    fd, error = openat(target, library, os.O_RDONLY)
    if fd < 0:
        return blocked("openat", error)
    address, error = syscall(target, "mmap", 0, 4096, 5, 2, fd, 0)
    if error:
        return blocked("mmap", error)
    result, error = syscall(target, "mprotect", address, 4096, 3)
    if not error:
        ctypes.memmove(address, CODE[target["machine"]], len(CODE[target["machine"]]))
        result, error = syscall(target, "mprotect", address, 4096, 5)
    return blocked("mprotect", error) if error else escaped(f"it ran: {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
