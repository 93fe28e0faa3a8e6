"""Do the same with the owner in memory, and with the socket's own command.

origin: F_SETOWN_EX and the FIOSETOWN and SIOCSPGRP ioctls
why: the older command's doubles are easily forgotten
control: succeeds
harm: stage
"""

import fcntl
import signal
import socket
import time


def attack(target):
    ours, other = socket.socketpair()
    number = (ctypes.c_int * 1)(target["victim"])
    owner = (ctypes.c_int * 2)(1, target["victim"])
    tries = [("fcntl", 15, owner), ("ioctl", 0x8901, number), ("ioctl", 0x8902, number)]
    refusals = []
    for call, command, argument in tries:
        result, error = syscall(target, call, ours.fileno(), command, argument)
        if result < 0:
            refusals.append(blocked(call, error))
    if len(refusals) == len(tries):
        return refusals[0]
    syscall(target, "fcntl", ours.fileno(), 10, int(signal.SIGUSR2))
    fcntl.fcntl(ours, fcntl.F_SETFL, fcntl.fcntl(ours, fcntl.F_GETFL) | os.O_ASYNC)
    other.send(b"x")
    time.sleep(0.02)
    return nothing("the kernel was asked to signal for us")
