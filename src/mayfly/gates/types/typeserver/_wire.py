"""Length-capped JSON frames over descriptors, the same on both sides of the pipe."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

LARGEST = 16 * 1024 * 1024
_CHUNK = 1 << 16


class Closed(Exception):
    """The other side hung up, or said what is no frame."""


def send(descriptor: int, message: dict[str, Any], *, deadline: float | None = None) -> None:
    """Write one frame; the other side hanging up is `Closed`, a full pipe at the *deadline* a `TimeoutError`."""
    data = json.dumps(message).encode()
    if len(data) > LARGEST:
        raise ValueError("the frame is too large")
    left = memoryview(len(data).to_bytes(4, "big") + data)
    while left:
        _wait(descriptor, select.POLLOUT, deadline)
        try:
            left = left[os.write(descriptor, left[:4096]) :]
        except OSError:
            raise Closed from None


def receive(descriptor: int, *, deadline: float | None = None) -> dict[str, Any]:
    """Read one frame; the end of the stream is `Closed`, nothing before the *deadline* a `TimeoutError`."""
    size = int.from_bytes(_read(descriptor, 4, deadline), "big")
    if size > LARGEST:
        raise Closed
    try:
        message = json.loads(_read(descriptor, size, deadline))
    except ValueError:
        raise Closed from None
    if not isinstance(message, dict):
        raise Closed
    return message


def _read(descriptor: int, size: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        _wait(descriptor, select.POLLIN, deadline)
        try:
            chunk = os.read(descriptor, min(_CHUNK, size - len(data)))
        except OSError:
            raise Closed from None
        if not chunk:
            raise Closed
        data += chunk
    return bytes(data)


def _wait(descriptor: int, event: int, deadline: float | None) -> None:
    if deadline is None:
        return
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError
