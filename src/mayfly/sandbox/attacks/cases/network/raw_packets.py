"""Send a hand-made packet, below TCP and UDP.

origin: raw and packet sockets; CVE-2020-14386 (AF_PACKET)
why: whoever makes packets makes addresses too
control: needs root
"""


def attack(target):
    result = error = None
    for family, kind, protocol in ((2, 3, 1), (10, 3, 58), (17, 3, 0x0300), (17, 2, 0x0300)):
        result, error = syscall(target, "socket", family, kind, protocol)
        if result >= 0:
            return escaped(f"a raw socket of family {family} was made")
    return blocked("socket", error)
