"""Resolve a name with the host's name service.

origin: getaddrinfo reads files, asks daemons over unix sockets and sends queries
why: one library call touches every door at once
control: succeeds
"""

import socket


def attack(target):
    try:
        found = socket.getaddrinfo("localhost", 80, socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        return nothing(f"getaddrinfo failed: {error}")
    return escaped("the host's name service answered") if found else nothing("no answer")
