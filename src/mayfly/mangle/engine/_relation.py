"""The rows of one predicate, and the hash indices the rules look them up by."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from mayfly.mangle._values import Row


class Lookup(NamedTuple):
    """Which columns are known, and what is wanted of the rows that agree: a column, the whole row, or only whether."""

    key: tuple[int, ...]
    want: int | None
    """A column; WHOLE for the row; None when it is enough to know that there is one."""
    distinct: bool = False
    """Whether a column's values are wanted as a set instead of a list."""


WHOLE = -1


class Relation:
    """Keep rows in the order in which they were derived, each with its origin, and indices over them.

    `rows` is a dict from row to origin (for a round's new rows: a list). An index is built when it is first asked for,
    and brought up to date when it is asked for again: one that only the first round of a recursion needs costs the
    others nothing. Rows that a rule adds are in no index until `settle` is called, so that loops over an index are not
    disturbed.
    """

    __slots__ = ("_extend", "_upto", "indices", "rows", "settled", "weighed")

    def __init__(self, rows: "dict[Row, Any] | list[Row]") -> None:
        self.rows: Any = rows
        self.settled = len(rows)
        self.weighed = len(rows)
        """How many of the rows were looked at for the size of what they hold; the first ones are not new."""
        self.indices: dict[Lookup, Any] = {}
        self._extend: dict[Lookup, Callable[[Iterable[Row]], None]] = {}
        self._upto: dict[Lookup, int] = {}
        """How many of the rows each index has."""

    def __reduce__(self) -> "tuple[type[Relation], tuple[dict[Row, Any] | list[Row]]]":
        # The indices are built anew where they are asked for.
        return Relation, (self.rows,)

    def index(self, lookup: Lookup) -> Any:
        """Return the index for a lookup: a list for no key, a set when existence is enough, else key to list."""
        found = self.indices.get(lookup)
        if found is None:
            found, extend = _build(lookup)
            extend(self.rows if self.settled == len(self.rows) else islice(self.rows, self.settled))
            self._extend[lookup], self._upto[lookup] = extend, self.settled
            # Last, because other threads may ask for it.
            self.indices[lookup] = found
        elif self._upto[lookup] < self.settled:
            added = self.newest(len(self.rows) - self._upto[lookup])
            del added[self.settled - self._upto[lookup] :]
            self._extend[lookup](added)
            self._upto[lookup] = self.settled
        return found

    def covered(self, lookup: Lookup, before: int) -> None:
        """Note that a rule has put all its rows into an index itself, having begun with *before* rows."""
        if self._upto[lookup] == before:
            self._upto[lookup] = len(self.rows)

    def newest(self, count: int) -> list[Row]:
        """Return the last rows that were added, oldest first."""
        rows = list(islice(reversed(self.rows), count))
        rows.reverse()
        return rows

    def settle(self) -> list[Row]:
        """Have the indices see the rows that were added since the last time, and return those, oldest first."""
        added = self.newest(len(self.rows) - self.settled)
        self.settled = len(self.rows)
        return added

    def close(self) -> int:
        """Do as `settle` does, where nobody needs the rows; return how many were added."""
        count = len(self.rows) - self.settled
        self.settled += count
        return count

    def forget(self) -> None:
        """Drop the indices after rows were taken out; they are built anew when they are next asked for."""
        self.indices.clear()
        self._extend.clear()
        self._upto.clear()
        self.settled = len(self.rows)


def _build(lookup: Lookup) -> tuple[Any, Callable[[Iterable[Row]], None]]:
    """Return an empty index and the function that adds rows to it; the rows are gone through in C where possible."""
    column = None if lookup.want in (None, WHOLE) else itemgetter(lookup.want)
    if not lookup.key:
        everything: list[Any] = []
        return everything, lambda rows: everything.extend(rows if column is None else map(column, rows))
    key = itemgetter(*lookup.key)
    if lookup.want is None:
        known: set[Any] = set()
        return known, lambda rows: known.update(map(key, rows))
    table: defaultdict[Any, Any] = defaultdict(set if lookup.distinct else list)
    put: Any = set.add if lookup.distinct else list.append

    def add(rows: Iterable[Row]) -> None:
        listed = list(rows)
        for known, value in zip(map(key, listed), listed if column is None else map(column, listed), strict=True):
            put(table[known], value)

    return table, add
