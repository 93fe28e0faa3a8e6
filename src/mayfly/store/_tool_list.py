"""The library's rows, read without opening what they name: one tool, all of them, or those found by words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mayfly.store._database import Connection, where
from mayfly.store._ledger import Ledger
from mayfly.store._projection import Projection, R
from mayfly.store._tools import TOOL_VERSIONS, TOOLS, ToolRow, ToolVersionRow

_TOOLS = ", ".join(f"t.{name}" for name in TOOLS.names)
_VERSIONS = ", ".join(f"v.{name}" for name in TOOL_VERSIONS.names)
_BOTH = f"""
SELECT {_TOOLS}, {_VERSIONS} FROM mayfly_tools t
JOIN mayfly_tool_versions v ON v.name = t.name AND v.version = t.version
"""
# How many versions have each of the words: a word that all have tells none apart. Read off the index alone.
_FREQUENT = "SELECT word, count(*) FROM mayfly_tool_words WHERE word IN ({asked}) GROUP BY word"
_CHOSEN = """
SELECT w.name, sum(CASE w.word {weights} ELSE 0 END) AS score FROM mayfly_tool_words w
JOIN mayfly_tools t ON t.name = w.name AND t.version = w.version
{shaped} WHERE t.state = 'serving' AND w.word IN ({asked}) GROUP BY w.name ORDER BY score DESC, w.name LIMIT ?
"""
_HELD = """
SELECT w.name, w.word FROM mayfly_tool_words w JOIN mayfly_tools t ON t.name = w.name AND t.version = w.version
WHERE w.name IN ({names}) AND w.word IN ({asked})
"""
_SHAPED = "JOIN mayfly_tool_versions v ON v.name = w.name AND v.version = w.version AND v.shape = ?"
# Words of one question that are looked at; nobody tells tools apart by more.
_WORDS = 60
# Tools that are put in order by all of the words, and rows that are read to choose them: some milliseconds.
_LOOKED_AT = 50
_ROWS = 5000


class ServedTool(NamedTuple):
    """A name and the version that serves under it, or served until it was retired."""

    tool: ToolRow
    version: ToolVersionRow


class Ranked(NamedTuple):
    """A tool that has some of the words that were asked for: how much they weigh, and how many."""

    name: str
    score: float
    words: int


class ToolList:
    """Read how the tools of a store stand; nothing is kept, so it is always what any process wrote last."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, name: str) -> ToolRow | None:
        """Return how a name stands, None where it never was one."""
        return next(iter(self._select(TOOLS, "WHERE name = ?", name)), None)

    def served(self, name: str) -> ServedTool | None:
        """Return a name with the version that serves or is retired, None where there is none."""
        with self._ledger._reading() as connection:
            return next(iter(_served(connection, " WHERE t.name = ?", [name])), None)

    def all(self, *, state: str = "") -> list[ServedTool]:
        """Return every tool that serves or is retired, by name."""
        chosen, values = where(("t.state = ?", state or None))
        with self._ledger._reading() as connection:
            return _served(connection, f"{chosen} ORDER BY t.name", values)

    def deleted(self) -> list[ToolRow]:
        """Return the names that are gone, of which every version is still there."""
        return self._select(TOOLS, "WHERE state = 'deleted' ORDER BY name")

    def unused(self, since: str) -> list[ToolRow]:
        """Return the tools that serve and were not used since a moment."""
        return self._select(TOOLS, "WHERE state = 'serving' AND used < ? ORDER BY name", since)

    def version(self, name: str, version: int) -> ToolVersionRow | None:
        """Return one version."""
        return next(iter(self._select(TOOL_VERSIONS, "WHERE name = ? AND version = ?", name, version)), None)

    def versions(self, name: str) -> list[ToolVersionRow]:
        """Return every version of a name, the oldest first."""
        return self._select(TOOL_VERSIONS, "WHERE name = ? ORDER BY version", name)

    def count(self) -> dict[str, int]:
        """Return how many names stand how."""
        with self._ledger._reading() as connection:
            return dict(connection.run("SELECT state, count(*) FROM mayfly_tools GROUP BY state"))

    def alike(self, shape: str, *, limit: int) -> list[str]:
        """Return the names of tools that serve and have these types."""
        query = """
        SELECT t.name FROM mayfly_tool_versions v JOIN mayfly_tools t ON t.name = v.name AND t.version = v.version
        WHERE v.shape = ? AND t.state = 'serving' ORDER BY t.name LIMIT ?
        """
        with self._ledger._reading() as connection:
            return [row[0] for row in connection.run(query, [shape, limit])]

    def find(self, words: Sequence[str], *, limit: int, shape: str = "") -> list[Ranked]:
        """Return the tools that serve and have some of the *words*, those with rarer and more of them first.

        The rare words say who is looked at, all of them in which order: what every tool has is not read for each.
        """
        asked = list(dict.fromkeys(words))[:_WORDS]
        if not asked or limit < 1:
            return []
        with self._ledger._reading() as connection:
            query = _FREQUENT.format(asked=", ".join("?" * len(asked)))
            frequent = {word: int(number) for word, number in connection.run(query, asked)}
            weights = {word: _weight(number) for word, number in frequent.items()}
            rare = _rare(frequent)
            if not rare:
                return []
            chosen = _CHOSEN.format(
                weights=" ".join(f"WHEN ? THEN {weights[word]}" for word in rare),
                asked=", ".join("?" * len(rare)),
                shaped=_SHAPED if shape else "",
            )
            values = [*rare, *([shape] if shape else []), *rare, max(limit, _LOOKED_AT)]
            names = [row[0] for row in connection.run(chosen, values)]
            if not names:
                return []
            marks = ", ".join("?" * len(names)), ", ".join("?" * len(weights))
            rows = connection.run(_HELD.format(names=marks[0], asked=marks[1]), [*names, *weights])
        scores: dict[str, list[float]] = {}
        for name, word in rows:
            scores.setdefault(name, []).append(weights[word])
        found = [Ranked(name, round(sum(held), 4), len(held)) for name, held in scores.items()]
        return sorted(found, key=lambda one: (-one.score, one.name))[:limit]

    def _select(self, table: Projection[R], rest: str, *values: object) -> list[R]:
        with self._ledger._reading() as connection:
            return table.select(connection, rest, values)


def _served(connection: Connection, rest: str, values: Sequence[object]) -> list[ServedTool]:
    width = len(TOOLS.names)
    rows = connection.run(f"{_BOTH} {rest}", values)
    return [ServedTool(TOOLS.to_row(row[:width]), TOOL_VERSIONS.to_row(row[width:])) for row in rows]


def _rare(frequent: Mapping[str, int]) -> list[str]:
    """Return the rarest of the words, as many as can be read soon, and one at least."""
    kept: list[str] = []
    left = _ROWS
    for word in sorted(frequent, key=lambda word: (frequent[word], word)):
        left -= frequent[word]
        if left < 0 and kept:
            break
        kept.append(word)
    return kept


def _weight(tools: int) -> float:
    """Return what a word weighs that so many tools have: the more of them, the less, as usual by the logarithm."""
    return round(1 / (1 + math.log10(max(1, tools))), 4)
