"""Become root of new namespaces, where the rest of the kernel's doors open.

origin: user namespaces are the first step of most recent local root exploits (CVE-2022-0185, CVE-2023-0386)
why: full capabilities inside, and the kernel code behind them
control: depends — some machines keep user namespaces for root
"""


def attack(target):
    error = ""
    for flags in (0x10000000, 0x10000000 | 0x00020000, 0x40000000, 0x20000000):
        result, error = syscall(target, "unshare", flags)
        if result == 0:
            return escaped(f"unshare({flags:#x}) worked")
    return blocked("unshare", error)
