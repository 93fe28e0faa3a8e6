"""Connect to a port on loopback.

origin: plain; server-side request forgery starts here
why: local services trust whoever can reach them
control: succeeds
harm: stage
"""

import socket


def attack(target):
    try:
        socket.create_connection(("127.0.0.1", target["tcp"]), timeout=1).sendall(b"owned")
    except OSError as error:
        return blocked("socket", error)
    return escaped("connected")
