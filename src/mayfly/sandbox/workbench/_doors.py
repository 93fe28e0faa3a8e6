"""The doors of one command: its proxy, and granted ports; opened when somebody knocks."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Iterable

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox._broker import Broker
from mayfly.sandbox._grants import parse, split_host

_KNOWN = "net:HOST[:PORT], net:*, tcp:HOST:PORT, fs:/DIRECTORY"


class Openings:
    """What the grants of one command open, parsed and checked."""

    def __init__(self, grants: Iterable[str]) -> None:
        hosts: list[str] = []
        self.targets: list[tuple[str, int]] = []
        self.directories: list[str] = []
        for grant in grants:
            kind, _, rest = grant.partition(":")
            if kind == "net":
                hosts += parse((grant,), None).hosts
            elif kind == "tcp":
                self.targets.append(_target(grant, rest))
            elif kind == "fs" and rest.startswith("/"):
                self.directories.append(_directory(grant, rest))
            else:
                raise InputError(f"unknown grant {grant!r}", fix=f"grants are {_KNOWN}")
        self.hosts = tuple(sorted(set(hosts)))
        ports = [port for _, port in self.targets]
        if len(set(ports)) != len(ports):
            raise InputError("two granted hosts have the same port", fix="grant them to two commands")


def _target(grant: str, rest: str) -> tuple[str, int]:
    host, port = split_host(rest)
    if not host or host == "*" or port is None or not port.isdigit() or not 0 < int(port) < 65536:
        raise InputError(f"{grant!r} does not name a host and a port", fix="write tcp:localhost:5432")
    parse((f"net:{rest}",), None)
    return host.lower(), int(port)


def _directory(grant: str, path: str) -> str:
    real = os.path.realpath(path)
    if real == "/" or not os.path.isdir(real):
        raise InputError(f"{grant!r} does not name a directory below /")
    return real


class Brokers:
    """The proxies of a workbench, one for each set of hosts, started when they are first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._brokers: dict[tuple[str, ...], Broker] = {}
        self._numbers = itertools.count(1)

    def open(self, hosts: tuple[str, ...], door: int, target: tuple[str, int] | None) -> tuple[Broker, int]:
        """Have a proxy that reaches *hosts* serve a door; return it and the number of the door there."""
        with self._lock:
            if hosts not in self._brokers:
                self._brokers[hosts] = Broker(hosts, SandboxSettings())
            broker, number = self._brokers[hosts], next(self._numbers)
            broker.ensure()
        broker.open(number, door, target=target)
        return broker, number

    def close(self) -> None:
        """End them."""
        with self._lock:
            while self._brokers:
                self._brokers.popitem()[1].close()


class Doors:
    """The listening sockets of one command; nobody is behind them until the first connection comes."""

    def __init__(self, brokers: Brokers, openings: Openings) -> None:
        self._brokers = brokers
        self._openings = openings
        self._closed: list[tuple[int, tuple[str, int] | None]] = []
        self._open: list[tuple[Broker, int]] = []

    def take(self, descriptors: list[int]) -> None:
        """Take charge of the doors of a command that began: first that of the proxy, then those of granted ports."""
        self._closed = list(zip(descriptors, (None, *self._openings.targets), strict=False))
        descriptors.clear()

    @property
    def waiting(self) -> list[int]:
        """The doors nobody knocked at yet."""
        return [door for door, _ in self._closed]

    def knock(self, ready: list[int]) -> list[int]:
        """Open those of the doors that somebody knocked at; return them."""
        knocked = [(door, target) for door, target in self._closed if door in ready]
        for door, target in knocked:
            self._closed.remove((door, target))
            hosts = (*self._openings.hosts, *(_written(one) for one in self._openings.targets))
            self._open.append(self._brokers.open(hosts, door, target))
        return [door for door, _ in knocked]

    def close(self) -> tuple[str, ...]:
        """Shut all of them; return the hosts that were asked for in vain."""
        refused: list[str] = []
        for broker, number in self._open:
            refused += broker.shut(number)
        for door, _ in self._closed:
            with contextlib.suppress(OSError):
                os.close(door)
        self._open, self._closed = [], []
        return tuple(dict.fromkeys(refused))


def _written(target: tuple[str, int]) -> str:
    host, port = target
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
