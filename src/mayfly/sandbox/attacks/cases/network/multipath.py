"""Connect with a protocol that carries TCP under another number.

origin: MPTCP and SCTP sockets were not covered by Landlock's first network rights
why: the same port is reached by another door
control: depends — the kernel may have no MPTCP or may have switched it off
harm: stage
"""

import socket


def attack(target):
    last = nothing("nothing was tried")
    for protocol in (262, 132, 256):
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as channel:
                channel.settimeout(0.5)
                channel.connect(("127.0.0.1", target["tcp"]))
                return escaped(f"connected with protocol {protocol}")
        except OSError as error:
            last = blocked("socket", error)
    return last
