"""Write machine code to whatever we can write to, and map that as code.

origin: output that is kept in a memory file; memfd_create as a loader of programs
why: a file that can be written and mapped is memory that can be written and executed
control: succeeds
grants: package
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    code = CODE[target["machine"]]
    made, last = syscall(target, "memfd_create", b"code", 0)
    for number in [n for n in (made, *range(64)) if n >= 0 and is_open(n)]:
        try:
            os.pwrite(number, code, 0)
        except OSError as error:
            last = last or errno.errorcode[error.errno]
            continue
        for flags in (1, 2):
            address, last = syscall(target, "mmap", 0, 4096, 5, flags, number, 0)
            if not last:
                return escaped(f"descriptor {number} answered {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
    return blocked("mmap", last)
