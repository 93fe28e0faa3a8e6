"""The file whose lines are a job's argument: the host reads it and hands in bytes, never the file."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import stat
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

from mayfly.core import InputError

# More than a socket takes at once (208 KiB by default), so that one read fills it.
_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_regular(path: str | Path, done: str = "lines are read") -> int:
    """Open a regular file for reading; an `InputError` names whatever else it is. Never waits for anybody.

    Links are followed: the path is the caller's, who could have named the file they lead to. It is looked at before it
    is opened, since opening a device can set it going, and again afterwards, since it may be another file by then.
    """
    try:
        _demand_regular(path, os.stat(path), done)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        _demand_regular(path, os.fstat(descriptor), done)
    except InputError:
        os.close(descriptor)
        raise
    return descriptor


def _demand_regular(path: str | Path, status: os.stat_result, done: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise InputError(f"{path} is {kind}; {done} from regular files only")


def _unpacked(file: io.FileIO) -> io.RawIOBase | io.BufferedIOBase:
    """Return what reads the text of a file, which may be packed with gzip."""
    with contextlib.suppress(OSError):  # what cannot be read is told when it is
        if os.pread(file.fileno(), len(_GZIP), 0) == _GZIP:
            import gzip  # which few need

            return gzip.GzipFile(fileobj=file)
    return file


class LineFeed:
    """A regular file, and the socket through which a job reads it while a thread of ours fills it.

    A job that held the file could lock it, date it, map it, or change its mode; a socket that only receives has none
    of that. It takes little more than its job has read, so nothing is read that nobody asks for.
    """

    def __init__(self, path: str | Path, fail: Callable[[], None]) -> None:
        """Begin with *path*; *fail* ends the job where the file cannot be read to its end."""
        self._path = path
        self._file = io.FileIO(open_regular(path))
        self._text = _unpacked(self._file)
        self._ours, self.theirs = socket.socketpair()
        # Nothing comes back this way: the job's end cannot send.
        self._ours.shutdown(socket.SHUT_RD)
        self.error: InputError | None = None
        threading.Thread(target=self._fill, args=(fail,), name="mayfly-lines", daemon=True).start()

    def _fill(self, fail: Callable[[], None]) -> None:
        with self._file, self._ours, contextlib.suppress(OSError):  # the job has gone
            while data := self._read(fail):
                self._ours.sendall(data)
            if self.error is None:
                # Closing would do but for processes that were forked meanwhile and hold this end too.
                self._ours.shutdown(socket.SHUT_WR)

    def _read(self, fail: Callable[[], None]) -> bytes:
        try:
            return self._text.read(_CHUNK)
        except (OSError, EOFError, zlib.error) as error:
            # Not an end of file: a job that took it for one would answer for half of the lines.
            self.error = InputError(f"{self._path}: {getattr(error, 'strerror', None) or error}")
            fail()
            return b""

    def abandon(self) -> None:
        """In a forked child: let go of the descriptors, and leave the connection as it is."""
        for one in (self._ours, self.theirs, self._file):
            one.close()
