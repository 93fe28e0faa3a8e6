"""The file whose lines are a job's argument: the host reads it and hands in bytes, never the file."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from mayfly.core import InputError

# More than a socket takes at once (208 KiB by default), so that one read fills it.
_CHUNK = 1 << 18
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_regular(path: str | Path) -> int:
    """Open a regular file for reading; an `InputError` names whatever else it is. Never waits for anybody.

    Links are followed: the path is the caller's, who could have named the file they lead to. It is looked at before it
    is opened, since opening a device can set it going, and again afterwards, since it may be another file by then.
    """
    try:
        _demand_regular(path, os.stat(path))
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        _demand_regular(path, os.fstat(descriptor))
    except InputError:
        os.close(descriptor)
        raise
    return descriptor


def _demand_regular(path: str | Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise InputError(f"{path} is {kind}; lines are read from regular files only")


class LineFeed:
    """A regular file and the socket through which a job reads it.

    A job that held the file could lock it, date it, map it, or change its mode; a socket that only receives has none
    of that. It is fed while the host waits for the job's answer, so nothing is read that nobody asks for.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._file = open_regular(path)
        self._ours, self.theirs = socket.socketpair()
        # Nothing comes back this way: the job's end cannot send.
        self._ours.shutdown(socket.SHUT_RD)
        self._rest = memoryview(b"")
        self.open = True

    def fileno(self) -> int:
        """Return the host's end, to be polled for room."""
        return self._ours.fileno()

    def push(self) -> None:
        """Hand in as much as there is room for; `open` is False when all is in, or the job has gone."""
        while self.open:
            try:
                self._rest = self._rest or memoryview(os.read(self._file, _CHUNK))
            except OSError as error:
                # Not an end of file: a job that took it for one would answer for half of the lines.
                raise InputError(f"{self._path}: {error.strerror}") from None
            try:
                sent = self._ours.send(self._rest, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT) if self._rest else 0
            except BlockingIOError:
                return
            except OSError:
                sent = 0
            if not sent:
                self.close()
            self._rest = self._rest[sent:]

    def close(self) -> None:
        """Say that there is no more, and let go of the file."""
        if self.open:
            self.open = False
            # Closing would do but for processes that were forked meanwhile and hold this end too.
            self._ours.shutdown(socket.SHUT_WR)
            self.abandon()

    def abandon(self) -> None:
        """Let go of the descriptors, and leave the connection as it is."""
        self.open = False
        self._ours.close()
        self.theirs.close()
        os.close(self._file)
