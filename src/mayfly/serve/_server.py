"""`McpServer`: what is served over MCP, whatever the transport: tools, resources, and word of what changed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.to_thread
from mcp.server import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
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
from mayfly.serve._changes import Changes
from mayfly.serve._errand import Errand, Errands
from mayfly.serve._listing import Listing, Resources, is_record, library_name, own_tools
from mayfly.serve._making import Making
from mayfly.serve._reply import Reply, failed, value_text

if TYPE_CHECKING:
    from mcp.server import InitializationOptions, ServerRequestContext

    from mayfly.runtime import Runtime

    Context = ServerRequestContext[Any, Any]

Handler = Callable[[Mapping[str, Any], Errand], Reply]
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
        self._listing = Listing(runtime.tools, settings)
        self._resources = Resources(runtime, self._listing)
        self._asking = Asking(runtime)
        making = Making(runtime)
        bus = InMemorySubscriptionBus()
        self._changes = Changes(runtime, bus, forget=self._listing.forget)
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

    def _called(self, name: str, arguments: Mapping[str, Any], errand: Errand) -> Reply:
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

    def _library_tool(self, name: str, arguments: Mapping[str, Any], errand: Errand) -> Reply:
        outcome = self._asking.called(name, arguments, errand)
        if not outcome.ok:
            return call_failed(outcome)
        value = outcome.value
        # As its schema was wrapped in the list, so is its value.
        capability = self._runtime.tools.capability(name, outcome.version)
        plain = capability is not None and is_record(capability.output_schema or {}) and isinstance(value, Mapping)
        return Reply(text=value_text(value), data=dict(value) if plain else {"result": value})  # type: ignore[call-overload]

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
