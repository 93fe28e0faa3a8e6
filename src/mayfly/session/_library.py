"""The library as one session has it: what its agents order, and which tools they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, Invocation, content_hash
from mayfly.library import ToolFailed, ToolMade, words_of
from mayfly.session.tools import LibraryDesk

if TYPE_CHECKING:
    from mayfly.library import Tools

# Of what came of an order a model needs these; the rest is on the card.
_TOLD = ("decision", "name", "version", "reason", "fix", "twin", "question")


class SessionLibrary:
    """Order tools in the name of a session and remember which it made: those are shown first."""

    def __init__(self, tools: Tools, session: str, *, model: str | None, most: int) -> None:
        self._tools = tools
        self._session = session
        self._by = f"agent {session}"
        self._model = model
        self._most = most
        self._made: list[str] = []

    def desk(self) -> LibraryDesk:
        """Return what the tools of the session ask."""
        return LibraryDesk(
            write=self._write,
            update=self._update,
            delete=self._delete,
            rollback=self._rollback,
            find=self._find,
            use=self._use,
        )

    def shown(self, task: str) -> Sequence[str]:
        """Return the names that are shown for what is asked: what the session made, then what its words find."""
        found = self._tools.names_for(words_of(task), self._most)
        return [name for name in dict.fromkeys((*reversed(self._made), *found)) if self.serves(name)][: self._most]

    def serves(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        return self._tools.capability(name) is not None

    def _write(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
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

    def _update(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
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

    def _delete(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"deleted": given["name"], "version": self._tools.delete(given["name"], by=self._by)}

    def _rollback(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"name": given["name"], "serves": self._tools.rollback(given["name"], given.get("version"), by=self._by)}

    def _find(self, intent: str, limit: int) -> Sequence[Mapping[str, Any]]:
        found = self._tools.find(intent, limit)
        return [{"name": one.name, "description": one.summary, "arguments": one.input_schema} for one in found]

    def _use(self, name: str, arguments: Mapping[str, Any], call: Invocation) -> object:
        more = {"stop": call.stop, "seconds": call.seconds, "key": call.key, "run": self._session}
        outcome = self._tools.call(name, dict(arguments), **more)
        if not outcome.ok:
            raise ToolFailed(outcome.error, fix=outcome.fix or None)
        return outcome.value
