"""Where a Ray cluster is, and whether that is a place to trust.

Whoever reaches a Ray cluster can run code on it, and the cluster's nodes are told where the database is: so it is
looked for on this machine and in private networks only, unless its host is named in the settings.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from mayfly.core import InputError, MachineError, PromiseSettings, address_kind


class Address(NamedTuple):
    """A host as a number, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def find(text: str, settings: PromiseSettings) -> Address:
    """Return the address that `ray://HOST:PORT` names; one outside private networks only where the settings say so."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise InputError(f"{text}: an engine is local, ray or ray://HOST:PORT", fix="set MAYFLY_ENGINE")
    numbers = _resolve(host, port)
    if host not in named_hosts(settings):
        for number in numbers:
            # An address of this machine is no further away than loopback, whatever network it is in.
            if not is_private(number) and not is_here(number):
                raise InputError(
                    f"{text}: {number} is neither loopback nor in a private network",
                    fix=f"if it can be trusted, set MAYFLY_PROMISE_RAY_HOSTS={host}",
                )
    return Address(numbers[0], port)


def named_hosts(settings: PromiseSettings) -> frozenset[str]:
    """Return the hosts that may be connected to wherever they are."""
    names = settings.ray_hosts.lower().split(",")
    return frozenset(name.strip() for name in names if name.strip())


def is_private(host: str) -> bool:
    """Say whether *host*, a number, is loopback or in a private network."""
    return address_kind(_number(host)) in ("loopback", "link_local", "private")


def is_loopback(host: str) -> bool:
    """Say whether *host*, a number, is this machine whatever its network."""
    return address_kind(_number(host)) == "loopback"


def is_here(host: str) -> bool:
    """Say whether *host*, a number, is an address of this machine: only such a one can be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True


def answers(address: Address, *, seconds: float = 3.0) -> bool:
    """Say whether anything listens there."""
    try:
        socket.create_connection(address, timeout=seconds).close()
    except OSError:
        return False
    return True


def _number(host: str) -> IPv4Address | IPv6Address:
    return ip_address(host.partition("%")[0])


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise MachineError(f"ray://{host}:{port}: there is no host of that name") from None
    return sorted({str(entry[4][0]) for entry in found}, key=lambda number: (":" in number, number))
