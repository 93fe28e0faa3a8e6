"""Fill the buffers of socket pairs, made as large as the kernel lets them be.

origin: buffers of sockets are the kernel's memory: RLIMIT_AS does not see them
why: a job held to 64 MiB held 1.7 GiB
control: succeeds
"""

import socket


def attack(target):
    kept, held, last = [], 0, None
    try:
        while held <= 96 << 20:
            for end in socket.socketpair():
                end.setblocking(False)
                kept.append(end)
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                except OSError as error:
                    last = error
                try:
                    while True:
                        held += end.send(bytes(1 << 16))
                except BlockingIOError:
                    pass
    except OSError as error:
        return blocked("setsockopt" if last else "socketpair", last or error)
    return escaped(f"{held >> 20} MiB are held in buffers")
