"""What a zygote knows about itself, and the small things all its parts use."""

from __future__ import annotations

import _random
import _socket
import errno
import fcntl
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import _prefault, _wire, _worker

# From here on the zygote keeps its own descriptors; those below are the next worker's.
HIGH = 20
# The lowest free descriptors of a zygote, so those of the next worker's channel and output. Between them are the host's
# ends of both.
CHANNEL, OUTPUT = 3, 6


class Jail:
    """What the zygote knows about itself once the walls stand."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.level: str = config["level"]
        self.layers: dict[str, str] = {}
        self.base = 0
        self.tasks = config["threads"]
        self.root = os.geteuid() == 0
        self.user = 0
        self.users = range(0)
        self.proc = high(os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
        self.kept: list[int] = []
        # How a worker begins.
        self.fork = _prefault.fork if self.level != "namespaces" else _prefault.fork_apart
        if config["data"] and self.level == "namespaces":
            self.fork = _prefault.fork_with_mounts
        self.table = read_beside("syscalls.txt")
        self.warm_up = read_beside("warm_up.py")
        self.worker = _worker.Worker(files=bool(config["workspace"] or config["data"]), nodes=config["nodes"])
        self.first = _prefault.Bulk([])
        self.later = _prefault.Touched()
        # What workers would inherit of random numbers to come: see `_chance`.
        self.generators: list[_random.Random] = []
        self.openssl: ModuleType | None = None
        # What a worker does before it is confined and right after, where each has files of its own.
        self.furnish: Callable[[Jail, int], Any] = lambda jail, user: None
        self.open_database: Callable[[Jail, Any], None] = lambda jail, setup: None
        # What Landlock lets every worker open, by path, with the rights to it.
        self.readable: dict[str, int] = {}

    def user_of(self, number: int) -> int:
        """Return the user that the worker of this number steps down to, where the zygote is root."""
        return self.users[number % len(self.users)] if self.users else self.user


def read_beside(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def request(source: str) -> bytes:
    """Return a request that loads *source* and calls its `run`, for rehearsals."""
    parts = (b"run", b"", source.encode(), b'{"numbers": [1, 2.5, "three"], "nested": {"list": [null, true]}}')
    sizes = [len(part) for part in parts]
    return _wire.REQUEST.pack(bytes(_wire.NONCE), _wire.NAMED, 0, 0, 1 << 20, *sizes) + b"".join(parts)


def open_channel(*requests: bytes) -> int:
    """Put a channel where a worker looks for its own, with *requests* waiting in it; return its other end."""
    ours, theirs = (end.detach() for end in _socket.socketpair())
    if ours != CHANNEL:
        raise OSError(errno.EBADF, f"descriptor {ours} is not where the channel belongs")
    for request in requests:
        os.write(theirs, request)
    return theirs


def high(descriptor: int) -> int:
    """Move *descriptor* out of the way of the next worker's."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError as error:
        # So high a number is an invalid argument to a process that may not have so many.
        number = errno.EMFILE if error.errno == errno.EINVAL else error.errno
        raise OSError(number, os.strerror(number or 0)) from None
    finally:
        os.close(descriptor)
    return moved
