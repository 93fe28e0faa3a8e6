"""What lasts in a session: tools of the library, packages for them, and changes of the tools that are built in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import Asked, Capability, ConflictError, InputError, Invocation, content_hash
from mayfly.library import Installed, ToolFailed, ToolMade, package_name, words_of
from mayfly.store import JSON
from mayfly.world import NUMBER, TEXT, Declared, Schema, ToolResult, listed, said, takes, tool

if TYPE_CHECKING:
    from mayfly.store import Ledger

if TYPE_CHECKING:
    from mayfly.library import Tools

# Of what came of an order a model needs these; the rest is on the card.
_TOLD = ("decision", "name", "version", "reason", "fix", "twin", "question")
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


class SessionLibrary:
    """Order tools in the name of a session and remember which it made: those are shown first."""

    def __init__(self, tools: Tools, session: str, *, model: str | None, most: int) -> None:
        self._tools = tools
        self._session = session
        self._by = f"agent {session}"
        self._model = model
        self._most = most
        self._made: list[str] = []

    def shown(self, task: str) -> Sequence[str]:
        """Return the names that are shown for what is asked: what the session made, then what its words find."""
        found = self._tools.names_for(words_of(task), self._most)
        return [name for name in dict.fromkeys((*reversed(self._made), *found)) if self.serves(name)][: self._most]

    def serves(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        return self._tools.capability(name) is not None

    def write(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have a tool made."""
        order = self._order(given)
        try:
            made = self._tools.write(given["intent"], name=given["name"], **order)
        except ConflictError:
            # An order that was carried out before the session was interrupted is carried out once.
            same = self._known(given["name"], order.get("source"))
            if same is None:
                raise
            made = same
        return self._told(made)

    def _known(self, name: str, source: str | None) -> ToolMade | None:
        card, kept = self._tools.show(name)
        if source is None or content_hash(source) != content_hash(kept) or card.by != self._by:
            return None
        return ToolMade(decision="accept", name=name, version=card.version, reason=f"{card.strength}: {card.witness}")

    def update(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have the next version of a tool made."""
        more = {"replace_tests": given["replace_tests"]} if "replace_tests" in given else {}
        return self._told(self._tools.update(given["name"], given.get("intent", ""), **self._order(given), **more))

    def _order(self, given: Mapping[str, Any]) -> dict[str, Any]:
        order = {key: given[key] for key in ("source", "tests", "examples", "grants") if key in given}
        return {**order, "summary": given.get("description", ""), "by": self._by, "model": self._model}

    def _told(self, made: ToolMade) -> Mapping[str, Any]:
        if made.accepted:
            self._made = [*(name for name in self._made if name != made.name), made.name]
        told = {key: value for key, value in made.to_json().items() if key in _TOLD and value not in ("", 0)}
        if made.card is not None:
            told["call it with"] = made.card.input_schema
        wrong = [one.message for one in made.verdicts if one.decision == "reject"]
        return {**told, **({"verdicts": wrong} if wrong and not made.accepted else {})}

    def delete(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Delete a tool."""
        return {"deleted": given["name"], "version": self._tools.delete(given["name"], by=self._by)}

    def rollback(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Let an earlier version serve again."""
        return {"name": given["name"], "serves": self._tools.rollback(given["name"], given.get("version"), by=self._by)}

    def find(self, intent: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """Return the tools that an intent may mean."""
        found = self._tools.find(intent, limit)
        return [{"name": one.name, "description": one.summary, "arguments": one.input_schema} for one in found]

    def use(self, name: str, arguments: Mapping[str, Any], call: Invocation) -> object:
        """Call a tool."""
        more = {"stop": call.stop, "seconds": call.seconds, "key": call.key, "run": self._session}
        outcome = self._tools.call(name, dict(arguments), **more)
        if not outcome.ok:
            raise ToolFailed(outcome.error, fix=outcome.fix or None)
        return outcome.value


def library_tools(library: SessionLibrary) -> tuple[Capability, ...]:
    """Return the tools that make tools, and those that find and use them."""
    orders = (tool_write.bound(library.write), tool_update.bound(library.update), tool_delete.bound(library.delete))
    return (*orders, tool_rollback.bound(library.rollback), tool_find.bound(library), tool_use.bound(library))


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
def tool_find(library: SessionLibrary, call: Invocation) -> object:
    """Look for a tool of the library by what it does, before anything is written anew."""
    return list(library.find(call.arguments["intent"], call.arguments.get("limit", 10)))


@tool(
    takes("name", "arguments", name=_NAME, arguments={"type": "object"}),
    asks=lambda call: (Asked("tool_use", call.arguments["name"], str(call.arguments["arguments"])),),
)
def tool_use(library: SessionLibrary, call: Invocation) -> object:
    """Use a tool of the library by its name, with its arguments."""
    return library.use(call.arguments["name"], call.arguments["arguments"], call)


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
