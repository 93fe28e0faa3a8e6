"""The tools of a session, all of them capabilities: those of its room, tables, other servers, the library, people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mayfly.core import Capability, ToolSettings
from mayfly.session.tools._database import database_tools
from mayfly.session.tools._library import (
    BuiltinChange,
    Install,
    SessionLibrary,
    StageBuiltin,
    builtin_modify,
    library_tools,
    package_install,
)
from mayfly.session.tools._mcp import McpServers, mcp_tools
from mayfly.session.tools._people import AskPerson, Compile, Spawn, ask_user, compile_program, output_read, spawn_agent
from mayfly.world import Declared, room_tools

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
    given: tuple[tuple[Declared, object], ...] = ((ask_user, ask), (spawn_agent, spawn), (compile_program, compile))
    return (
        *room_tools(room, ledger, limits),
        *database_tools(room.session, schema),
        *mcp_tools(servers),
        *((builtin_modify.bound(ledger, stage),) if stage is not None else ()),
        output_read.bound(ledger, room.session),
        *(one.bound(part) for one, part in given if part is not None),
        *(library_tools(library) if library is not None else ()),
        *((package_install.bound(install),) if install is not None else ()),
    )
