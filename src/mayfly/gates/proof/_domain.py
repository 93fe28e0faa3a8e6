"""The inputs a program can be given: everything that is tried beside its tests is made here and nowhere else.

They come from the inputs of examples and tests and from the sample of the data, so that a crash or a disagreement on
one of them says something: it could have been asked. The same content gives the same inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mayfly.core import canonical_json, content_hash
from mayfly.gates._entry import Entry
from mayfly.gates.proof._shapes import Shape

# So many edits are tried for each input that is wanted: many of them give what is known already.
_TRIES = 4
# How many items a list has, or how often a text comes again, where a program is tried on much of the same.
_LARGE = (100, 1_000, 10_000)


class Given(NamedTuple):
    """An input that can occur, how much it holds, and whether that is no more than the largest one that was given."""

    input: object
    size: int
    inside: bool = True

    @property
    def text(self) -> str:
        """The question to the program as JSON text."""
        return json.dumps({"input": self.input})


def size_of(value: object) -> int:
    """Return how much a value holds: letters, items, and digits of numbers."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(map(size_of, value)) + len(value)
    if isinstance(value, dict):
        return sum(map(size_of, value.values())) + len(value)
    return abs(value).bit_length() // 3 + 1 if isinstance(value, int) else 1


class Domain:
    """Make inputs for one entry from those that are known; *never* are some of which somebody said they cannot be.

    *pattern* is the contract's: every text of an input has to match it.
    """

    def __init__(
        self, entry: Entry, known: Sequence[object], *, pattern: str = "", never: Sequence[object] = ()
    ) -> None:
        self._spread = entry.spread
        rows = [given if self._spread and isinstance(given, list) else [given] for given in known]
        self._rows = [row for row in rows if len(row) == len(rows[0])]
        # In whatever order the examples stand, the same inputs are made.
        self._rows.sort(key=canonical_json)
        self._random = Random(content_hash(canonical_json([entry.spread, self._rows])))
        self._shapes = [Shape([row[place] for row in self._rows]) for place in range(len(self._rows[0]) if rows else 0)]
        self._together = _relations(self._rows)
        self._pattern = re.compile(pattern) if pattern else None
        self._never = {canonical_json(one) for one in never}
        self._largest = max((size_of(row) for row in self._rows), default=0)

    def make(self, count: int) -> list[Given]:
        """Return up to *count* inputs beside those that are known, the smallest first."""
        if not self._shapes or not self._shapes[0].values:
            return []
        found: dict[str, Given] = {}
        known = {canonical_json(self._whole(row)) for row in self._rows} | self._never
        for _ in range(count * _TRIES):
            row = self._edited(list(self._random.choice(self._rows)))
            made = self._whole(row)
            key = canonical_json(made)
            if key not in known and key not in found and self._holds(row):
                size = size_of(row)
                found[key] = Given(made, size, size <= self._largest)
        ordered = sorted(found.values(), key=lambda given: (given.size, given.text))
        step = max(1.0, len(ordered) / max(1, count))
        return [ordered[int(at * step)] for at in range(min(count, len(ordered)))]

    def large(self) -> list[Given]:
        """Return much of the same: what can have many items has many of those that were seen."""
        grown = [at for at, shape in enumerate(self._shapes) if shape.items is not None and not shape.unique]
        made = []
        for size in _LARGE if grown else ():
            row = list(max(self._rows, key=size_of))
            for at in grown:
                items = self._shapes[at].items
                held = items.values if items is not None else []
                row[at] = (held * (size // max(1, len(held)) + 1))[:size]
                if self._shapes[at].ascending:
                    row[at] = sorted(row[at], key=repr)
            made.append(Given(self._whole(row), size_of(row), False))
        return made

    def _whole(self, row: list[object]) -> object:
        return row if self._spread else row[0]

    def _edited(self, row: list[object]) -> list[object]:
        """Return arguments that were changed in one place, or mixed with those of another call."""
        for _ in range(self._random.choice((1, 1, 2))):
            at = self._random.randrange(len(row)) if row else 0
            if row:
                row[at] = self._shapes[at].another(row[at], self._random)
        return row

    def _holds(self, row: list[object]) -> bool:
        """Say whether arguments still stand to each other as they always did, and every text fits the pattern."""
        if not all(relation(row[one], row[other]) for one, other, relation in self._together):
            return False
        return self._pattern is None or all(self._pattern.fullmatch(text) for text in _texts(row))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inside for text in _texts(item)]


_Relation = tuple[int, int, "_Holds"]


class _Holds:
    """How two arguments stand to each other."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, one: object, other: object) -> bool:
        if self.name == "same size":
            return isinstance(one, (list, str)) and isinstance(other, (list, str)) and len(one) == len(other)
        if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
            return False
        return one <= other if self.name == "not above" else one >= other


def _relations(rows: Sequence[list[object]]) -> list[_Relation]:
    """Return what holds between two arguments in every call that is known, where there is more than one."""
    kinds = [_Holds(name) for name in ("same size", "not above", "not below")]
    width = len(rows[0]) if len(rows) > 1 else 0
    return [
        (one, other, kind)
        for one in range(width)
        for other in range(one)
        for kind in kinds
        if all(kind(row[one], row[other]) for row in rows)
    ]
