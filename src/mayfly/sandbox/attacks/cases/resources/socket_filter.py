"""Hang a program of the kernel's own language on a socket.

origin: SO_ATTACH_FILTER; the way to many bugs of its verifier and compiler
why: memory and code in the kernel, for anybody with a socket pair
control: succeeds
"""

import socket
import struct


def attack(target):
    ours, theirs = socket.socketpair()
    program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0xFFFFFFFF))
    try:
        ours.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(program)))
    except OSError as error:
        return blocked("setsockopt", error)
    return escaped("a filter of ours runs in the kernel")
