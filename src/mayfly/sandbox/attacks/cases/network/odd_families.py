"""Make sockets of families that few filters name: vsock, alg, bluetooth, can, tipc, xdp and others.

origin: each had its own kernel hole: CVE-2021-26708 (vsock), CVE-2017-8890 (dccp), CVE-2021-43267 (tipc)
why: an unneeded family is an unneeded risk
control: depends — on which families the kernel was built with
"""


def attack(target):
    error = ""
    for family in (40, 38, 31, 29, 30, 44, 15, 21, 42, 3, 5, 9, 23, 24, 26, 33, 35, 37, 39, 43, 45):
        for kind in (1, 2, 3, 5):
            fd, error = syscall(target, "socket", family, kind, 0)
            if fd >= 0:
                return escaped(f"family {family} was opened")
    return blocked("socket", error)
