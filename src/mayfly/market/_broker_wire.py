"""How one talks to the broker: lines of JSON on a Unix socket that only its owner reaches, each end knowing the other.

    {"op": "buy", "call_id", "url", "max_price", "method", "body" (base64), "headers", "agent", "run", "tool",
     "strategy"}
    {"op": "balance"}
    {"op": "status", "call_id"}

An answer is {"ok": true, …} or {"ok": false, "code", "message", "fix"}. There is nothing else: no bytes are signed, and
no key is given out.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, MachineError, parse_json
from mayfly.market._wallet import reachable, wallet_directory

if TYPE_CHECKING:
    from mayfly.core import Settings

SOCKET: Final = "broker.sock"
# More than the largest answer that is taken, in base64 and with what stands around it.
LARGEST_LINE: Final = 64 * 1024 * 1024
_PEER: Final = struct.Struct("3i")


def broker_socket(settings: Settings) -> Path:
    """Return where the broker listens."""
    return wallet_directory(settings) / SOCKET


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """Return a name of *path* that fits a socket's address, which has room for 107 bytes only."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


class Peer:
    """Who is at the other end of a Unix socket, as the kernel says."""

    def __init__(self, connection: socket.socket) -> None:
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        pid, uid, _ = _PEER.unpack(data)
        self.pid, self.uid = int(pid), int(uid)

    @property
    def is_ours(self) -> bool:
        """Whether it is the same user; root is another one, and has other ways."""
        return self.uid == os.geteuid()


class Lines:
    """Lines of JSON over one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file = connection.makefile("rb")

    def read(self) -> dict[str, Any] | None:
        """Return the next object, None where the other end is gone."""
        line = self._file.readline(LARGEST_LINE + 1)
        if not line:
            return None
        if len(line) > LARGEST_LINE or not line.endswith(b"\n"):
            raise InputError("a line of the broker's is too long or cut off")
        value = parse_json(line, "a line of the broker's")
        if not isinstance(value, dict):
            raise InputError("a line of the broker's is no object")
        return value

    def write(self, value: dict[str, Any]) -> None:
        """Send one object."""
        self._connection.sendall(json.dumps(value).encode() + b"\n")

    def close(self) -> None:
        """Give the connection up."""
        self._file.close()
        self._connection.close()


def connect(settings: Settings, *, timeout: float | None) -> tuple[Lines, Peer]:
    """Connect to the broker, which has to be ours."""
    path = broker_socket(settings)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        with reachable(path), short_path(path) as short:
            connection.connect(short)
        peer = Peer(connection)
        if not peer.is_ours:
            raise MachineError(f"{path} belongs to somebody else's process")
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        raise MachineError("the wallet is not open", fix="mayfly wallet open") from None
    except BaseException:
        connection.close()
        raise
    return Lines(connection), peer
