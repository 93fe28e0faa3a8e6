"""Map single pages a gigabyte apart: each needs two pages of tables.

origin: page tables are not address space; CVE-2017-18258 and its kind
why: twice the limit is held beside it
control: succeeds
"""


def attack(target):
    for number in range(2000):
        place = (1 << 40) + (number << 30)
        found, error = syscall(target, "mmap", place, 4096, 1, 0x22, -1, 0)
        if found < 0:
            return blocked("mmap", error)
        if found != place:
            return nothing("the kernel chose another place")
        ctypes.string_at(found, 1)
    return escaped("2000 pages are mapped, with 4000 pages of tables")
