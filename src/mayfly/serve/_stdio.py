"""MCP over standard input and output, and over streamable HTTP: on loopback, or for others with a token."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from mayfly.serve._door import App, Door
from mayfly.serve._socket import address_of, check_token_needed, listen, served_names, uvicorn_server

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from mayfly.serve._server import McpServer

    Received = SessionMessage | Exception

# Bytes that are read at once.
_CHUNK = 1 << 16
# Lines that wait to be taken up; each may be as large as a message may be.
_READ = 4
# Frames that wait to be written: a client that does not read holds up its own calls, and nothing else.
_WAITING = 64
# Seconds for the last frames after the end was asked for; a client that does not read them is left.
_LAST = 2.0


async def serve_stdio(mcp: McpServer) -> None:
    """Serve until the client closes its end, or somebody ends the process."""
    async with anyio.create_task_group() as group:
        group.start_soon(_until_signal, group.cancel_scope)
        async with _frames(mcp.settings.body) as (read, write):
            await mcp.server.run(read, write, mcp.server.create_initialization_options())
        group.cancel_scope.cancel()


async def _until_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
        async for _ in received:
            scope.cancel()


@asynccontextmanager
async def _frames(
    limit: int,
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Received], MemoryObjectSendStream[SessionMessage]]]:
    """Yield the streams of messages; meanwhile descriptor 0 is empty and 1 is stderr, for whoever reads and prints."""
    source, sink = _private(0, os.O_RDONLY), _private(1, None)
    into, read = anyio.create_memory_object_stream["Received"](0)
    write, out = anyio.create_memory_object_stream[SessionMessage](0)
    reader = _Reader(source, limit)
    writer = _Writer(sink, broken=reader.end)
    async with anyio.create_task_group() as group:
        group.start_soon(_receive, reader, into, writer)
        group.start_soon(_send, out, writer)
        try:
            yield read, write
        finally:
            group.cancel_scope.cancel()
            writer.close(_LAST)


def _private(descriptor: int, flags: int | None) -> int:
    """Return a copy of a standard descriptor that nobody else knows, and put /dev/null or stderr in its place."""
    copy = os.dup(descriptor)
    instead = os.dup(2) if flags is None else os.open(os.devnull, flags)
    os.dup2(instead, descriptor)
    os.close(instead)
    return copy


class _Reader:
    """Read lines in a thread of its own: one that waits for input is no reason for the process not to end."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        # Who sends faster than is read waits, as the pipe has it.
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(_READ)
        threading.Thread(target=self._read, name="mayfly-stdin", daemon=True).start()

    async def line(self) -> bytes | None:
        """Return the next line, empty for one that is too long; None at the end."""
        found = await self._lines.get()
        self._room.release()
        return found

    def end(self) -> None:
        """Let nothing more be read: the client is gone, which shows at either end first."""
        self._lines.put_nowait(None)

    def _put(self, line: bytes | None) -> None:
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._read_lines()
            self._put(None)

    def _read_lines(self) -> None:
        parts: list[bytes] = []
        size, long = 0, False
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except OSError:
                return
            if not chunk:
                return
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                size += len(line)
                self._put(b"" if long or size > self._limit else b"".join([*parts, line]) or b" ")
                parts, size, long = [], 0, False
            size += len(rest)
            long = long or size > self._limit
            # What is too long is not kept, however long it goes on.
            parts = [] if long else [*parts, rest]


class _Writer:
    """Write frames in a thread of its own, so that a client which does not read blocks nobody's end."""

    def __init__(self, descriptor: int, *, broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._frames: queue.Queue[bytes | None] = queue.Queue()
        self._room = asyncio.Semaphore(_WAITING)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._write, name="mayfly-stdout", daemon=True)
        self._thread.start()

    async def put(self, frame: str) -> None:
        """Hand a frame over; waits while too many are under way."""
        await self._room.acquire()
        self._frames.put(frame.encode("utf-8", "replace") + b"\n")

    def close(self, seconds: float) -> None:
        """Write what waits, for so long."""
        self._frames.put(None)
        self._thread.join(seconds)

    def _write(self) -> None:
        try:
            while (frame := self._frames.get()) is not None:
                view = memoryview(frame)
                while view:
                    view = view[os.write(self._descriptor, view) :]
                self._soon(self._room.release)
        except OSError:  # nobody reads any more
            self._soon(self._broken)

    def _soon(self, call: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call)


async def _receive(reader: _Reader, into: MemoryObjectSendStream[Received], writer: _Writer) -> None:
    """Hand on messages; what is none is answered, and the next line is read."""
    async with into:
        while (line := await reader.line()) is not None:
            if line.isspace():
                continue
            message = _message(line)
            if isinstance(message, JSONRPCError):
                await writer.put(_dumped(message))
            else:
                await into.send(message)


def _message(line: bytes) -> SessionMessage | JSONRPCError:
    """Read a frame, or say what is wrong with it."""
    if not line:
        return _wrong(INVALID_REQUEST, "the message is larger than this server takes (MAYFLY_MCP_BODY)")
    try:
        # Decoded as the SDK does it: bytes that are no UTF-8 stand for themselves, and the message goes on.
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False))
    except Exception:
        pass
    try:
        decoded = json.loads(line)
    except (ValueError, RecursionError):
        return _wrong(PARSE_ERROR, "this is no JSON")
    asked = decoded.get("id") if isinstance(decoded, dict) else None
    id = asked if isinstance(asked, (str, int)) and not isinstance(asked, bool) else None
    return _wrong(INVALID_REQUEST, "this is no request, notification or response of JSON-RPC 2.0", id)


def _wrong(code: int, message: str, id: str | int | None = None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))


def _dumped(message: Any) -> str:
    try:
        return str(message.model_dump_json(by_alias=True, exclude_unset=True))
    except ValueError:
        # Half of a character, perhaps one that the client sent: escaped it can be carried.
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True))


async def _send(out: MemoryObjectReceiveStream[SessionMessage], writer: _Writer) -> None:
    async with out:
        async for message in out:
            await writer.put(_dumped(message.message))


PATH = "/mcp"
# Seconds that requests have to end in once the server has to; then they are ended.
_GRACE = 2


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """Where to listen, and who is let in."""

    host: str
    port: int
    token: str = ""
    hosts: tuple[str, ...] = ()


async def serve_http(mcp: McpServer, options: HttpOptions, *, ready: Callable[[str], None]) -> None:
    """Serve until somebody ends the process; *ready* is told the address as soon as it can be used."""
    check_token_needed(options.host, options.token)
    with listen(options.host, options.port) as bound:
        server = uvicorn_server(make_app(mcp, options), _GRACE)
        # The socket listens already: who connects now waits a moment for the answer.
        ready(f"{address_of(bound)}{PATH}")
        await server.serve(sockets=[bound])


def make_app(mcp: McpServer, options: HttpOptions) -> App:
    """Return the application behind its door."""
    settings = mcp.settings
    inner = mcp.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.body,
        session_idle_timeout=settings.idle,
        max_sessions=settings.sessions,
        # The door looks at hosts and origins, and at more than the SDK does.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        host=options.host,
    )
    return Door(cast("Any", inner), hosts=served_names(options.host, options.hosts), token=options.token)
