"""A worker: confined before it reads a byte of any job, it runs one, or one source again and again."""

from __future__ import annotations

import _thread
import errno
import io
import json
import os
import resource
import select
import socket
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from . import _job, _nodes, _prefault, _wire

_MANY = 1 << 20
# Milliseconds without a job after which a worker uses its time to copy what it might need.
_IDLE = 5
# How deep in calls a job begins, so that it can go as deep as in a plain interpreter.
_OUR_FRAMES = 12


class OutputFull(OSError):
    """The job printed more than it may."""


class _Output(io.FileIO):
    """Descriptor 1, which the kernel sealed at its full size; remember when it was reached."""

    full = False

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EFBIG):
                raise
            _Output.full = True
            raise OutputFull(_too_much()) from None


def _too_much() -> str:
    return f"the job printed more than {os.fstat(1).st_size} bytes"


class Worker:
    """Made once in the zygote, so that the forked worker finds it ready."""

    def __init__(self, *, files: bool, nodes: int) -> None:
        self.files = files
        self.nodes = nodes
        self.channel: socket.socket
        self.entry: _job.Entry | None = None
        self.nonce = b""
        self.limit = 0
        self.base = 0
        self.reset_output()

    def serve(self, channel: socket.socket, base: int, later: _prefault.Touched) -> NoReturn:
        """Answer requests until the host hangs up or kills us. Untrusted code runs from here on."""
        self.channel, self.base = channel, base
        sys.setrecursionlimit(sys.getrecursionlimit() + _OUR_FRAMES)
        poll = select.poll()
        poll.register(channel, select.POLLIN)
        if not poll.poll(_IDLE):
            _prefault.populate_until(later, lambda: bool(poll.poll(0)))
        while True:
            self.answer()

    def reset_output(self) -> None:
        """Give the job fresh standard streams over descriptors 1 and 2."""
        self.output = io.TextIOWrapper(io.BufferedWriter(_Output(1, "wb", closefd=False)), "utf-8")
        errors = io.TextIOWrapper(
            io.BufferedWriter(_Output(2, "wb", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
        )
        sys.stdout, sys.stderr = self.output, errors
        vars(sys).update(__stdout__=self.output, __stderr__=errors)

    def rehearse(self, request: bytes) -> None:
        """Answer a request of our own, to nobody."""
        self.channel, other = socket.socketpair()
        with self.channel, other:
            other.sendall(request)
            self.answer()
        self.entry = None
        sys.modules.pop(_job.NAME, None)

    def answer(self) -> None:
        """Read one request and reply to it; anything that goes wrong on the way is the reply."""
        request = _wire.Request(*_wire.REQUEST.unpack(self.receive(_wire.REQUEST.size)))
        self.nonce = request.nonce
        body = self.receive(sum(request[-4:]))
        try:
            if request.flags & _wire.AGAIN:
                if sys.stdout is not self.output or self.output.closed:
                    self.reset_output()
                value: object = json.loads(body.decode())
            else:
                lines = self.lines() if request.flags & _wire.LINES else None
                self.load(request, body)
                value = lines if lines is not None else json.loads(body[-request.argument :].decode())
            del body
            self.run(value)
        except MemoryError:
            self.reply(_wire.MEMORY)
        except BaseException as error:
            self.fail(error)

    def load(self, request: _wire.Request, body: bytes) -> None:
        """Lower the limits to what the request asks for; none can be raised again. Then load the source."""
        self.entry, self.limit = None, request.result
        if request.tasks:
            resource.setrlimit(resource.RLIMIT_NPROC, (request.tasks, request.tasks))
        if request.memory:
            ceiling = self.base + request.memory
            resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
        listed = request.entry + request.imports
        name = body[: request.entry].decode() if request.flags & _wire.NAMED else None
        allowed = (
            frozenset(body[request.entry : listed].decode().split("\0")) if request.flags & _wire.GUARDED else None
        )
        self.entry = _job.load(body[listed : listed + request.source].decode("utf-8"), name, allowed, files=self.files)

    def run(self, argument: object) -> None:
        """Call the entry and send what it returns."""
        assert self.entry is not None
        value = _job.finish(self.entry(argument))
        items = _job.stream(value)
        if items is not None:
            for batch in _job.batches(items):
                self.reply(_wire.PART, self.encode(batch))
            value = []
        encoded = self.encode(value)
        self.output.flush()
        if _Output.full:
            raise OutputFull(_too_much())
        if _thread._count():
            self.reply(_wire.OK, encoded, b"threads")
        else:
            self.reply(_wire.OK, encoded)

    def encode(self, value: object) -> bytes:
        """Write a result as JSON and hold it to its size."""
        encoded = _job.encode(value)
        if len(encoded) > self.limit:
            raise _job.BadJob(f"the result is {len(encoded)} bytes as JSON; the limit is {self.limit}")
        if len(encoded) > self.nodes and _nodes.count(encoded, self.nodes) > self.nodes:
            raise _job.BadJob(f"the result holds more than {self.nodes} values, keys included")
        return encoded

    def fail(self, error: BaseException) -> None:
        """Send the error; what the job left in the buffers goes out first."""
        message, trace = _job.describe(error)
        del error
        try:
            self.output.flush()
        except BaseException:
            pass
        if _Output.full:
            message = _too_much()
        self.reply(
            _wire.ERROR,
            b"",
            message[: _wire.ERROR_SIZE].encode("utf-8", "backslashreplace"),
            trace[: _wire.TRACEBACK_SIZE].encode("utf-8", "backslashreplace"),
        )

    def reply(self, kind: bytes, value: bytes = b"", error: bytes = b"", trace: bytes = b"") -> None:
        """Send one frame."""
        header = _wire.REPLY.pack(self.nonce, kind, len(value), len(error), len(trace))
        self.channel.sendall(b"".join((header, value, error, trace)))

    def receive(self, size: int) -> bytes:
        """Read exactly *size* bytes, or end: without a host there is nothing to do."""
        data = self.channel.recv(size)
        if len(data) == size:
            return data
        parts = bytearray(data)
        while len(parts) < size:
            more = self.channel.recv(min(size - len(parts), _MANY))
            if not more:
                os._exit(0)
            parts += more
        return bytes(parts)

    def lines(self) -> Iterator[str]:
        """Take the descriptor that comes with the request and read its lines."""
        _, descriptors, _, _ = socket.recv_fds(self.channel, 1, 1)
        with open(descriptors[0], encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                yield line.removesuffix("\n").removesuffix("\r")
