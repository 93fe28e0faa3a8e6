"""The tools of a session, all of them capabilities: files, programs, code, the web, knowledge, people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.core import Capability, ToolSettings
from mayfly.session.tools._code import code_tools
from mayfly.session.tools._documents import document_tools
from mayfly.session.tools._files import file_tools
from mayfly.session.tools._knowledge import Knowledge, knowledge_tools
from mayfly.session.tools._mcp import McpServers, mcp_tools
from mayfly.session.tools._people import AskPerson, Compile, Spawn, people_tools
from mayfly.session.tools._run import run_tools
from mayfly.session.tools._web import web_tools

if TYPE_CHECKING:
    from mayfly.session._room import Room
    from mayfly.store import Ledger

__all__ = ["AskPerson", "McpServers", "session_tools"]


def session_tools(
    room: Room,
    ledger: Ledger,
    *,
    servers: McpServers,
    limits: ToolSettings | None = None,
    ask: AskPerson | None = None,
    spawn: Spawn | None = None,
    compile: Compile | None = None,
) -> tuple[Capability, ...]:
    """Return every tool of a session; who may call which, its configuration says."""
    return (
        *file_tools(room),
        *run_tools(room),
        *code_tools(room, limits),
        *web_tools(room, limits),
        *document_tools(room),
        *knowledge_tools(room, Knowledge(ledger, str(room.workspace)), limits),
        *mcp_tools(servers),
        *people_tools(ledger, ask=ask, spawn=spawn, compile=compile),
    )
