"""Map memory that can be written and executed, and run machine code in it.

origin: shellcode
why: native code of our own would be past the whole interpreter
control: succeeds
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    address, error = syscall(target, "mmap", 0, 4096, 7, 0x22, -1, 0)
    if error:
        return blocked("mmap", error)
    ctypes.memmove(address, CODE[target["machine"]], len(CODE[target["machine"]]))
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return escaped(f"machine code answered {answer}")
