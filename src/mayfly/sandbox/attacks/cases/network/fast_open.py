"""Open a TCP connection without calling connect, with data in the first packet.

origin: MSG_FASTOPEN went past Landlock's connect hook when it was new
why: there is more than one way to connect
control: succeeds
harm: stage
"""

import socket
import time


def attack(target):
    try:
        channel = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        channel.sendto(b"owned", socket.MSG_FASTOPEN, ("127.0.0.1", target["tcp"]))
    except OSError as error:
        return blocked("socket", error)
    time.sleep(0.05)
    return escaped("data went out with the first packet")
