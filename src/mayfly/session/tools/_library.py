"""The library in a session: have a tool made, changed, taken back or deleted, find one, and use one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import Asked, Capability, ConflictError, Invocation, content_hash
from mayfly.library import ToolFailed, ToolMade, words_of
from mayfly.world import NUMBER, TEXT, Schema, ToolResult, listed, said, takes

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
    return (
        _changing(
            "tool_write",
            "Have a tool made that stays: tried at every gate, proven by its tests behind a wall, and then callable at "
            "once by its name, here and in every later session. Give source with tests or examples, or examples alone.",
            takes("name", "intent", name=_NAME, **_MADE),
            library.write,
        ),
        _changing(
            "tool_update",
            "Make the next version of a tool of the library; it has to pass the tests of the old one too, and until "
            "it does the old one serves.",
            takes(
                "name",
                name=_NAME,
                **_MADE,
                replace_tests={"type": "boolean", "description": "true where its old tests no longer hold"},
            ),
            library.update,
        ),
        _changing("tool_delete", "Delete a tool of the library.", takes("name", name=_NAME), library.delete),
        _changing(
            "tool_rollback",
            "Let an earlier version of a tool serve again.",
            takes("name", name=_NAME, version=said(NUMBER, "which; the one before unless said")),
            library.rollback,
        ),
        Capability(
            name="tool_find",
            summary="Look for a tool of the library by what it does, before anything is written anew.",
            input_schema=takes(
                "intent",
                intent=said(TEXT, "what it should do", minLength=1),
                limit=said(NUMBER, "how many; 10 unless said", maximum=50),
            ),
            asks=lambda call: (Asked("tool_find", call.arguments["intent"]),),
            call=lambda call: list(library.find(call.arguments["intent"], call.arguments.get("limit", 10))),
        ),
        Capability(
            name="tool_use",
            summary="Use a tool of the library by its name, with its arguments.",
            input_schema=takes("name", "arguments", name=_NAME, arguments={"type": "object"}),
            asks=lambda call: (Asked("tool_use", call.arguments["name"], str(call.arguments["arguments"])),),
            call=lambda call: library.use(call.arguments["name"], call.arguments["arguments"], call),
        ),
    )


def _changing(name: str, summary: str, schema: Schema, order: Order) -> Capability:
    def call(invocation: Invocation) -> object:
        made = order(invocation.arguments)
        return ToolResult(dict(made), failed=made.get("decision") == "reject")

    return Capability(
        name=name,
        summary=summary,
        input_schema=schema,
        # What was done before an interruption is known by its result and not done twice.
        effect="idempotent",
        asks=lambda invocation: (Asked(name, invocation.arguments["name"]),),
        call=call,
        seconds=600.0,
    )
