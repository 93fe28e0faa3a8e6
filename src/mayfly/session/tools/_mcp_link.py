"""The line to one MCP server: made when it is needed, given up when it breaks, made again for the next call.

The SDK works on an event loop and wants a connection closed by the task that opened it; sessions call from any thread.
So there is one loop in a thread of its own, and for each server one task that holds the connection.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mayfly.core import LimitError, MachineError, MayflyError, Stop, one_line, without_secrets
from mayfly.session.tools._mcp_servers import McpServerConfig

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx2
    from mcp import Client
    from mcp.types import CallToolResult, Tool

T = TypeVar("T")
# Variables that the SDK hands to every program; the configuration has to name them like any other.
_HANDED_ON = ("LOGNAME", "SHELL", "TERM", "USER")
# Of what a program says to its standard error, the end is told when it does not start.
_TAIL = 2000
_SHORTEST_SECRET = 8
# Bytes that a server over HTTP may send for one request before the line is given up.
_LARGEST = 32 * 1024 * 1024
# A list of tools in more pages than this has no end.
_PAGES = 50
# How long closing may take: the SDK gives a program two seconds twice before it kills it.
_CLOSING = 8.0


def load_sdk() -> None:
    """Import the SDK, which takes a second or two, before anybody waits for a server; or say how to get it."""
    try:
        import mcp.client.streamable_http  # noqa: F401 -- for what comes with it
    except ImportError as error:
        fix = "pip install 'mayfly-agents[mcp]'"
        raise MachineError(f"MCP servers need the package mcp ({error})", fix=fix) from None
    # The SDK logs what servers do wrong, and without a handler that would go to the person's terminal.
    log = logging.getLogger("mcp")
    if not any(isinstance(handler, logging.NullHandler) for handler in log.handlers):
        log.addHandler(logging.NullHandler())


class Lost(MayflyError):
    """The line to a server broke; what was sent may have been done or not."""

    code = "MCP_LOST"


class Listed(NamedTuple):
    """The tools of a server, and whether there were more than are taken."""

    tools: list[Tool]
    more: bool


class LinkLoop:
    """An event loop in a thread of its own, started when first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T], *, seconds: float, what: str, stop: Stop | None = None) -> T:
        """Do *work* on the loop and return what it gives; it is cancelled after *seconds*, or when *stop* is said."""
        future = asyncio.run_coroutine_threadsafe(work, self._started())
        with (stop or Stop()).ending(future.cancel):
            try:
                return future.result(seconds)
            except TimeoutError:
                if not future.done():
                    future.cancel()
                raise LimitError(f"seconds of {what}", used=seconds, limit=seconds) from None
            except (CancelledError, asyncio.CancelledError):
                raise MayflyError(f"{what} was stopped") from None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=loop.run_forever, name="mcp", daemon=True)
                self._thread.start()
            return self._loop

    def close(self) -> None:
        """End the loop and its thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


class McpLink:
    """One server. Its methods run on the loop, and are called from several tasks at once."""

    def __init__(self, server: McpServerConfig, *, directory: str, connecting: float = 30.0) -> None:
        self.server = server
        self._directory = directory
        self._connecting = connecting
        self._holder: asyncio.Task[None] | None = None
        self._client: asyncio.Future[Client] | None = None
        self._enough: asyncio.Event | None = None
        self._stderr: _Tail | None = None
        self._endings: set[asyncio.Task[None]] = set()

    async def list_tools(self, most: int, *, seconds: float) -> Listed:
        """Return at most *most* tools, page by page, each within *seconds*."""
        client = await self._connected()
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            here = cursor
            page = await self._asked(lambda: client.list_tools(cursor=here), seconds)  # noqa: B023 -- awaited at once
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or len(tools) > most:
                break
        return Listed(tools[:most], len(tools) > most or cursor is not None)

    async def call(self, tool: str, arguments: dict[str, Any], *, again: bool, seconds: float) -> CallToolResult:
        """Call a tool. With *again* a call that was lost is made once more; else the line is tried out beforehand."""
        if not again and self._client is not None:
            try:
                client = await self._connected()
                await self._asked(lambda: client.list_tools(cache_mode="refresh"), min(seconds, self._connecting))
            except MayflyError:
                self.give_up()
        try:
            return await self._called(tool, arguments, seconds)
        except Lost:
            if not again:
                raise
        return await self._called(tool, arguments, seconds)

    async def _called(self, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        client = await self._connected()
        return await self._asked(lambda: client.call_tool(tool, arguments), seconds)

    async def _asked(self, ask: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Ask the server; what it says itself is told, and anything else gives the line up."""
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(seconds):
                return await ask()
        except TimeoutError:
            self.give_up()
            raise LimitError(f"seconds of {self.server.name}", used=seconds, limit=seconds) from None
        except MCPError as error:
            if error.code != CONNECTION_CLOSED:
                raise MayflyError(f"{self.server.name}: {one_line(str(error), limit=500)}") from None
            self.give_up()
            raise Lost(f"{self.server.name} went away{self._last_words()}") from None
        except Exception as error:
            # The SDK, its transport and the validation of what came each have errors of their own.
            self.give_up()
            raise Lost(f"{self.server.name}: {type(error).__name__}: {one_line(str(error), limit=300)}") from None

    async def _connected(self) -> Client:
        if self._client is None:
            loop = asyncio.get_running_loop()
            self._client, self._enough = loop.create_future(), asyncio.Event()
            self._holder = loop.create_task(self._hold(self._client, self._enough))
        client = self._client
        try:
            # Shielded: who gives up waiting does not take the connection from others who wait.
            return await asyncio.wait_for(asyncio.shield(client), self._connecting)
        except TimeoutError:
            self.give_up()
            kind = f"seconds of connecting to {self.server.name}"
            raise LimitError(kind, used=self._connecting, limit=self._connecting) from None

    async def _hold(self, ready: asyncio.Future[Client], enough: asyncio.Event) -> None:
        """Connect, and hold the connection until that is enough."""
        try:
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(await self._opened(stack))
                if not ready.done():
                    ready.set_result(client)
                await enough.wait()
        except asyncio.CancelledError:
            if not ready.done():
                ready.set_exception(Lost(f"{self.server.name} was given up"))
        except BaseException as error:
            if self._client is ready:
                self._client = None
            if not ready.done():
                ready.set_exception(self._not_connected(error))
        if ready.done() and not ready.cancelled():
            ready.exception()  # seen, also where nobody waits any more

    def _not_connected(self, error: BaseException) -> MayflyError:
        if isinstance(error, MayflyError):
            return error
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        said = one_line(str(error), limit=300) or type(error).__name__
        return MachineError(f"no connection to the MCP server {self.server.name}: {said}{self._last_words()}")

    def _last_words(self) -> str:
        # A program may print the key it was given; shorter values stand in texts for other reasons.
        given = [value for value in self.server.environment.values() if len(value) >= _SHORTEST_SECRET]
        said = without_secrets(self._stderr.text(), given) if self._stderr is not None else ""
        return f"; it said: {one_line(said[-300:], limit=300)}" if said.strip() else ""

    async def _opened(self, stack: AsyncExitStack) -> Client:
        from mcp import Client, StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client

        if self.server.url:
            web = await stack.enter_async_context(_web_client(self.server))
            return Client(streamable_http_client(self.server.url, http_client=web), cache=None)
        named = self.server.environment
        unset = [word for name in _HANDED_ON if name not in named for word in ("-u", name)]
        self._stderr = stack.enter_context(_Tail())
        parameters = StdioServerParameters(
            command="/usr/bin/env",
            args=[*unset, "--", self.server.command, *self.server.arguments],
            env=dict(named),
            cwd=self.server.directory or self._directory,
            encoding_error_handler="replace",
        )
        return Client(stdio_client(parameters, errlog=self._stderr.file), cache=None)

    def give_up(self) -> None:
        """Leave the connection, which is ended in the background; the next call makes a new one."""
        holder, client, enough = self._holder, self._client, self._enough
        self._holder = self._client = self._enough = None
        if holder is not None and enough is not None:
            enough.set()
            if client is None or not client.done():
                holder.cancel()  # it is still connecting, and does not look
            ending = asyncio.get_running_loop().create_task(_end(holder))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def close(self) -> None:
        """End the connection and wait until its program is gone."""
        self.give_up()
        if self._endings:
            await asyncio.wait(set(self._endings))


async def _end(holder: asyncio.Task[None]) -> None:
    await asyncio.wait([holder], timeout=_CLOSING)
    if not holder.done():
        holder.cancel()
        await asyncio.wait([holder], timeout=_CLOSING)


def _web_client(server: McpServerConfig) -> httpx2.AsyncClient:
    import httpx2

    class Bounded(httpx2.AsyncHTTPTransport):
        """Give up an answer that does not end."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Counted(response.stream)
            return response

    class _Counted(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = _LARGEST
            async for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise httpx2.ReadError(f"the answer has more than {_LARGEST:,} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return httpx2.AsyncClient(
        headers=dict(server.headers),
        # The time of a call is held by who calls; this is for a line that is silent for good.
        timeout=httpx2.Timeout(30.0, read=600.0),
        trust_env=False,
        transport=Bounded(),
    )


class _Tail:
    """Keep the end of what a program writes to its standard error, however much that is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = b""

    def __enter__(self) -> _Tail:
        self._read, write = os.pipe()
        self.file = os.fdopen(write, "w")
        self._thread = threading.Thread(target=self._follow, args=(self._read,), name="mcp-stderr", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        # It ends when the last process that has the pipe is gone; one that lingers must not be waited for.
        self._thread.join(0.5)

    def _follow(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while part := pipe.read(65536):
                with self._lock:
                    self._kept = (self._kept + part)[-_TAIL:]

    def text(self) -> str:
        """Return what is kept."""
        with self._lock:
            return self._kept.decode("utf-8", "replace")
