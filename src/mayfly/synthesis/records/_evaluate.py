"""Answer a query on the host: plainly, over rows in memory. What generated programs answer is held against this."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from mayfly.language.question import Column, Expression, PartOf, Query
from mayfly.synthesis.records._gauge import Gauge
from mayfly.synthesis.records._labels import labels, title_of
from mayfly.synthesis.records._match import Matcher, is_ordered
from mayfly.synthesis.records._model import Field
from mayfly.synthesis.records._values import Row, Values, key_text, sort_key

_T = TypeVar("_T")
# Sums and averages are rounded to this many digits, so that the order of additions does not show.
DIGITS = 6


class Answer(NamedTuple):
    """The value of a query, and how many records it was made of, how many were passed over."""

    value: object
    used: int
    filtered: int


def evaluate(query: Query, rows: Sequence[Row], fields: Mapping[str, Field]) -> Answer:
    """Return the answer to *query* over *rows*, whose values go by the names of *fields*."""
    return _Evaluation(query, rows, fields).answer()


class _Evaluation:
    """Hold one query and the rows it is asked of."""

    def __init__(self, query: Query, rows: Sequence[Row], fields: Mapping[str, Field]) -> None:
        self.query, self.fields = query, fields
        self.values = Values(fields=fields)
        self.matcher = Matcher(self.values)
        self.gauge = Gauge(self.values, self.matcher, grouped=bool(query.keys))
        self.rows = list(rows)

    def answer(self) -> Answer:
        query = self.query
        kept = self.rows if query.where is None else self.matcher.filter(self.rows, query.where)
        used, filtered = len(kept), len(self.rows) - len(kept)
        if query.items:
            kept = self._items(kept)
        if query.pick:
            return Answer(self._picked(kept), used, filtered)
        if query.measures:
            return Answer(self._measured(kept), used, filtered)
        return Answer(self._listed(kept), used, filtered)

    def _items(self, rows: Iterable[Row]) -> list[Row]:
        column = self.query.items
        assert column is not None
        found: list[Row] = []
        for row in rows:
            held = row.get(column.name)
            found += [{**row, column.name: item} for item in (held if isinstance(held, list) else [])]
        return found

    # Measures.

    def _measured(self, rows: Sequence[Row]) -> object:
        query = self.query
        if not query.keys:
            values = [self._finish(self.gauge.measure(one, rows)) for one in query.measures]
            return values[0] if len(values) == 1 else values
        found = [(key, [self.gauge.measure(one, held) for one in query.measures]) for key, held in self._groups(rows)]
        # A group of which nothing is known is none: nobody's average is asked for.
        found = self._of_total([one for one in found if any(value is not None for value in one[1])])
        if query.having:
            operator, number = query.having
            found = [one for one in found if is_ordered(operator, one[1][0], number)]
        if query.tally:
            return len(found)
        found.sort(key=lambda one: [sort_key(part) for part in one[0]])
        found = self._in_order(found)
        finished = [(key, [self._finish(value) for value in values]) for key, values in found]
        return self._shaped(finished)

    def _groups(self, rows: Sequence[Row]) -> Iterable[tuple[list[object], list[Row]]]:
        """Return the rows of each group with its keys; rows of another sort, which have no such key, belong to none."""
        groups: dict[str, tuple[list[object], list[Row]]] = {}
        elsewhere = partial_keys(self.query.keys, self.fields)
        for row in rows:
            key = [self.values.of(of, row) for of in self.query.keys]
            if all(key[place] is not None for place in elsewhere):
                groups.setdefault(json.dumps(key, sort_keys=True), (key, []))[1].append(row)
        return groups.values()

    def _of_total(self, found: list[tuple[list[object], list[object]]]) -> list[tuple[list[object], list[object]]]:
        if not self.query.of_total:
            return found
        total = math.fsum(float(values[0]) for _, values in found if isinstance(values[0], (int, float)))
        return [
            (key, [100 * values[0] / total if total and isinstance(values[0], (int, float)) else None])
            for key, values in found
        ]

    def _in_order(self, found: list[tuple[list[object], list[object]]]) -> list[tuple[list[object], list[object]]]:
        query = self.query
        for order in reversed(query.order):
            by = order.by
            place = by if isinstance(by, int) else query.keys.index(by)
            part = 1 if isinstance(by, int) else 0
            given = [one for one in found if one[part][place] is not None]
            given.sort(key=lambda one, part=part, place=place: sort_key(one[part][place]), reverse=order.descending)  # type: ignore[misc]
            # What is missing is neither large nor small.
            found = given + [one for one in found if one[part][place] is None]
        return _cut(found, query)

    def _shaped(self, found: Sequence[tuple[list[object], list[object]]]) -> object:
        query = self.query
        plain = len(query.keys) == 1 and not query.order and query.limit is None and query.last is None
        names = labels(query)
        if plain and len(names) == 1:
            return {key_text(key[0]): values[0] for key, values in found}
        if plain:
            return {key_text(key[0]): dict(zip(names, values, strict=True)) for key, values in found}
        titles = [title_of(of) for of in query.keys]
        return [dict(zip([*titles, *names], [*key, *values], strict=True)) for key, values in found]

    def _finish(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        if self.query.scale:
            value = value / self.query.scale[1]
        if self.query.digits is not None and isinstance(value, float):
            return rounded(value, self.query.digits)
        return round(value, DIGITS) if isinstance(value, float) else value

    # Records.

    def _picked(self, rows: Sequence[Row]) -> object:
        """Take some records of each group; by a single key they are told by that, unless only doubles are left out."""
        pick, keys = self.query.pick, self.query.keys
        assert pick is not None
        found: dict[str, list[object]] = {}
        for held, group in self._groups(rows):
            taken = self._first_of(group)
            if taken:
                found.setdefault(" / ".join(map(key_text, held)), []).extend(self._shown(row) for row in taken)
        if self.query.unique or len(keys) != 1:
            return [one for held in found.values() for one in held]
        return {key: held[0] if pick.number == 1 else held for key, held in sorted(found.items())}

    def _first_of(self, rows: list[Row]) -> list[Row]:
        pick = self.query.pick
        assert pick is not None
        if pick.by is None:
            return rows[-pick.number :] if pick.last else rows[: pick.number]
        by = pick.by
        given = [row for row in rows if self.values.comparable(by, row) is not None]
        given.sort(key=lambda row: sort_key(self.values.comparable(by, row)), reverse=pick.descending)
        return given[: pick.number]

    def _listed(self, rows: list[Row]) -> object:
        query = self.query
        for order in reversed(query.order):
            by = order.by
            assert not isinstance(by, int)
            given = [row for row in rows if self.values.comparable(by, row) is not None]
            rest = [row for row in rows if self.values.comparable(by, row) is None]
            given.sort(key=lambda row, by=by: sort_key(self.values.comparable(by, row)), reverse=order.descending)  # type: ignore[misc]
            rows = [*given, *rest]
        if query.unique:
            shown: list[object] = _once(self._shown(row) for row in rows)
            shown = [one for one in shown if one is not None] if len(query.columns) == 1 else shown
            shown = _cut(shown, query)
        else:
            shown = [self._shown(row) for row in _cut(rows, query)]
        return len(shown) if query.tally else shown

    def _shown(self, row: Row) -> object:
        query = self.query
        if query.columns:
            if len(query.columns) == 1 and not query.added:
                return self.values.of(query.columns[0], row)
            return {title_of(of): self.values.of(of, row) for of in query.columns}
        data = row.get("")
        listed = all(one.origin == "all" or one.name == "text" for one in self.fields.values())
        plain = isinstance(data, str) and listed and not query.added
        as_it_is = isinstance(data, Mapping) and not (query.added or query.renamed or query.dropped)
        if query.lines or plain or as_it_is:
            return data
        names = dict(query.renamed)
        held = {names.get(name, name): value for name, value in row.items() if name and name not in query.dropped}
        return {**held, **{one.name: self._finish(self.values.of(one.of, row)) for one in query.added}}


def rounded(value: float, digits: int) -> float:
    """Round as SQL does and people expect it: a half goes up, away from zero."""
    return math.copysign(math.floor(abs(value) * 10**digits + 0.5) / 10**digits, value)


def partial_keys(keys: Sequence[Expression], fields: Mapping[str, Field]) -> list[int]:
    """Return which keys only records of one sort have: the others belong to no group, and not to one without a name."""
    columns = [of.of if isinstance(of, PartOf) else of for of in keys]
    held = [fields.get(of.name) if isinstance(of, Column) else None for of in columns]
    return [place for place, field in enumerate(held) if field is not None and field.partial]


def _cut(items: list[_T], query: Query) -> list[_T]:
    if query.last is not None:
        return items[-query.last :] if query.last else []
    stop = None if query.limit is None else query.skip + query.limit
    return items[query.skip : stop]


def _once(items: Iterable[object]) -> list[object]:
    found: dict[str, object] = {}
    for item in items:
        found.setdefault(json.dumps(item, sort_keys=True), item)
    return list(found.values())
