"""Map a gigabyte of memory with the raw call.

origin: plain
why: past the interpreter's own allocator
control: succeeds
"""


def attack(target):
    address, error = syscall(target, "mmap", 0, 1 << 30, 3, 0x22, -1, 0)
    return escaped("a gigabyte was mapped") if error == "" else blocked("mmap", error)
