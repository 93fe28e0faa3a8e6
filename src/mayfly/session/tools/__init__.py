"""The tools of a session, all of them capabilities: those of its room, tables, other servers, the library, people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mayfly.core import Capability, ToolSettings
from mayfly.session.tools._builtin import BuiltinChange, StageBuiltin, builtin_tools
from mayfly.session.tools._database import database_tools
from mayfly.session.tools._library import SessionLibrary, library_tools
from mayfly.session.tools._mcp import McpServers, mcp_tools
from mayfly.session.tools._packages import Install, package_tools
from mayfly.session.tools._people import AskPerson, Compile, Spawn, people_tools
from mayfly.world import room_tools

if TYPE_CHECKING:
    from mayfly.store import Ledger
    from mayfly.store.schema import AgentSchema
    from mayfly.world import Room

__all__ = ["AskPerson", "BuiltinChange", "McpServers", "SessionLibrary", "session_tools"]


def session_tools(
    room: Room,
    ledger: Ledger,
    *,
    servers: McpServers,
    limits: ToolSettings | None = None,
    schema: Callable[[], AgentSchema],
    ask: AskPerson | None = None,
    spawn: Spawn | None = None,
    install: Install | None = None,
    compile: Compile | None = None,
    library: SessionLibrary | None = None,
    stage: StageBuiltin | None = None,
) -> tuple[Capability, ...]:
    """Return every tool of a session; who may call which, its configuration says."""
    return (
        *room_tools(room, ledger, limits),
        *database_tools(room.session, schema),
        *mcp_tools(servers),
        *builtin_tools(ledger, stage),
        *people_tools(ledger, session=room.session, ask=ask, spawn=spawn, compile=compile),
        *(library_tools(library) if library is not None else ()),
        *(package_tools(install) if install is not None else ()),
    )
