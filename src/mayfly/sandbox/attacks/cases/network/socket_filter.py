"""Attach a program of our own to a socket: it runs in the kernel.

origin: SO_ATTACH_FILTER, the entry of CVE-2016-4998 and of most attacks on the kernel's BPF
why: it needs no privilege, and any socket will do
control: succeeds
"""

import socket
import struct


def attack(target):
    program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0xFFFF), 8)
    header = struct.pack("=H6xQ", 1, ctypes.addressof(program))
    one, two = socket.socketpair()
    with one, two:
        try:
            one.setsockopt(socket.SOL_SOCKET, 26, header)
        except OSError as error:
            return blocked("setsockopt", error)
    return escaped("a program of ours filters a socket")
