"""Grants: the openings a job is given in the wall, as text that can be stored, shown and decided on by rules."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError

# Directories of packages beside those of this environment, as they are when somebody asks.
Packages = Callable[[], tuple[str, ...]]
_KNOWN = "fs:workspace, fs:workspace:rw, package, net:HOST[:PORT], net:*, buy, buy:HOST[:PORT], data"
# The host under which a job finds the wallet; no grant for the network leads there.
WALLET = "wallet.mayfly"


@dataclass(frozen=True, kw_only=True)
class Grants:
    """The openings of one sandbox, parsed and checked."""

    workspace: str | None = None
    write: bool = False
    packages: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    # From whom may be bought, the star for whomever the wallet allows; none: nothing is bought.
    sellers: tuple[str, ...] = ()
    # Whether the job gets DuckDB, the files it names and nothing else.
    data: bool = False

    @property
    def door(self) -> bool:
        """Whether a job has a way out to the proxy."""
        return bool(self.hosts or self.sellers)

    @property
    def effects(self) -> bool:
        """Whether running a job twice could do something twice."""
        return self.write or self.door


NO_GRANTS = Grants()


class Outfit(NamedTuple):
    """What a worker is given: its openings in the wall, and whether only the modules that most jobs import."""

    grants: Grants
    lean: bool


def parse(grants: tuple[str, ...], workspace: str | Path | None, *, more: Packages = tuple) -> Grants:
    """Check *grants*; one that is unknown or cannot be meant is an `InputError` naming it.

    With the grant for packages those in *more* come before the ones of this environment.
    """
    if "data" in grants:
        return _only_data(grants, more)
    hosts: list[str] = []
    sellers: list[str] = []
    shared = write = package = False
    for grant in grants:
        kind, _, rest = grant.partition(":")
        if grant in {"fs:workspace", "fs:workspace:ro", "fs:workspace:rw"}:
            shared = True
            write = write or grant.endswith(":rw")
        elif grant == "package":
            package = True
        elif kind == "net" and rest:
            hosts.append(_host(grant, kind, rest))
        elif grant == "buy":
            sellers.append("*")
        elif kind == "buy" and rest:
            sellers.append(_host(grant, kind, rest))
        else:
            raise InputError(f"unknown grant {grant!r}", fix=f"grants are {_KNOWN}")
    return Grants(
        workspace=_directory(workspace) if shared else None,
        write=write,
        packages=(*more(), *site_packages()) if package else (),
        hosts=tuple(sorted(set(hosts))),
        sellers=("*",) if "*" in sellers else tuple(sorted(set(sellers))),
    )


def _only_data(grants: tuple[str, ...], more: Packages) -> Grants:
    others = sorted(set(grants) - {"data", "package"})
    if others:
        raise InputError(f"the grant data stands alone, not with {', '.join(others)}", fix="make it a job of its own")
    # Libraries for formats that DuckDB does not read: what a job writes cannot be run, at either level.
    return Grants(data=True, packages=(*more(), *site_packages()) if "package" in grants else ())


def _directory(workspace: str | Path | None) -> str:
    if workspace is None:
        raise InputError("fs:workspace is granted but no workspace is given", fix="name a directory as workspace")
    path = Path(workspace).resolve()
    if not path.is_dir():
        raise InputError(f"workspace {str(workspace)!r} is not a directory")
    if path == Path("/"):
        raise InputError("the workspace cannot be the whole file system", fix="name a directory below /")
    return str(path)


def _host(grant: str, kind: str, text: str) -> str:
    host, port = split_host(text)
    if not host or any(c.isspace() or c in "/@*" for c in host.replace("*", "", 1 if host == "*" else 0)):
        forms = f"{kind}:example.org, {kind}:example.org:8080 or {kind}:*"
        raise InputError(f"{grant!r} does not name a host", fix=f"write {forms}")
    if port is not None and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise InputError(f"{grant!r} has a port that is not a number from 1 to 65535")
    if host.lower().rstrip(".") == WALLET:
        raise InputError(f"{grant!r} names the wallet", fix="grant buy, or buy:HOST for one seller")
    return text.lower()


def split_host(text: str) -> tuple[str, str | None]:
    """Split `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest[1:] if rest.startswith(":") else None
    if text.count(":") > 1:
        return text, None
    host, colon, port = text.partition(":")
    return host, port if colon else None


def site_packages() -> tuple[str, ...]:
    """Return this environment's package directories."""
    paths = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return tuple(sorted(p for p in paths if Path(p).is_dir() and p in sys.path)) or tuple(sorted(paths))


def certificate_file() -> str:
    """Return the file of trusted certificates this process would use, or nothing."""
    import ssl

    return ssl.get_default_verify_paths().cafile or ""
