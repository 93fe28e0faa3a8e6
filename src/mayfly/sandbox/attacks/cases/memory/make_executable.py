"""Write machine code first and ask for the right to execute it afterwards.

origin: the usual step of exploits where writable and executable exclude each other
why: mprotect and its sister pkey_mprotect are two calls for one thing
control: succeeds
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    address, error = syscall(target, "mmap", 0, 4096, 3, 0x22, -1, 0)
    if error:
        return blocked("mmap", error)
    ctypes.memmove(address, CODE[target["machine"]], len(CODE[target["machine"]]))
    for call, arguments in {"mprotect": (5,), "pkey_mprotect": (5, -1)}.items():
        result, error = syscall(target, call, address, 4096, *arguments)
        if result == 0:
            return escaped(f"{call}: machine code answered {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
    return blocked(call, error)
