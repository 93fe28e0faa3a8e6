"""Connect an end of a socket pair anew, to a socket of the host.

origin: connect on an already connected datagram socket replaces its peer
why: the pair was permitted because it seemed closed
control: succeeds
harm: stage
"""

import socket


def attack(target):
    last = nothing("no pair was made")
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        for address in ("\0" + target["abstract_datagram"], target["unix_datagram"], target["unix"]):
            try:
                ours, _ = socket.socketpair(socket.AF_UNIX, kind)
                ours.connect(address)
                ours.send(b"owned")
            except OSError as error:
                last = blocked("connect", error)
    return last
