"""Make the buffers of sockets as large as the kernel lets anybody.

origin: memory that no limit of a process counts
why: many sockets with large buffers hold what the memory limit does not see
control: succeeds
"""

import socket


def attack(target):
    one, two = socket.socketpair()
    with one, two:
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
            try:
                one.setsockopt(socket.SOL_SOCKET, option, 1 << 30)
            except OSError as error:
                last = blocked("setsockopt", error)
            else:
                return escaped(f"option {option} was set: {one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)}")
    return last
