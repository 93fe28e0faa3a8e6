"""Move pages of one mapping far apart from each other.

origin: mremap with MREMAP_FIXED where mmap is held to addresses of the kernel's choice
why: the same tables by another door
control: succeeds
"""


def attack(target):
    size = 512 * 4096
    first, error = syscall(target, "mmap", 0, size, 3, 0x22, -1, 0)
    if first < 0:
        return blocked("mmap", error)
    for number in range(512):
        place = (3 << 40) + (number << 30)
        moved, error = syscall(target, "mremap", first + number * 4096, 4096, 4096, 3, place)
        if moved < 0:
            return blocked("mremap", error)
    return escaped("512 pages lie a gigabyte apart")
