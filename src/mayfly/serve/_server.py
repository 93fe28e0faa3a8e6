"""`McpServer`: what is served over MCP, whatever the transport: tools, resources, and word of what changed."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextResourceContents,
)

from mayfly import __version__
from mayfly.core import MayflyError, mismatch, one_line
from mayfly.serve._asking import Asking, call_failed
from mayfly.serve._listing import Resources, ToolListing, is_record, library_name, own_tools
from mayfly.serve._making import Making
from mayfly.serve._reply import Errand, Errands, ToolReply, failed, value_text

if TYPE_CHECKING:
    from mcp.server import InitializationOptions, ServerRequestContext

    from mayfly.runtime import Runtime

    Context = ServerRequestContext[Any, Any]
    from mcp.server import ServerRequestContext
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import SubscriptionBus


Handler = Callable[[Mapping[str, Any], Errand], ToolReply]
log = logging.getLogger("mayfly.mcp")
T = TypeVar("T")


class _Server(Server[Any]):
    """The SDK's server, which says of itself that its lists change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what a client is told when it connects; over HTTP the SDK asks for it without options."""
        told = notification_options or NotificationOptions(tools_changed=True, resources_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


class McpServer:
    """Serve one runtime; `server` is what transports run."""

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings.mcp
        self._runtime = runtime
        self.settings = settings
        self._errands = Errands(settings.calls)
        self._listing = ToolListing(runtime.tools, settings)
        self._resources = Resources(runtime, self._listing)
        self._asking = Asking(runtime)
        making = Making(runtime)
        bus = InMemorySubscriptionBus()
        self._changes = LibraryFollower(runtime, bus, forget=self._listing.forget)
        self._handlers: dict[str, Handler] = {
            name: getattr(making if hasattr(making, name) else self._asking, name) for name in own_tools()
        }
        self.server = _Server(
            "mayfly",
            version=__version__,
            title="Mayfly",
            instructions=(Path(__file__).parent / "instructions.txt").read_text(encoding="utf-8").strip(),
            lifespan=self._lifespan,
            # No schema of ours asks for a header, so that the SDK need not walk the list for every call.
            get_tool_input_schema=lambda name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscriptions_listen=ListenHandler(bus, max_subscriptions=settings.sessions),
        )
        self.server.add_notification_handler("notifications/initialized", NotificationParams, self._changes.greet)

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        async with self._changes.told():
            yield {}

    async def _list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        tools, cursor = await _asked(partial(self._listing.page, params.cursor if params else None))
        return ListToolsResult(tools=tools, next_cursor=cursor)

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        reply = await self._errands.do(context, partial(self._called, params.name, params.arguments or {}))
        return reply.to_result()

    def _called(self, name: str, arguments: Mapping[str, Any], errand: Errand) -> ToolReply:
        handler = self._handlers.get(name)
        if handler is None:
            return self._library_tool(library_name(name), arguments, errand)
        own = own_tools()[name]
        wrong = mismatch(arguments, own.input_schema)
        if wrong:
            takes = ", ".join(own.input_schema.get("required") or own.input_schema["properties"])
            return failed(f"{name}: {wrong}", f"it takes {takes}; its input schema says more")
        reply = handler(arguments, errand)
        if not own.annotations or not own.annotations.read_only_hint:
            # Whoever made a tool sees it in the next list, however soon that is asked for.
            self._listing.forget()
        return reply

    def _library_tool(self, name: str, arguments: Mapping[str, Any], errand: Errand) -> ToolReply:
        outcome = self._asking.called(name, arguments, errand)
        if not outcome.ok:
            return call_failed(outcome)
        value = outcome.value
        # As its schema was wrapped in the list, so is its value.
        capability = self._runtime.tools.capability(name, outcome.version)
        plain = capability is not None and is_record(capability.output_schema or {}) and isinstance(value, Mapping)
        return ToolReply(text=value_text(value), data=dict(value) if plain else {"result": value})  # type: ignore[call-overload]

    async def _list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=await _asked(self._resources.all))

    async def _list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=self._resources.templates())

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        found = await _asked(partial(self._resources.read, uri))
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=found.kind, text=found.text)])


async def _asked(work: Callable[[], T]) -> T:
    """Do something short in a thread; what goes wrong is told in one line, without its insides."""
    try:
        return await anyio.to_thread.run_sync(work)
    except MayflyError as error:
        raise MCPError(INVALID_PARAMS, one_line(str(error), limit=500)) from None
    except Exception as error:
        log.exception("a request failed")
        raise MCPError(INTERNAL_ERROR, f"unexpected {type(error).__name__}") from None


# Seconds in which changes are gathered into one notification: fifty tools that are written together are one change of
# the list, and with the store's own tenth it stays far below a second.
_GATHER = 0.2
# Seconds that a client which does not read may hold up its own notification.
_PATIENCE = 1.0
# Seconds before a store that could not be reached is followed again.
_AGAIN = 1.0


class LibraryFollower:
    """Follow the library and tell clients: those that subscribed by the bus, those of earlier revisions directly."""

    def __init__(self, runtime: Runtime, bus: SubscriptionBus, *, forget: Callable[[], None]) -> None:
        self._runtime = runtime
        self._bus = bus
        self._forget = forget
        self._sessions: set[ServerSession] = set()
        # Read before anything is listed, so that no change falls between the list and the following.
        self._after = runtime.ledger.before_last(0)

    async def greet(self, context: ServerRequestContext[Any, Any], _: object) -> None:
        """Note a client of a revision in which servers say by themselves what changed, until it leaves."""
        session = context.session
        # The SDK hands out the connection's own list of what to do when it ends nowhere else.
        connection = getattr(session, "_connection", None)
        if connection is None:
            return
        self._sessions.add(session)
        connection.exit_stack.callback(self._sessions.discard, session)

    @asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Tell of changes while the body runs."""
        stop, changed = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def notice() -> None:
            self._forget()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(changed.set)

        # A daemon, since a store that hangs is no reason for a server not to end.
        thread = threading.Thread(target=self._follow, args=(stop, notice), name="mayfly-changes", daemon=True)
        thread.start()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._announce, changed)
                yield
                group.cancel_scope.cancel()
        finally:
            stop.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(thread.join, _PATIENCE)

    def _follow(self, stop: threading.Event, notice: Callable[[], None]) -> None:
        while not stop.is_set():
            try:
                for change in self._runtime.tools.changes(after=self._after, stop=stop):
                    self._after = change.event
                    notice()
            except Exception as error:  # the store may be gone for a while; clients go on by find_tool and call_tool
                log.warning("the library cannot be followed: %s", type(error).__name__)
                stop.wait(_AGAIN)

    async def _announce(self, changed: asyncio.Event) -> None:
        while await changed.wait():
            await anyio.sleep(_GATHER)
            changed.clear()
            await self._bus.publish(ToolsListChanged())
            await self._bus.publish(ResourcesListChanged())
            async with anyio.create_task_group() as group:
                for session in list(self._sessions):
                    group.start_soon(_notify, session)


async def _notify(session: ServerSession) -> None:
    with anyio.move_on_after(_PATIENCE):
        await session.send_tool_list_changed()
        await session.send_resource_list_changed()
