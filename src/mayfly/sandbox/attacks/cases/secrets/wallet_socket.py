"""Talk to the process that holds a wallet's key, past the proxy.

origin: CVE-2019-5736 and every docker.sock in a container
why: a socket of the same user asks for no password
control: succeeds
harm: stage
grants: buy
"""

import socket


def attack(target):
    error = ""
    for address in (target["unix"], "\0" + target["abstract"], f"/proc/{target['host']}/root{target['unix']}"):
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as broker:
                broker.settimeout(1)
                broker.connect(address)
                return escaped(f"connected to {address!r}")
        except OSError as failure:
            error = failure
    return blocked("connect", error)
