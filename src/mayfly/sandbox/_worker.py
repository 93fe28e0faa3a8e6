"""The host's end of one worker: send a request, read frames with every length checked, kill it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from typing import TYPE_CHECKING, NamedTuple

from mayfly.sandbox._lines import LineFeed
from mayfly.sandbox._member import Member
from mayfly.sandbox._purchases import Till
from mayfly.sandbox.jail import _wire

if TYPE_CHECKING:
    from mayfly.sandbox._scratch import Scratch

# Bytes that are read at once, if no more are known to come: most answers fit, and room for more costs each of them.
_CHUNK = 1 << 13
_KINDS = frozenset((_wire.OK, _wire.ERROR, _wire.MEMORY, _wire.PART, _wire.MORE, _wire.PROGRESS))


class Reply(NamedTuple):
    """One frame from a worker."""

    kind: bytes
    value: bytes
    error: str
    trace: str


class WorkerGone(Exception):
    """The channel closed without an answer, or broke its protocol.

    *unread* says that it was closed before all of the request was read.
    """

    def __init__(self, message: str, *, unread: bool = False) -> None:
        super().__init__(message)
        self.unread = unread


class WorkerLate(Exception):
    """The deadline passed."""


class Worker:
    """Hold the descriptors of a worker: its process, its channel, and its output to be read and as it writes it."""

    def __init__(self, number: int, process: int, channel: socket.socket, output: int, written: int) -> None:
        self.number = number
        self.process = process
        self.channel = channel
        self.output = output
        self.written = written
        self.feed: LineFeed | None = None
        self.nonce = b""
        self._pending = bytearray()
        self._poll = select.poll()
        self._awaited = 0
        self.member: Member | None = None
        # Where its job may buy something; who shuts the door of the worker closes it.
        self.till: Till | None = None
        # Where a job about data may write.
        self.scratch: Scratch | None = None
        channel.setblocking(False)

    def send(self, request: bytes, deadline: float) -> None:
        """Send a request that was made with `next_nonce`, and the beginning of the lines that go with it."""
        try:
            sent = self.channel.send(request)
            while sent < len(request):
                self._wait(deadline, select.POLLOUT)
                sent += self.channel.send(memoryview(request)[sent:])
            if self.feed is not None:
                self._wait(deadline, select.POLLOUT)
                socket.send_fds(self.channel, [b"L"], [self.feed.theirs.fileno()])
                self.feed.theirs.close()
        except OSError as error:
            raise WorkerGone(f"the worker hung up: {error.strerror}") from None

    def next_nonce(self) -> bytes:
        """Return a fresh nonce; replies must repeat it."""
        self.nonce = os.urandom(_wire.NONCE)
        return self.nonce

    def reply(self, deadline: float, limit: int) -> Reply:
        """Read one frame; bytes that do not fit the protocol end the worker's life."""
        if not self._pending:
            data = self._receive(deadline, 0)
            if (reply := self._read_whole(data, limit)) is not None:
                return reply
            self._pending += data
        buffer = self._pending
        need = size = _wire.REPLY.size
        value = error = trace = 0
        kind = b""
        while True:
            if not kind and len(buffer) >= size:
                nonce, kind, value, error, trace = _wire.REPLY.unpack_from(buffer)
                self._check(nonce, kind, value, error, trace, limit)
                need = size + value + error + trace
            if kind and len(buffer) >= need:
                break
            buffer += self._receive(deadline, need - len(buffer))
        frame = bytes(buffer[:need])
        del buffer[:need]
        middle = size + value
        return Reply(
            kind,
            frame[size:middle],
            frame[middle : middle + error].decode("utf-8", "replace"),
            frame[middle + error :].decode("utf-8", "replace"),
        )

    def _read_whole(self, data: bytes, limit: int) -> Reply | None:
        """Return the answer that *data* is, as nearly all are; None if it is something else, more of it or less."""
        size = _wire.REPLY.size
        if len(data) < size:
            return None
        nonce, kind, value, error, trace = _wire.REPLY.unpack_from(data)
        if kind != _wire.OK or error or trace or len(data) != size + value:
            return None
        self._check(nonce, kind, value, error, trace, limit)
        return Reply(kind, data[size:], "", "")

    def _check(self, nonce: bytes, kind: bytes, value: int, error: int, trace: int, limit: int) -> None:
        known = nonce == self.nonce and kind in _KINDS
        broken = kind == _wire.BROKEN and not any(nonce)
        if not known and not broken:
            raise WorkerGone("something that is not an answer was written to the channel")
        if value > limit or error > 4 * _wire.ERROR_SIZE or trace > 4 * _wire.TRACEBACK_SIZE:
            raise WorkerGone(f"result: {value} bytes are over the limit of {limit}")

    def _receive(self, deadline: float, wanted: int) -> bytes:
        self._wait(deadline, select.POLLIN)
        unread = False
        try:
            data = self.channel.recv(max(wanted, _CHUNK))
        except ConnectionResetError:
            # The kernel says so first, and once, of a channel at whose other end something was not read.
            unread = True
            data = self.channel.recv(max(wanted, _CHUNK))
        except OSError as error:
            raise WorkerGone(f"the channel broke: {error.strerror}") from None
        if not data:
            raise WorkerGone("", unread=unread)
        return data

    def _wait(self, deadline: float, event: int) -> None:
        """Sleep until the channel is ready for *event*, or the deadline has come."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerLate
            if event != self._awaited:
                self._poll.register(self.channel, event)
                self._awaited = event
            if self._poll.poll(left * 1000 + 1):
                return

    def printed(self) -> str:
        """Return what the job printed, and forget it."""
        size = os.lseek(self.written, 0, os.SEEK_CUR)
        if not size:
            return ""
        # The job can move the position anywhere, but the kernel holds the file to its size.
        text = os.pread(self.output, min(size, os.fstat(self.output).st_size), 0).decode("utf-8", "replace")
        os.lseek(self.written, 0, os.SEEK_SET)
        return text

    def kill(self) -> None:
        """End the process, whatever it does; it buys nothing any more."""
        if self.till is not None:
            self.till.end()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process and let go of it."""
        self.kill()
        if self.feed is not None:
            self.feed.theirs.close()
        if self.member is not None:
            self.member.leave()
        if self.scratch is not None:
            self.scratch.remove(self.process)
        self._let_go()

    def abandon(self) -> None:
        """In a forked child: let go of a worker that belongs to the parent."""
        if self.feed is not None:
            self.feed.abandon()
        self._let_go()

    def _let_go(self) -> None:
        self.channel.close()
        for descriptor in (self.process, self.output, self.written):
            os.close(descriptor)
