"""Which host an address names, in one spelling, and whether it is public; no name is looked up."""

import ipaddress
import re
import unicodedata
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote

from mayfly.core._addresses import IP, address_kind, carried, is_loopback_name

HostKind = Literal["public", "private", "loopback", "unclear"]
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?(.*)", re.DOTALL)
_BARE: Final = re.compile(
    r"(?:[^\s/@]+@)?(\[[0-9A-Fa-f:.%]+\]|[^\s/:@?#]+)(?::(\d{1,5}|[^/]*))?(?:[/?#].*)?", re.DOTALL
)
_NUMBER: Final = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_DOTS: Final = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})
_PRIVATE_SUFFIXES: Final = (
    *("internal", "local", "localdomain", "lan", "home.arpa", "intranet", "corp", "home", "private", "svc", "test"),
    *("cluster.local", "invalid", "onion", "example", "in-addr.arpa", "ip6.arpa", "host.docker.internal"),
)
# Public names that answer with whatever address is written in them, or with 127.0.0.1.
_MIRRORS: Final = (
    *("nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "localho.st", "yoogle.com"),
    *("traefik.me", "fbi.com.localtest.me", "rebind.network", "1u.ms", "rbndr.us", "42foo.com", "ulh.us", "fuf.me"),
)


class Host(NamedTuple):
    """A host in one spelling, its kind, and the domains it lies in (itself first; none where it is unclear)."""

    name: str
    kind: HostKind
    within: tuple[str, ...]


def host_of(text: str) -> Host | None:
    """Return the host that an address names; None where the text names none."""
    text = text.strip(" \t\r\n")
    found = _SCHEME.match(text)
    if text.startswith("//"):
        return _authority(text[2:])
    if found and found[2]:
        host = _authority(found[3])
        # Some readers take `http:///host` for `http://host`.
        return host or (None if found[1].lower() == "file" else _unclear(found[3].lstrip("/\\")))
    if found and found[1].lower() in ("http", "https", "ws", "wss", "ftp"):
        return _unclear(found[3].lstrip("/\\"))
    return _bare(text)


def _bare(text: str) -> Host | None:
    """Read `host`, `host:port`, `host/path` and `user@host:path`, where the first part looks like a host."""
    if len(text) > 4096 or any(char.isspace() for char in text):
        return None
    if text.count(":") > 1 and not text.startswith("["):
        address = _ipv6(text.partition("/")[0])
        return None if address is None else _address(address)
    found = _BARE.fullmatch(text)
    if found is None:
        return None
    host = _named(found[1])
    dotted = "." in found[1].strip(".") or (found[2] or "").isdigit() or "@" in text
    known = host.kind == "loopback" or _NUMBER.fullmatch(found[1]) is not None
    return host if (dotted and not found[1].startswith(".")) or known or found[1].startswith("[") else None


def _authority(rest: str) -> Host | None:
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    doubtful = "\\" in rest.partition("/")[0] or any(char.isspace() or not char.isprintable() for char in authority)
    authority = authority.partition("\\")[0]
    if authority.count("@") > 1:
        doubtful = True
    host = authority.rpartition("@")[2]
    if not host:
        return _unclear(authority) if authority or doubtful else None
    if host.startswith("["):
        inner, _, port = host[1:].partition("]")
        named = _named(f"[{inner}]")
        doubtful = doubtful or bool(port and not re.fullmatch(r":\d*", port))
    else:
        name, _, port = host.partition(":")
        named = _named(name)
        doubtful = doubtful or bool(port and not port.isdigit())
    return Host(named.name, "unclear", ()) if doubtful else named


def _unclear(name: str) -> Host:
    return Host("".join(char if char.isprintable() else "\ufffd" for char in name[:253]), "unclear", ())


def _named(text: str) -> Host:
    """Classify one host, as a name or an address in any of its spellings."""
    if text.startswith("["):
        address = _ipv6(text[1:-1])
        return _unclear(text) if address is None else _address(address)
    decoded = unquote(text)
    name = unicodedata.normalize("NFKC", decoded.translate(_DOTS)).translate(_DOTS).lower().removesuffix(".")
    try:
        name = name if name.isascii() else name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return _unclear(text)
    if decoded != text or len(name) > 253 or not _NAME.fullmatch(name):
        return _unclear(text)
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        number = _ipv4(name)
        return _unclear(name) if number is None else _address(number)
    kind = _kind_of_name(name)
    return Host(name, kind, () if kind == "unclear" else _domains(name))


def _kind_of_name(name: str) -> HostKind:
    if is_loopback_name(name):
        return "loopback"
    if "." not in name or any(name.endswith("." + suffix) for suffix in _PRIVATE_SUFFIXES):
        return "private"
    mirrored = any(name == mirror or name.endswith("." + mirror) for mirror in _MIRRORS)
    return "unclear" if mirrored else "public"


def _domains(name: str) -> tuple[str, ...]:
    labels = name.split(".")
    return tuple(".".join(labels[start:]) for start in range(len(labels)))


def _ipv4(text: str) -> ipaddress.IPv4Address | None:
    """Read an IPv4 address as C's inet_aton does: one to four parts, each decimal, octal or hexadecimal."""
    parts = text.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    room = 256 ** (5 - len(numbers))
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= room:
        return None
    value = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        value += number << (24 - 8 * place)
    return ipaddress.IPv4Address(value)


def _number(text: str) -> int:
    if len(text) > 32:
        raise ValueError(text[:32])
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)


def _ipv6(text: str) -> ipaddress.IPv6Address | None:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    return None if address.scope_id else address


def _address(address: IP) -> Host:
    mapped = getattr(address, "ipv4_mapped", None)
    name = str(mapped or address)
    return Host(name, _host_kind(address), (name,))


def _host_kind(address: IP) -> HostKind:
    kind = address_kind(address)
    if kind in ("loopback", "unspecified"):
        return "loopback"
    # 6to4 and Teredo lead to the public host that they carry, and are as public as that one.
    through = kind == "special" and carried(address) and all(address_kind(one) == "public" for one in carried(address))
    return "public" if kind == "public" or through else "private"
