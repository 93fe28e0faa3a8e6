"""Send a datagram to loopback with raw calls.

origin: plain; Landlock's network rights know TCP only
why: one packet is enough to carry a secret out
control: succeeds
harm: stage
"""

import struct


def attack(target):
    fd, error = syscall(target, "socket", 2, 2, 0)
    if fd < 0:
        return blocked("socket", error)
    address = struct.pack("=H", 2) + struct.pack("!H", target["udp"]) + bytes([127, 0, 0, 1]) + bytes(8)
    sent, error = syscall(target, "sendto", fd, b"owned", 5, 0, address, len(address))
    return escaped("a datagram was sent") if sent == 5 else blocked("sendto", error)
