"""Web addresses: read in one way only, the way in which the rules read them."""

from __future__ import annotations

import re
import socket
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from mayfly.core import InputError, host_of

_LONGEST = 2_000
_KEPT = "/%:@!$&'()*+,;=~-._?"


class Address(NamedTuple):
    """An address taken apart; *host* is the one that the rules decide on, and *kind* what they take it for."""

    secure: bool
    host: str
    kind: str
    port: int
    resource: str

    @property
    def without_query(self) -> str:
        """The address without its query, which may hold what nobody should read in a log."""
        scheme = "https" if self.secure else "http"
        return f"{scheme}://{self.host}:{self.port}{self.resource.partition('?')[0]}"


def address_of(url: str) -> Address:
    """Take an address apart; one with a user or password in it, or that can be read in two ways, is refused."""
    if len(url) > _LONGEST or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        raise InputError(f"the address is longer than {_LONGEST}" if len(url) > _LONGEST else "the address has blanks")
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise InputError(f"that is not an address: {error}") from None
    if split.scheme.lower() not in ("http", "https") or not split.hostname:
        raise InputError("the address must begin with http:// or https:// and name a host")
    if "@" in split.netloc:
        raise InputError("the address holds a user or a password, which would be recorded", fix="leave them out")
    host = host_of(url)
    if host is None or host.kind == "unclear":
        raise InputError("nobody can tell which machine the address names")
    secure = split.scheme.lower() == "https"
    resource = quote(split.path or "/", safe=_KEPT) + (f"?{quote(split.query, safe=_KEPT)}" if split.query else "")
    return Address(secure, host.name, host.kind, port or (443 if secure else 80), resource)


def resolved(address: Address) -> str:
    """Look the host up; a public name that leads to a machine of the private network is refused."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    where = str(found[0][4][0])
    there = host_of(f"http://[{where}]/" if ":" in where else f"http://{where}/")
    if address.kind == "public" and (there is None or there.kind != "public"):
        raise InputError(f"{address.host} leads to {where}, which is not a public address")
    return where
