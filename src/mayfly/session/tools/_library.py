"""The library in a session: have a tool made, changed, taken back or deleted, find one, and use one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mayfly.core import Asked, Capability, Invocation
from mayfly.world import NUMBER, TEXT, Declared, Schema, ToolResult, listed, said, takes, tool

# What the library takes and gives, as data: the order, or the name; and what came of it.
Order = Callable[[Mapping[str, Any]], Mapping[str, Any]]
_NAME = said(TEXT, "what it is called: small letters, digits and _", pattern="^[a-z][a-z0-9_]*$", maxLength=64)
_EXAMPLE = takes("input", "output", input={}, output={})
_MADE: dict[str, Schema] = {
    "intent": said(TEXT, "what it does, in one sentence that will also be used to find it", minLength=1),
    "description": said(TEXT, "what is listed; the docstring of the source unless said", maxLength=500),
    "source": said(
        TEXT,
        "a Python module with a function of the tool's name, annotated with str, int, float, bool, list, dict; "
        "leave it out to have it written from the examples",
    ),
    "tests": said(TEXT, "Python with test_ functions that call it"),
    "examples": listed(_EXAMPLE, "pairs of input (arguments by name, or the one argument) and output"),
    "grants": listed(TEXT, "what it may reach: net:HOST, net:*, buy:HOST (through the wallet), package, fs:workspace"),
}


@dataclass(frozen=True, kw_only=True)
class LibraryDesk:
    """What a session asks of the library; who puts a session together hands it in."""

    write: Order
    update: Order
    delete: Order
    rollback: Order
    find: Callable[[str, int], Sequence[Mapping[str, Any]]]
    use: Callable[[str, Mapping[str, Any], Invocation], object]


def library_tools(desk: LibraryDesk) -> tuple[Capability, ...]:
    """Return the tools that make tools, and those that find and use them."""
    orders = (tool_write.bound(desk.write), tool_update.bound(desk.update), tool_delete.bound(desk.delete))
    return (*orders, tool_rollback.bound(desk.rollback), tool_find.bound(desk), tool_use.bound(desk))


def _ordered(order: Order, call: Invocation) -> ToolResult:
    made = order(call.arguments)
    return ToolResult(dict(made), failed=made.get("decision") == "reject")


def _changing(name: str, summary: str, schema: Schema) -> Declared:
    # What was done before an interruption is known by its result and not done twice.
    return tool(schema, name=name, summary=summary, asks="name", effect="idempotent", seconds=600.0)(_ordered)


tool_write = _changing(
    "tool_write",
    "Have a tool made that stays: tried at every gate, proven by its tests behind a wall, and then callable at "
    "once by its name, here and in every later session. Give source with tests or examples, or examples alone.",
    takes("name", "intent", name=_NAME, **_MADE),
)
tool_update = _changing(
    "tool_update",
    "Make the next version of a tool of the library; it has to pass the tests of the old one too, and until "
    "it does the old one serves.",
    takes(
        "name",
        name=_NAME,
        **_MADE,
        replace_tests={"type": "boolean", "description": "true where its old tests no longer hold"},
    ),
)
tool_delete = _changing("tool_delete", "Delete a tool of the library.", takes("name", name=_NAME))
tool_rollback = _changing(
    "tool_rollback",
    "Let an earlier version of a tool serve again.",
    takes("name", name=_NAME, version=said(NUMBER, "which; the one before unless said")),
)


@tool(
    takes(
        "intent",
        intent=said(TEXT, "what it should do", minLength=1),
        limit=said(NUMBER, "how many; 10 unless said", maximum=50),
    ),
    asks="intent",
)
def tool_find(desk: LibraryDesk, call: Invocation) -> object:
    """Look for a tool of the library by what it does, before anything is written anew."""
    return list(desk.find(call.arguments["intent"], call.arguments.get("limit", 10)))


@tool(
    takes("name", "arguments", name=_NAME, arguments={"type": "object"}),
    asks=lambda call: (Asked("tool_use", call.arguments["name"], str(call.arguments["arguments"])),),
)
def tool_use(desk: LibraryDesk, call: Invocation) -> object:
    """Use a tool of the library by its name, with its arguments."""
    return desk.use(call.arguments["name"], call.arguments["arguments"], call)
