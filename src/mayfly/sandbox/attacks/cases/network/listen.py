"""Open a port and an abstract name of our own, for others to come to.

origin: bind shells
why: what may listen can be an impostor of a local service
control: succeeds
"""

import socket


def attack(target):
    last = nothing("nothing was tried")
    for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, f"\0job-{os.getpid()}")):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as door:
                door.bind(address)
                door.listen(1)
                return escaped("a socket is listening")
        except OSError as error:
            last = blocked("socket", error)
    return last
