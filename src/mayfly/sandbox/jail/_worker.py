"""A worker: confined before it reads a byte of any job, it runs one, or one source again and again."""

from __future__ import annotations

import _socket
import _thread
import errno
import io
import json
import os
import resource
import select
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn, cast

from . import _job, _nodes, _prefault, _wire

_MANY = 1 << 20
# Bytes that hold most arguments; room for more would cost every call.
_ONE_READ = 1 << 13
# Milliseconds without a job after which a worker uses its time to copy what it might need: under load the next job
# comes sooner, and what it does not need is not copied.
_IDLE = 50
_TRIVIAL = "def run(argument): return argument"
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
        self.channel: _socket.socket
        self.poll = select.poll()
        self.entry: _job.Entry | None = None
        self.nonce = b""
        self.limit = 1 << 20
        self.base = 0
        # What a job about data gets as its argument: the names of its files.
        self.data: str | list[str] = []
        self.memory_errors: tuple[type[BaseException], ...] = (MemoryError,)
        # Tells, while the entry runs, how far a query is.
        self.watch: Callable[[Callable[[bytes], None]], AbstractContextManager[None]] = lambda tell: nullcontext()
        self.reset_output()

    def open(self, channel: int) -> None:
        """In the zygote, with a socket there: every worker finds one of its own behind this number."""
        self.channel = _socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, channel)
        self.poll.register(channel, select.POLLIN)

    def serve(self, base: int, later: _prefault.Touched) -> NoReturn:
        """Answer requests until the host hangs up or kills us. Untrusted code runs from here on."""
        self.base = base
        sys.setrecursionlimit(sys.getrecursionlimit() + _OUR_FRAMES)
        if not self.poll.poll(_IDLE):
            _prefault.populate_until(later, lambda: bool(self.poll.poll(0)))
            self.walk_through()
        while True:
            self.answer()

    def walk_through(self) -> None:
        """Go the way of a job once, with one of our own and to nobody: the next one finds it trodden."""
        entry = _job.load(_TRIVIAL, "run", None)
        self.encode(_job.finish(entry(json.loads("{}"))))
        sys.modules.pop(_job.NAME, None)

    def reset_output(self) -> None:
        """Give the job fresh standard streams over descriptors 1 and 2."""
        self.output = io.TextIOWrapper(io.BufferedWriter(_Output(1, "wb", closefd=False)), "utf-8")
        errors = io.TextIOWrapper(
            io.BufferedWriter(_Output(2, "wb", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
        )
        sys.stdout, sys.stderr = self.output, errors
        vars(sys).update(__stdout__=self.output, __stderr__=errors)

    def rehearse(self) -> None:
        """Answer a request of our own that waits in the channel, and forget it."""
        self.answer()
        self.entry = None
        sys.modules.pop(_job.NAME, None)

    def answer(self) -> None:
        """Read one request and reply to it; anything that goes wrong on the way is the reply."""
        request, body = self.read_again() if self.entry is not None else self.read()
        self.nonce = request.nonce
        try:
            if request.flags & _wire.AGAIN:
                if sys.stdout is not self.output or self.output.closed:
                    self.reset_output()
                value: object = json.loads(body.decode())
            else:
                lines = self.lines() if request.flags & _wire.LINES else None
                self.load(request, body)
                value = lines if lines is not None else json.loads(body[-request.argument :].decode())
                value = self.data if request.flags & _wire.DATA else value
            del body
            self.run(value, watched=bool(request.flags & _wire.WATCHED))
        except self.memory_errors:
            self.reply(_wire.MEMORY)
        except BaseException as error:
            self.fail(error)

    def read(self) -> tuple[_wire.Request, bytes]:
        """Read a request and nothing behind it: a descriptor may follow, which must be asked for."""
        request = _wire.Request(*_wire.REQUEST.unpack(self.receive(_wire.REQUEST.size)))
        return request, self.receive(sum(request[-4:]))

    def read_again(self) -> tuple[_wire.Request, bytes]:
        """Read a request that calls what is loaded: nothing can follow it, so all there is can be taken at once."""
        data = self.channel.recv(_ONE_READ)
        size = _wire.REQUEST.size
        if len(data) < size:
            data += self.receive(size - len(data)) if data else os._exit(0)
        request = _wire.Request(*_wire.REQUEST.unpack_from(data))
        missing = size + sum(request[-4:]) - len(data)
        return request, data[size:] + self.receive(missing) if missing > 0 else data[size:]

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

    def run(self, argument: object, *, watched: bool = False) -> None:
        """Call the entry and send what it returns."""
        assert self.entry is not None
        with self.watch(lambda part: self.reply(_wire.PROGRESS, part)) if watched else nullcontext():
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

    def give_up(self) -> NoReturn:
        """End, and have the host run the job where all modules are."""
        self.reply(_wire.MORE)
        os._exit(0)

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
        _, descriptors, _, _ = socket.recv_fds(cast("socket.socket", self.channel), 1, 1)
        with open(descriptors[0], encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                yield line.removesuffix("\n").removesuffix("\r")
