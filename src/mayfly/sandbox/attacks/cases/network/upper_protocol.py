"""Put protocols and congestion control of our choice on a connection.

origin: TCP_ULP (CVE-2023-0461), TCP_CONGESTION, TCP_REPAIR, IP options
why: each loads or enters code in the kernel that ordinary clients never meet
control: succeeds
grants: net:127.0.0.1:1
"""

import socket


def attack(target):
    try:
        channel = socket.socket()
    except OSError as error:
        return blocked("socket", error)
    with channel:
        for level, option, value in ((6, 13, b"reno"), (6, 31, b"tls"), (0, 4, bytes(4)), (1, 60, b"\1\0\0\0")):
            result, error = syscall(target, "setsockopt", channel.fileno(), level, option, value, len(value))
            if result == 0:
                return escaped(f"option {option} of level {level} was set")
    return blocked("setsockopt", error)
