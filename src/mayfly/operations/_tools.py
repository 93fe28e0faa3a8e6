"""Tools of the library as data: one with its card, how it came about, and what its tests say today."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.library import Card, ToolListed, Tools
    from mayfly.store import Event, ToolRow, ToolVersionRow

# What a row of the log is made of inside.
_INSIDE = ("head", "words")


@dataclass(frozen=True, kw_only=True)
class ToolView:
    """One version of a tool with its source, and how the tool stands."""

    card: Card
    source: str
    row: ToolRow

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        row = self.row
        standing = {"state": row.state, "serves": row.version, "calls": row.calls, "failures": row.failures}
        return {**self.card.to_json(), **standing, "source": self.source}


def tool_view(tools: Tools, name: str, version: int = 0, *, newest: bool = False) -> ToolView:
    """Return a version of a tool, the one that serves unless said; of a deleted one, *newest* takes the newest."""
    row = tools.standing(name)
    if not (version or row.version or newest):
        raise InputError(f"{name} was deleted", fix=f"bring it back: mayfly tools rollback {name}")
    card, source = tools.show(name, version or (row.version or row.newest if newest else 0))
    return ToolView(card=card, source=source, row=row)


@dataclass(frozen=True, kw_only=True)
class ToolHistory:
    """Every version of a tool, the oldest first, and what happened to it."""

    name: str
    versions: Sequence[ToolVersionRow]
    events: Sequence[Event]

    @property
    def heads(self) -> dict[int, Mapping[str, Any]]:
        """What is listed of each version without opening it."""
        return {one.version: json.loads(one.head) for one in self.versions}

    def log_json(self) -> list[dict[str, Any]]:
        """Return what happened as plain data."""
        rows = [{"id": one.id, "at": one.at.isoformat(), "kind": one.kind, **one.payload} for one in self.events]
        return [{key: value for key, value in row.items() if key not in _INSIDE} for row in rows]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        heads = self.heads
        rows = [
            {**{key: value for key, value in asdict(one).items() if key != "head"}, **heads[one.version]}
            for one in self.versions
        ]
        return {"name": self.name, "versions": rows, "log": self.log_json()}


def tool_history(tools: Tools, name: str) -> ToolHistory:
    """Return how a tool came to be what it is."""
    return ToolHistory(name=name, versions=tools.versions(name), events=tools.log(name))


@dataclass(frozen=True, kw_only=True)
class VerifiedTool:
    """What the tests on a card say now."""

    name: str
    version: int
    results: Sequence[Any]

    @property
    def holds(self) -> bool:
        """Whether there are tests and every one of them passes."""
        return bool(self.results) and all(one.passed for one in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; *results* and *tests* are the same rows under the names of two faces."""
        rows = [{**asdict(one), **one.to_json()} for one in self.results]
        return {"name": self.name, "version": self.version, "holds": self.holds, "results": rows, "tests": rows}


def verify_tool(tools: Tools, name: str, version: int = 0) -> VerifiedTool:
    """Run the tests on a card again, behind the wall, with nothing but what the store has."""
    opened, results = tools.verify(name, version)
    return VerifiedTool(name=name, version=opened.card.version, results=results)


def list_tools(tools: Tools, *, find: str = "", retired: bool = False, most: int = 10) -> Sequence[ToolListed]:
    """Return tools by name; those that do what the words say, the likeliest first, where there are words."""
    return tools.find(find, most) if find.strip() else tools.list(state="retired" if retired else "")
