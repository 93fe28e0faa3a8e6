"""Locks on bytes of files that the kernel takes back when the file is closed, and that can be looked at untaken."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from contextlib import suppress
from pathlib import Path

# struct flock of 64-bit Linux: type, whence, start, length, pid (which must be 0), and padding to a whole word.
_FLOCK = struct.Struct("hhqqi0q")
# How long those in the queue sleep between two looks, in seconds. The first in line looks often, since a commit takes
# about a millisecond; chance keeps the others from looking in step.
_FIRST, _OTHERS = (0.0002, 0.0005), (0.0005, 0.002)
# The two places of a queue, as bytes of its file: who is next, and who has the turn.
_NEXT, _TURN = 0, 1


def try_lock(file: int, byte: int = 0) -> bool:
    """Lock one byte of an open file for that opening of it; whether nobody else had it."""
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK, byte))
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock(file: int, byte: int = 0) -> None:
    """Give a byte back."""
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_UNLCK, byte))


def is_locked(file: int, byte: int = 0) -> bool:
    """Whether another opening of the file has a byte locked; this takes no lock, so it is in nobody's way."""
    found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _request(fcntl.F_RDLCK, byte))
    return bool(_FLOCK.unpack(found)[0] != fcntl.F_UNLCK)


def _request(kind: int, byte: int) -> bytes:
    return _FLOCK.pack(kind, os.SEEK_SET, byte, 1, 0)


class WriteQueue:
    """Let the writers of one file in by turns, across processes.

    SQLite's own waiting sleeps longer the longer it has waited, so newcomers overtake whoever has waited longest. Here
    whoever had the turn has to become next first, and the one that is next keeps that place until it has the turn.
    Nothing but fairness rests on it: where the file cannot be opened, everybody goes in at once and SQLite decides.
    """

    def __init__(self, path: Path, *, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._file: int | None = None

    def enter(self) -> bool:
        """Wait for the turn; False where it did not come in time."""
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            return self._queue(self._file, time.monotonic() + self._wait)
        return True

    def _queue(self, file: int, until: float) -> bool:
        if not _take(file, _NEXT, _OTHERS, until):
            return False
        try:
            return _take(file, _TURN, _FIRST, until)
        finally:
            unlock(file, _NEXT)

    def leave(self) -> None:
        """Let the next one in."""
        if self._file is not None:
            with suppress(OSError):
                unlock(self._file, _TURN)

    def close(self) -> None:
        """Close the file; nobody may be inside."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)


def _take(file: int, byte: int, pause: tuple[float, float], until: float) -> bool:
    while not try_lock(file, byte):
        if time.monotonic() > until:
            return False
        import random

        time.sleep(random.uniform(*pause))
    return True
