"""Take an abstract socket name and see whether the next job finds it taken.

origin: covert channels of existence
why: one bit is enough if it can be asked often
control: succeeds
"""

import socket
import sys


def attack(target):
    try:
        sys.mayfly_kept = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sys.mayfly_kept.bind("\0mayfly-trace")
    except OSError as error:
        return blocked("socket", error)
    return nothing("a name was taken")


def second(target):
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind("\0mayfly-trace")
    except OSError as error:
        return escaped("the name is taken") if error.errno == errno.EADDRINUSE else blocked("socket", error)
    return nothing("the name is free")
