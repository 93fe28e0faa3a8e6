"""Answer a query on the host: plainly, over rows in memory. What programs answer is held against this."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median, stdev
from typing import NamedTuple, TypeVar, cast

from mayfly.language.question import Column, Expression, Measure, PartOf, Query, tell
from mayfly.synthesis.records._model import Field
from mayfly.synthesis.records._values import Row, Values, compared, identity, is_number, key_text, sort_key

_T = TypeVar("_T")
# Sums and averages are rounded to this many digits, so that the order of additions does not show.
DIGITS = 6
# What measures are called in answers, where that is not the name of their function.
_LABELS = {
    "mean": "average",
    "stdev": "standard deviation",
    "share": "percent",
    "ratio": "percent",
    "mode": "most common",
}


class Answer(NamedTuple):
    """The value of a query, and how many records it was made of, how many were passed over."""

    value: object
    used: int
    filtered: int


class _Group(NamedTuple):
    """The values of the keys that some rows share, and the measures of these rows."""

    keys: list[object]
    values: list[object]


def evaluate(query: Query, rows: Sequence[Row], fields: Mapping[str, Field]) -> Answer:
    """Return the answer to *query* over *rows*, whose values go by the names of *fields*."""
    return _Evaluation(query, rows, fields).answer()


class _Evaluation:
    """Hold one query and the rows it is asked of."""

    def __init__(self, query: Query, rows: Sequence[Row], fields: Mapping[str, Field]) -> None:
        self.query, self.rows, self.fields = query, rows, fields
        self.values = Values(fields, rows)

    def answer(self) -> Answer:
        query = self.query
        where = query.where
        kept = [row for row in self.rows if where is None or self.values.holds(where, row)]
        used, filtered = len(kept), len(self.rows) - len(kept)
        if query.items is not None:
            kept = _one_for_each_item(kept, query.items)
        value = self._picked(kept) if query.pick else self._measured(kept) if query.measures else self._listed(kept)
        return Answer(value, used, filtered)

    # Groups and their measures.

    def _measured(self, rows: Sequence[Row]) -> object:
        query = self.query
        if not query.keys:
            values = [self._finished(self._measure(one, rows)) for one in query.measures]
            return values[0] if len(values) == 1 else values
        found = [
            _Group(keys, [self._measure(one, held) for one in query.measures]) for keys, held in self._groups(rows)
        ]
        # A group of which nothing is known is none: nobody's average is asked for.
        found = [one for one in found if any(value is not None for value in one.values)]
        found = _in_percent(found) if query.of_total else found
        if query.having:
            operator, number = query.having
            found = [one for one in found if compared(one.values[0], operator, number)]
        if query.tally:
            return len(found)
        found = [_Group(keys, [self._finished(value) for value in values]) for keys, values in self._in_order(found)]
        return self._shaped(found)

    def _groups(self, rows: Iterable[Row]) -> Iterable[tuple[list[object], list[Row]]]:
        """Return the rows of each group with its keys; rows of another sort, which have no such key, belong to none."""
        groups: dict[str, tuple[list[object], list[Row]]] = {}
        elsewhere = partial_keys(self.query.keys, self.fields)
        for row in rows:
            keys = [self.values.value(of, row) for of in self.query.keys]
            if all(keys[place] is not None for place in elsewhere):
                groups.setdefault(identity(keys), (keys, []))[1].append(row)
        return groups.values()

    def _in_order(self, found: list[_Group]) -> list[_Group]:
        """Sort groups as asked, then by all their keys."""
        query = self.query
        found = sorted(found, key=lambda one: [sort_key(key) for key in one.keys])
        for order in reversed(query.order):
            if isinstance(order.by, int):
                ranks = [one.values[order.by] for one in found]
            else:
                ranks = [one.keys[query.keys.index(order.by)] for one in found]
            found = _sorted(found, ranks, descending=order.descending)
        return _cut(found, query)

    def _shaped(self, found: Sequence[_Group]) -> object:
        query, names = self.query, labels(self.query)
        if len(query.keys) == 1 and not query.order and query.limit is None and query.last is None:
            values = [one.values[0] if len(names) == 1 else dict(zip(names, one.values, strict=True)) for one in found]
            return {key_text(one.keys[0]): value for one, value in zip(found, values, strict=True)}
        titles = [*map(title_of, query.keys), *names]
        return [dict(zip(titles, [*one.keys, *one.values], strict=True)) for one in found]

    def _finished(self, value: object) -> object:
        """Return a value in the unit that was asked for, and rounded."""
        if not is_number(value):
            return value
        if self.query.scale:
            value = value / self.query.scale[1]
        if not isinstance(value, float):
            return value
        return round(value, DIGITS) if self.query.digits is None else rounded(value, self.query.digits)

    # Measures.

    def _measure(self, measure: Measure, rows: Sequence[Row]) -> object:
        """Return the value of a measure; None where there is nothing to make it of."""
        name, of = measure.function, measure.of
        if name == "count":
            return len(rows)
        if name == "share":
            hits = [row for row in rows if measure.where is not None and self.values.holds(measure.where, row)]
            whole = self._count_apart(of, rows)
            return 100 * self._count_apart(of, hits) / whole if whole else None
        assert of is not None
        if name == "ratio":
            assert measure.per is not None
            part, total = (self._sum(one, rows) for one in (of, measure.per))
            return 100 * part / total if total else None
        given = [row for row in rows if self.values.rank(of, row) not in (None, "")]
        if name == "unique":
            return self._count_apart(of, given)
        if not given:
            # Of no numbers the sum is nothing; a group of which nothing is known is left out.
            return 0 if name == "sum" and not self.query.keys else None
        return self._of_given(measure, of, given)

    def _of_given(self, measure: Measure, of: Expression, rows: Sequence[Row]) -> object:
        """Return the value of a measure of rows that all have a value."""
        name = measure.function
        if name in ("first", "last"):
            return self.values.value(of, rows[0 if name == "first" else -1])
        if name in ("min", "max"):
            choose = min if name == "min" else max
            return self.values.value(of, choose(rows, key=lambda row: sort_key(self.values.rank(of, row))))
        if name == "mode":
            counts = Counter(key_text(self.values.value(of, row)) for row in rows)
            return min(counts, key=lambda one: (-counts[one], one))
        ranks = [self.values.rank(of, row) for row in rows]
        if self.values.is_moment(of):
            moments = cast("list[datetime]", ranks)
            return (max(moments) - min(moments)).total_seconds()
        return _of_numbers(measure, cast("list[int | float]", ranks))

    def _count_apart(self, of: Expression | None, rows: Sequence[Row]) -> int:
        """Return how many rows there are, or how many different values of an expression."""
        if of is None:
            return len(rows)
        held = (self.values.value(of, row) for row in rows)
        return len({identity(value) for value in held if value is not None})

    def _sum(self, of: Expression, rows: Sequence[Row]) -> float:
        return math.fsum(value for row in rows if is_number(value := self.values.value(of, row)))

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
        given = [row for row in rows if self.values.rank(pick.by, row) is not None]
        return self._sorted_by(pick.by, given, descending=pick.descending)[: pick.number]

    def _listed(self, rows: list[Row]) -> object:
        query = self.query
        for order in reversed(query.order):
            assert not isinstance(order.by, int)
            rows = self._sorted_by(order.by, rows, descending=order.descending)
        if query.unique:
            shown = _once(map(self._shown, rows))
            shown = [one for one in shown if one is not None] if len(query.columns) == 1 else shown
            shown = _cut(shown, query)
        else:
            shown = [self._shown(row) for row in _cut(rows, query)]
        return len(shown) if query.tally else shown

    def _sorted_by(self, of: Expression, rows: list[Row], *, descending: bool) -> list[Row]:
        return _sorted(rows, [self.values.rank(of, row) for row in rows], descending=descending)

    def _shown(self, row: Row) -> object:
        """Return a record as the answer has it: some columns, the line as it is, or all columns."""
        query = self.query
        if query.columns:
            if len(query.columns) == 1 and not query.added:
                return self.values.value(query.columns[0], row)
            return {title_of(of): self.values.value(of, row) for of in query.columns}
        data = row.get("")
        listed = all(one.origin == "all" or one.name == "text" for one in self.fields.values())
        plain = isinstance(data, str) and listed and not query.added
        as_it_is = isinstance(data, Mapping) and not (query.added or query.renamed or query.dropped)
        if query.lines or plain or as_it_is:
            return data
        names = dict(query.renamed)
        held = {names.get(name, name): value for name, value in row.items() if name and name not in query.dropped}
        return {**held, **{one.name: self._finished(self.values.value(one.of, row)) for one in query.added}}


def _one_for_each_item(rows: Iterable[Row], column: Column) -> list[Row]:
    found: list[Row] = []
    for row in rows:
        held = row.get(column.name)
        found += [{**row, column.name: item} for item in (held if isinstance(held, list) else [])]
    return found


def _in_percent(found: Sequence[_Group]) -> list[_Group]:
    """Return the first measure of groups in percent of its sum."""
    total = math.fsum(one.values[0] for one in found if is_number(one.values[0]))
    return [
        _Group(one.keys, [100 * one.values[0] / total if total and is_number(one.values[0]) else None]) for one in found
    ]


def _of_numbers(measure: Measure, values: list[int | float]) -> int | float:
    name = measure.function
    if name == "sum":
        return sum(values) if all(isinstance(one, int) for one in values) else math.fsum(values)
    if name == "mean":
        return math.fsum(values) / len(values)
    if name == "median":
        return median(values)
    if name == "range":
        return max(values) - min(values)
    if name == "stdev":
        return stdev(values) if len(values) > 1 else 0.0
    return percentile(values, measure.at)


def percentile(values: Sequence[int | float], at: float) -> float:
    """Return a percentile by linear interpolation between the two nearest values, as spreadsheets do."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * at / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def rounded(value: float, digits: int) -> float:
    """Round as SQL does and people expect it: a half goes up, away from zero."""
    return math.copysign(math.floor(abs(value) * 10**digits + 0.5) / 10**digits, value)


def partial_keys(keys: Sequence[Expression], fields: Mapping[str, Field]) -> list[int]:
    """Return which keys only records of one sort have: the others belong to no group, and not to one without a name."""
    columns = [of.of if isinstance(of, PartOf) else of for of in keys]
    held = [fields.get(of.name) if isinstance(of, Column) else None for of in columns]
    return [place for place, field in enumerate(held) if field is not None and field.partial]


def _sorted(items: Sequence[_T], ranks: Sequence[object], *, descending: bool) -> list[_T]:
    """Sort items by their ranks; what has none is neither large nor small, and comes last."""
    pairs = list(zip(ranks, items, strict=True))
    given = [pair for pair in pairs if pair[0] is not None]
    given.sort(key=lambda pair: sort_key(pair[0]), reverse=descending)
    return [item for _, item in given] + [item for rank, item in pairs if rank is None]


def _once(items: Iterable[object]) -> list[object]:
    found: dict[str, object] = {}
    for item in items:
        found.setdefault(identity(item), item)
    return list(found.values())


def _cut(items: list[_T], query: Query) -> list[_T]:
    if query.last is not None:
        return items[-query.last :] if query.last else []
    stop = None if query.limit is None else query.skip + query.limit
    return items[query.skip : stop]


# What the columns of an answer are called.


def labels(query: Query) -> list[str]:
    """Return what the measures of a query are called in its answer, each once."""
    if query.of_total:
        return ["percent"] * len(query.measures)
    several = len(query.measures) > 1 or bool(query.keys)
    return [_label(measure, several=several) for measure in query.measures]


def _label(measure: Measure, *, several: bool) -> str:
    name = f"p{measure.at:g}" if measure.function == "percentile" else _LABELS.get(measure.function, measure.function)
    return (
        f"{name} {title_of(measure.of)}" if several and measure.of is not None and measure.function != "ratio" else name
    )


def title_of(expression: Expression) -> str:
    """Return what the column of an answer is called."""
    if isinstance(expression, Column):
        return expression.name or "line"
    if isinstance(expression, PartOf):
        return expression.part
    return tell(Query(columns=(expression,))).removeprefix("columns ")
