"""`Changes`: tell every client that the list of tools is another one now, whichever process changed it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import ResourcesListChanged, ToolsListChanged

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import SubscriptionBus

    from mayfly.runtime import Runtime

# Seconds in which changes are gathered into one notification: fifty tools that are written together are one change of
# the list, and with the store's own tenth it stays far below a second.
_GATHER = 0.2
# Seconds that a client which does not read may hold up its own notification.
_PATIENCE = 1.0
# Seconds before a store that could not be reached is followed again.
_AGAIN = 1.0
log = logging.getLogger("mayfly.mcp")


class Changes:
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
