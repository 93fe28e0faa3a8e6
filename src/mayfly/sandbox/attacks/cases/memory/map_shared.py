"""Map shared memory, which is charged to nobody's heap, and touch every page.

origin: shared anonymous memory lives in the kernel's own tmpfs
why: limits on a process's own data do not count it
control: succeeds
timeout: 5
"""

import mmap


def attack(target):
    kept = []
    try:
        for _ in range(12):
            area = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
            area[:: mmap.PAGESIZE] = b"x" * (len(area) // mmap.PAGESIZE)
            kept.append(area)
    except (OSError, MemoryError) as error:
        return blocked("mmap", error)
    return escaped(f"{len(kept) * 64} MiB of shared memory are in use")
