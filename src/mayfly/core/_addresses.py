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
# Networks of an organisation or of a provider's own, where a machine has an address that is nobody else's business.
_PRIVATE = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
)
# Addresses that belong to a cloud's own machinery, and hand out its keys.
_MACHINERY = frozenset({"169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def address_kind(address: IP) -> AddressKind:
    """Return of which kind an address is.

    *private* is a network of somebody's own (10.0.0.0/8 and its like); *special* is whatever else is not public, such
    as addresses for documentation and those of a cloud's machinery; *unspecified* leads to this machine in the end.
    """
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return _own_kind(address.ipv4_mapped)
    kinds = {_own_kind(address), *map(_own_kind, carried(address))}
    return next(kind for kind in _NEAREST_FIRST if kind in kinds)


def is_loopback_name(name: str) -> bool:
    """Whether *name* means this machine wherever it is said."""
    plain = name.lower().rstrip(".")
    return plain in _LOOPBACK_NAMES or plain.endswith(".localhost")


def carried(address: IP) -> tuple[ipaddress.IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address carries: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    value = int(address)
    if address in _NAT64 or (value >> 32 == 0 and value > 0xFFFF):
        found.append(ipaddress.IPv4Address(value & 0xFFFF_FFFF))
    return tuple(inner for inner in found if inner is not None)


def _own_kind(address: IP) -> AddressKind:
    # fec0::/10 was once for sites of their own, and newer standards say nothing about it.
    if str(address) in _MACHINERY or getattr(address, "is_site_local", False):
        return "special"
    if address.is_loopback:
        return "loopback"
    # All of 0.0.0.0/8 is "this network", and reaches this machine where anything answers at all.
    if address.is_unspecified or (address.version == 4 and int(address) < 1 << 24):
        return "unspecified"
    if address.is_link_local:
        return "link_local"
    if address.is_multicast:
        return "multicast"
    if any(address in network for network in _PRIVATE if network.version == address.version):
        return "private"
    return "public" if address.is_global else "special"
