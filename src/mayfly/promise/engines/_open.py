"""Which engine the settings name, and whether the Ray cluster at an address is a place to trust."""

from __future__ import annotations

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from mayfly.core import InputError, MachineError, MayflyError, PromiseSettings, Settings, address_kind
from mayfly.promise._job import Engine, Worker
from mayfly.promise.engines._connect import ClusterConnection, NodeAddress, import_ray
from mayfly.promise.engines._local import LocalEngine
from mayfly.promise.engines._ray import RayEngine
from mayfly.promise.engines._tryout import TryOut


def open_engine(settings: Settings, make_worker: Callable[[Settings], Worker]) -> Engine:
    """Return the engine that `promise.engine` names; *make_worker* is called where the work is done."""
    name = settings.promise.engine.strip()
    if name == "local":
        return LocalEngine(settings, make_worker)
    if name == "ray" or name.startswith("ray://"):
        return _open_ray(name, settings, make_worker)
    raise InputError(f"{name}: an engine is local, ray or ray://HOST:PORT", fix="set MAYFLY_ENGINE")


def _open_ray(name: str, settings: Settings, make_worker: Callable[[Settings], Worker]) -> Engine:
    if not settings.store.database_url:
        raise MayflyError("the ray engine needs a shared store: set MAYFLY_DATABASE_URL to a PostgreSQL")
    import_ray()
    tryout = TryOut(settings)
    near = name == "ray"
    address = tryout.expect().address if near else find(name, settings.promise)
    connection = ClusterConnection.open(address, token=tryout.token_for(address), near=near)
    try:
        return RayEngine(settings, connection, make_worker)
    except BaseException:
        connection.close()
        raise


def find(text: str, settings: PromiseSettings) -> NodeAddress:
    """Return the address that `ray://HOST:PORT` names; one outside private networks only where the settings say so."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise InputError(f"{text}: an engine is local, ray or ray://HOST:PORT", fix="set MAYFLY_ENGINE")
    numbers = _resolve(host, port)
    if host not in {name.strip() for name in settings.ray_hosts.lower().split(",")}:
        for number in numbers:
            # An address of this machine is no further away than loopback, whatever network it is in.
            if not is_private(number) and not is_here(number):
                raise InputError(
                    f"{text}: {number} is neither loopback nor in a private network",
                    fix=f"if it can be trusted, set MAYFLY_PROMISE_RAY_HOSTS={host}",
                )
    return NodeAddress(numbers[0], port)


def is_private(host: str) -> bool:
    """Say whether *host*, a number, is loopback or in a private network."""
    return address_kind(_number(host)) in ("loopback", "link_local", "private")


def is_here(host: str) -> bool:
    """Say whether *host*, a number, is an address of this machine: only such a one can be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((host, 0))
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
