"""Map one page and let it grow to three quarters of a gigabyte.

origin: mremap, which filters and limits on mmap alone do not see
why: growth is an allocation too
control: succeeds
"""


def attack(target):
    address, error = syscall(target, "mmap", 0, 4096, 3, 0x22, -1, 0)
    if error:
        return blocked("mmap", error)
    _, error = syscall(target, "mremap", address, 4096, 768 << 20, 1)
    return escaped("the mapping grew past the limit") if error == "" else blocked("mremap", error)
