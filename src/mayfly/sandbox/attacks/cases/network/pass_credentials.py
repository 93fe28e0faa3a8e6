"""Ask for the sender's process and user with every message that comes over a channel.

origin: SO_PASSCRED, SO_PASSPIDFD, SO_PEERPIDFD (Linux 6.5): a handle on the process at the other end
why: a handle on a process is where signals and stolen descriptors begin
control: succeeds
"""

import socket


def attack(target):
    pair = socket.socketpair()
    numbers = [number for number in range(64) if is_open(number)] + [pair[0].fileno()]
    last = nothing("there is no socket")
    for number in numbers:
        for option in (16, 76):
            value = ctypes.c_int(1)
            result, error = syscall(target, "setsockopt", number, 1, option, ctypes.byref(value), 4)
            if result == 0:
                return escaped(f"descriptor {number} will tell who sends")
            last = blocked("setsockopt", error)
    return last
