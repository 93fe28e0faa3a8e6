"""What lasts in a session: tools of the library, packages for them, and changes of the tools that are built in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import Asked, Capability, InputError, Invocation
from mayfly.library import Installed, package_name
from mayfly.store import JSON
from mayfly.world import NUMBER, TEXT, Declared, Schema, ToolResult, listed, said, takes, tool

if TYPE_CHECKING:
    from mayfly.store import Ledger

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


# Install what is named; who puts a session together hands it in.
Install = Callable[[str, Invocation], Installed]


def _package_asked(call: Invocation) -> Asked:
    """Return what the rules decide about: the package by its name, however it is written."""
    wanted = str(call.arguments["package"]).strip()
    if wanted.endswith(".whl"):
        raise InputError("an agent names a package, a file is installed by a person", fix="write NAME or NAME==VERSION")
    return Asked("package_install", package_name(wanted), wanted)


@tool(
    takes("package", package=said(TEXT, "NAME or NAME==VERSION", minLength=1, maxLength=200)),
    # Fetching the same again changes nothing.
    effect="idempotent",
    asks=lambda call: (_package_asked(call),),
    seconds=900.0,
)
def package_install(install: Install, call: Invocation) -> str:
    """Have a package installed that tools of the library may import, in a place of its own and never in the environment
    of the project. The answer says which versions came.
    """
    made = install(call.arguments["package"], call)
    came = ", ".join(f"{one.name} {one.version} (sha256 {one.sha256[:12]})" for one in made.distributions)
    return f"installed: {came}. Tools with the grant package can import it."


class BuiltinChange:
    """What an agent wants of a built-in tool; the source is a blob of the ledger, so that the rules see its hash."""

    def __init__(self, tool: str, payload: Mapping[str, JSON]) -> None:
        self.tool = tool
        self.source = str(payload.get("content", ""))
        self.path = str(payload.get("note", ""))
        self.why = str(payload.get("reason", ""))


# Stages a change of a built-in tool until *stop* is said, and says what came of it; a refusal is an error.
StageBuiltin = Callable[..., str]


def _change_asked(ledger: Ledger, call: Invocation) -> Asked:
    given = call.arguments
    if ledger.secrets.holds(given["source"]):
        raise InputError("the source holds a secret, which is never kept", fix="read it from the environment")
    source = ledger.put_blob(given["source"].encode("utf-8", "surrogatepass"))
    payload = {"content": source, "note": given.get("path", ""), "reason": given.get("why", "")}
    return Asked("builtin_modify", given["tool"], json.dumps(payload))


@tool(
    takes(
        "tool",
        "source",
        tool=said(TEXT, "the name of the tool", pattern=r"^[a-z][a-z0-9_]{0,63}$"),
        source=said(TEXT, "the whole new source of the file it is written in", minLength=1),
        path=said(TEXT, "which file, where two files define a tool of this name"),
        why=said(TEXT, "what the change is for, in one line", maxLength=200),
    ),
    effect="idempotent",
    asks_with=lambda ledger, _, call: (_change_asked(ledger, call),),
    seconds=900.0,  # three stages of up to 120, 120 and 180 s, and the start of the running tree after them
)
def builtin_modify(ledger: Ledger, stage: StageBuiltin, call: Invocation) -> str:
    """Change a tool that is built in: the whole new source of its file is tried on a branch of its own (compile, tests,
    start-up) and merged when all of it passes. Tools of the library are not changed so.
    """
    wanted = _change_asked(ledger, call)
    return stage(BuiltinChange(wanted.target, json.loads(wanted.payload)), stop=call.stop)
