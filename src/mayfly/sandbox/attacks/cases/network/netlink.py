"""Ask the kernel for its network devices.

origin: netlink, source of many local root exploits (CVE-2022-32250, CVE-2023-32233 by nf_tables)
why: it is a large kernel interface behind a socket
control: succeeds
"""


def attack(target):
    error = ""
    for protocol in (0, 4, 9, 12, 15, 16):
        fd, error = syscall(target, "socket", 16, 3, protocol)
        if fd >= 0:
            return escaped(f"a netlink socket of protocol {protocol} was made")
    return blocked("socket", error)
