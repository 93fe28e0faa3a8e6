"""What kind of address a number is: the one answer for rules, for the broker of the sandbox and for clusters.

The broker runs in an interpreter that can import nothing of ours, and loads this file alone: it needs the standard
library only.
"""

from __future__ import annotations

import ipaddress
from typing import Literal

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
AddressKind = Literal["loopback", "unspecified", "link_local", "multicast", "private", "special", "public"]
# From the nearest to the farthest: an IPv6 address that carries an IPv4 address is as near as the nearer of the two.
_NEAREST_FIRST: tuple[AddressKind, ...] = (
    *("loopback", "unspecified", "link_local", "multicast"),
    *("private", "special", "public"),
)
_LOOPBACK_NAMES = frozenset(
    {"localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback"}
)
# Kinds of networks, from IANA's registries of special-purpose addresses and of address spaces (as of 2025), not from
# `ipaddress`: what that calls global differs between releases of Python. The first that fits counts.
_NETWORKS: tuple[tuple[AddressKind, tuple[str, ...]], ...] = (
    # A cloud's own machinery, which hands out its keys: the metadata services of most clouds, of containers on AWS, of
    # Azure, Alibaba, Oracle, AWS and Google over IPv6, Scaleway; and the inner services of IBM.
    (
        "special",
        (
            *("169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", "168.63.129.16/32", "100.100.100.200/32"),
            *("192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::/32", "fd00:42::42/128", "161.26.0.0/16", "166.8.0.0/14"),
        ),
    ),
    ("loopback", ("127.0.0.0/8", "::1/128")),
    # All of 0.0.0.0/8 is "this network", and reaches this machine where anything answers at all.
    ("unspecified", ("0.0.0.0/8", "::/128")),
    ("link_local", ("169.254.0.0/16", "fe80::/10")),
    ("multicast", ("224.0.0.0/4", "ff00::/8")),
    # Networks of an organisation or of a provider's own, where an address is nobody else's business.
    ("private", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")),
    # Protocol assignments, documentation, benchmarks, relays of 6to4, the name servers of private addresses (AS112),
    # multicast tunnels, what is reserved for later, and broadcast.
    (
        "special",
        (
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"),
        ),
    ),
    # The same for IPv6: protocol assignments with Teredo, documentation twice, 6to4, AS112.
    ("special", ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")),
    # Of IPv6 only this has been given to anybody, and the prefix behind which the IPv4 internet is. What is left are
    # networks nobody has: fec0::/10 for sites, 64:ff9b:1::/48 for translators of one's own, 100::/64, 5f00::/16.
    ("public", ("0.0.0.0/0", "2000::/3", "64:ff9b::/96", "::ffff:0:0/96")),
    ("special", ("::/0",)),
)
_TABLE = tuple((kind, ipaddress.ip_network(text)) for kind, texts in _NETWORKS for text in texts)


def address_kind(address: IP) -> AddressKind:
    """Return of which kind an address is.

    *private* is a network of somebody's own (10.0.0.0/8 and its like); *special* is whatever else is not public, such
    as addresses for documentation and those of a cloud's machinery; *unspecified* leads to this machine in the end.
    """
    kinds = {_own_kind(address), *map(_own_kind, carried(address))}
    return next(kind for kind in _NEAREST_FIRST if kind in kinds)


def is_loopback_name(name: str) -> bool:
    """Whether *name* means this machine wherever it is said."""
    plain = name.lower().rstrip(".")
    return plain in _LOOPBACK_NAMES or plain.endswith(".localhost")


def carried(address: IP) -> tuple[ipaddress.IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address carries: mapped, compatible, 6to4, Teredo (two), NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    value = int(address)
    inner: tuple[int, ...] = ()
    if value >> 32 in (0xFFFF, 0x64FF9B << 64) or (value >> 32 == 0 and value > 0xFFFF):
        inner = (value,)
    elif value >> 112 == 0x2002:
        inner = (value >> 80,)
    elif value >> 96 == 0x20010000:
        # The server, and the client with all its bits turned around.
        inner = (value >> 64, ~value)
    return tuple(ipaddress.IPv4Address(one & 0xFFFF_FFFF) for one in inner)


def _own_kind(address: IP) -> AddressKind:
    return next(kind for kind, network in _TABLE if network.version == address.version and address in network)
