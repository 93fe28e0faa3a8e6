"""Predicates that keep one row for each key: a new row is merged with the one that is there."""

from collections.abc import Callable, Mapping
from typing import Any

from mayfly.mangle._checked import Merge
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Row, Value
from mayfly.mangle.engine._relation import Relation


class Merger:
    """Merge new rows into a relation and remember what changed since the last round."""

    def __init__(self, merge: Merge, numbers: Mapping[Symbol, int], relation: Relation) -> None:
        self._merge = merge
        self._asked = numbers[merge.predicate]
        self._relation = relation
        self._seen: set[Row] = set()
        self._changed: dict[Row, None] = {}
        self._by_key: dict[Row, list[Row]] = {}
        for row in relation.rows:
            self._by_key.setdefault(self._key(row), []).append(row)

    @property
    def rows(self) -> Any:
        """The rows there are."""
        return self._relation.rows

    def _key(self, row: Row) -> Row:
        return tuple([row[column] for column in self._merge.source])

    def add(self, rows: Mapping[Row, Any], ask: Callable[[int, tuple[Value | None, ...]], list[Row]]) -> None:
        """Merge rows; one that was merged before has nothing more to give."""
        for row, origin in rows.items():
            if row not in self._seen:
                self._seen.add(row)
                self._add(row, origin, ask)

    def _add(self, row: Row, origin: Any, ask: Callable[[int, tuple[Value | None, ...]], list[Row]]) -> None:
        there = self._by_key.setdefault(self._key(row), [])
        if not there:
            self._put(row, origin, there)
        for old in list(there):
            if row in self._relation.rows:
                return
            answers = ask(self._asked, (old[self._merge.target], row[self._merge.target], None))
            if not answers:
                self._put(row, origin, there)
            for answer in answers:
                merged = (*row[: self._merge.target], answer[2], *row[self._merge.target + 1 :])
                if merged != old:
                    self._drop(old, there)
                    self._put(merged, origin, there)
                    row = merged
                    break

    def _put(self, row: Row, origin: Any, there: list[Row]) -> None:
        if row not in self._relation.rows:
            self._relation.rows[row] = origin
            self._changed[row] = None
            there.append(row)

    def _drop(self, row: Row, there: list[Row]) -> None:
        del self._relation.rows[row]
        self._changed.pop(row, None)
        there.remove(row)

    def settle(self) -> list[Row]:
        """Return the rows that came since the last time, for the next round."""
        changed = list(self._changed)
        self._changed.clear()
        if changed or self._relation.settled != len(self._relation.rows):
            self._relation.forget()
        return changed
