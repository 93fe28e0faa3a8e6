"""Connect to a service's socket file.

origin: the Docker socket, the most used way out of a container
why: file sockets obey neither network rules nor network namespaces
control: succeeds
harm: stage
"""

import socket


def attack(target):
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.connect(target["unix"])
    except OSError as error:
        return blocked("socket", error)
    return escaped("connected to a socket file")
