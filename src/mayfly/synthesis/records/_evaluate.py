"""Answer a query on the host: plainly, over rows in memory. What generated programs answer is held against this."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median, stdev
from typing import NamedTuple, TypeVar, cast

from mayfly.language.question import (
    And,
    Column,
    Compare,
    Condition,
    Expression,
    Measure,
    Missing,
    Not,
    Or,
    PartOf,
    Query,
    Recent,
    Repeated,
)
from mayfly.synthesis.records._model import Field
from mayfly.synthesis.records._values import Row, Values, key_text

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
        self.rows = list(rows)

    def answer(self) -> Answer:
        query = self.query
        kept = self.rows if query.where is None else self._filter(self.rows, query.where)
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

    # Conditions.

    def _filter(self, rows: Sequence[Row], where: Condition) -> list[Row]:
        test = self._test(where, rows)
        return [row for row in rows if test(row)]

    def _test(self, condition: Condition, rows: Sequence[Row]) -> Callable[[Row], bool]:
        if isinstance(condition, And):
            every = [self._test(one, rows) for one in condition.of]
            return lambda row: all(test(row) for test in every)
        if isinstance(condition, Or):
            some = [self._test(one, rows) for one in condition.of]
            return lambda row: any(test(row) for test in some)
        if isinstance(condition, Not):
            inner = self._test(condition.of, rows)
            return lambda row: not inner(row)
        if isinstance(condition, Missing):
            of = condition.of
            return lambda row: self.values.of(of, row) in (None, "", [])
        if isinstance(condition, Recent):
            return self._recent(condition, rows)
        if isinstance(condition, Repeated):
            return self._repeated(condition, rows)
        return self._compare(condition)

    def _recent(self, condition: Recent, rows: Sequence[Row]) -> Callable[[Row], bool]:
        moments = [when for row in rows if (when := self.values.moment(condition.of, row))]
        since = max(moments) - timedelta(seconds=condition.seconds) if moments else datetime.max
        return lambda row: (when := self.values.moment(condition.of, row)) is not None and when >= since

    def _repeated(self, condition: Repeated, rows: Sequence[Row]) -> Callable[[Row], bool]:
        counts: dict[str, int] = {}

        def key(row: Row) -> str:
            held = [self.values.of(of, row) for of in condition.of] if condition.of else [_whole(row)]
            return json.dumps(held, sort_keys=True)

        for row in rows:
            counts[key(row)] = counts.get(key(row), 0) + 1
        given = condition.of or (Column(name=""),)

        def test(row: Row) -> bool:
            return counts[key(row)] > 1 and all(self.values.of(of, row) not in (None, "") for of in given)

        return test

    def _compare(self, condition: Compare) -> Callable[[Row], bool]:
        left, operator, value = condition.left, condition.operator, condition.value
        if operator == "during":
            start, end = cast("tuple[datetime, datetime]", value)
            return lambda row: (when := self.values.moment(left, row)) is not None and start <= when < end
        if isinstance(value, Column):
            other = value
            return lambda row: _ordered(operator, self.values.comparable(left, row), self.values.comparable(other, row))
        if operator in ("contains", "has word"):
            pattern = re.compile(re.escape(str(value)), re.IGNORECASE)
            return lambda row: _contains(pattern, self.values.of(left, row))
        if operator == "starts with":
            return lambda row: str(self.values.of(left, row) or "").startswith(str(value))
        if operator == "ends with":
            return lambda row: str(self.values.of(left, row) or "").endswith(str(value))
        if operator == "between":
            low, high = cast("tuple[float, float]", value)
            return lambda row: (
                _ordered(">=", self.values.of(left, row), low) and _ordered("<=", self.values.of(left, row), high)
            )
        if operator == "in":
            held = value if isinstance(value, tuple) else (value,)
            return lambda row: any(_same(self.values.of(left, row), one) for one in held)
        if operator == "=":
            return lambda row: _same(self.values.of(left, row), value)
        if operator == "!=":
            return lambda row: not _same(self.values.of(left, row), value)
        return lambda row: _ordered(operator, self.values.of(left, row), value)

    # Measures.

    def _measured(self, rows: Sequence[Row]) -> object:
        query = self.query
        if not query.keys:
            values = [self._finish(self._measure(one, rows)) for one in query.measures]
            return values[0] if len(values) == 1 else values
        groups: dict[str, tuple[list[object], list[Row]]] = {}
        elsewhere = partial_keys(query.keys, self.fields)
        for row in rows:
            key = [self.values.of(of, row) for of in query.keys]
            if any(key[place] is None for place in elsewhere):
                continue
            groups.setdefault(json.dumps(key, sort_keys=True), (key, []))[1].append(row)
        found = [(key, [self._measure(one, held) for one in query.measures]) for key, held in groups.values()]
        # A group of which nothing is known is none: nobody's average is asked for.
        found = self._of_total([one for one in found if any(value is not None for value in one[1])])
        if query.having:
            operator, number = query.having
            found = [one for one in found if _ordered(operator, one[1][0], number)]
        if query.tally:
            return len(found)
        found.sort(key=lambda one: [_sort_key(part) for part in one[0]])
        found = self._in_order(found)
        finished = [(key, [self._finish(value) for value in values]) for key, values in found]
        return self._shaped(finished)

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
            found.sort(key=lambda one, part=part, place=place: _sort_key(one[part][place]), reverse=order.descending)  # type: ignore[misc]
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

    def _measure(self, measure: Measure, rows: Sequence[Row]) -> object:
        if measure.function == "count":
            return len(rows)
        if measure.function == "share":
            hits = self._filter(rows, measure.where) if measure.where else []
            told = self._told_apart(measure.of, rows)
            return 100 * self._told_apart(measure.of, hits) / told if told else None
        assert measure.of is not None
        if measure.function == "ratio":
            assert measure.per is not None
            part, whole = (self._total(of, rows) for of in (measure.of, measure.per))
            return 100 * part / whole if whole else None
        moments = self.values.is_moment(measure.of)
        held = [(self.values.comparable(measure.of, row), self.values.of(measure.of, row)) for row in rows]
        held = [pair for pair in held if pair[0] is not None and pair[0] != ""]
        if measure.function == "unique":
            return len({json.dumps(value, sort_keys=True) for _, value in held})
        if not held:
            # Of no numbers the sum is nothing; a group of which nothing is known is left out.
            return 0 if measure.function == "sum" and not self.query.keys else None
        if measure.function in ("first", "last"):
            return held[0 if measure.function == "first" else -1][1]
        if measure.function in ("min", "max"):
            choose = min if measure.function == "min" else max
            return choose(held, key=lambda pair: _sort_key(pair[0]))[1]
        if measure.function == "mode":
            counts: dict[str, int] = {}
            for _, value in held:
                counts[key_text(value)] = counts.get(key_text(value), 0) + 1
            return min(counts, key=lambda one: (-counts[one], one))
        if moments:
            first, last = (choose(pair[0] for pair in held) for choose in (min, max))  # type: ignore[type-var]
            return (last - first).total_seconds()  # type: ignore[operator]
        return _number(measure, [float(pair[0]) if isinstance(pair[0], float) else pair[0] for pair in held])  # type: ignore[misc]

    def _told_apart(self, of: Expression | None, rows: Sequence[Row]) -> int:
        """Return how many rows there are, or how many different values of an expression."""
        if of is None:
            return len(rows)
        held = (self.values.of(of, row) for row in rows)
        return len({json.dumps(value, sort_keys=True) for value in held if value is not None})

    def _total(self, of: Expression, rows: Sequence[Row]) -> float:
        held = [value for row in rows if isinstance(value := self.values.of(of, row), (int, float))]
        return math.fsum(held)

    def _finish(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        if self.query.scale:
            value = value / self.query.scale[1]
        if self.query.digits is not None:
            return round(value, self.query.digits)
        return round(value, DIGITS) if isinstance(value, float) else value

    # Records.

    def _picked(self, rows: Sequence[Row]) -> object:
        """Take some records of each group; by a single key they are told by that, unless only doubles are left out."""
        pick, keys = self.query.pick, self.query.keys
        assert pick is not None
        groups: dict[str, tuple[list[object], list[Row]]] = {}
        elsewhere = partial_keys(keys, self.fields)
        for row in rows:
            key = [self.values.of(of, row) for of in keys]
            if any(key[place] is None for place in elsewhere):
                continue
            groups.setdefault(json.dumps(key, sort_keys=True), (key, []))[1].append(row)
        found: dict[str, list[object]] = {}
        for held, group in groups.values():
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
        given.sort(key=lambda row: _sort_key(self.values.comparable(by, row)), reverse=pick.descending)
        return given[: pick.number]

    def _listed(self, rows: list[Row]) -> object:
        query = self.query
        for order in reversed(query.order):
            by = order.by
            assert not isinstance(by, int)
            given = [row for row in rows if self.values.comparable(by, row) is not None]
            rest = [row for row in rows if self.values.comparable(by, row) is None]
            given.sort(key=lambda row, by=by: _sort_key(self.values.comparable(by, row)), reverse=order.descending)  # type: ignore[misc]
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


def _whole(row: Row) -> object:
    return {name: value for name, value in row.items() if name} or row.get("")


def _once(items: Iterable[object]) -> list[object]:
    found: dict[str, object] = {}
    for item in items:
        found.setdefault(json.dumps(item, sort_keys=True), item)
    return list(found.values())


def _sort_key(value: object) -> tuple[int, object]:
    """Sort what is missing last, numbers by size, anything else as text."""
    if value is None:
        return 3, ""
    if isinstance(value, (int, float)):
        return 0, value
    if isinstance(value, datetime):
        return 1, value
    return 2, str(value)


def _same(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def _ordered(operator: str, one: object, other: object) -> bool:
    """Compare two values by size; what cannot be compared is never so."""
    if one is None or other is None:
        return operator == "!=" and one is not other
    numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
    alike = numbers or (isinstance(one, str) and isinstance(other, str)) or type(one) is type(other)
    if not alike or isinstance(one, bool) or isinstance(other, bool):
        return operator == "!="
    tests: dict[str, bool] = {
        "=": one == other,
        "!=": one != other,
        "<": one < other,  # type: ignore[operator]
        "<=": one <= other,  # type: ignore[operator]
        ">": one > other,  # type: ignore[operator]
        ">=": one >= other,  # type: ignore[operator]
    }
    return tests[operator]


def _contains(pattern: re.Pattern[str], value: object) -> bool:
    if isinstance(value, list):
        return any(pattern.fullmatch(str(item)) for item in value)
    return value is not None and bool(pattern.search(str(value)))


def _number(measure: Measure, values: list[int | float]) -> object:
    if measure.function == "sum":
        return sum(values) if all(isinstance(one, int) for one in values) else math.fsum(values)
    if measure.function == "mean":
        return math.fsum(values) / len(values)
    if measure.function == "median":
        return median(values)
    if measure.function == "range":
        return max(values) - min(values)
    if measure.function == "stdev":
        return stdev(values) if len(values) > 1 else 0.0
    return percentile(values, measure.at)


def percentile(values: Sequence[int | float], at: float) -> float:
    """Return a percentile by linear interpolation between the two nearest values, as spreadsheets do."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * at / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


_NAMES = {
    "mean": "average",
    "stdev": "standard deviation",
    "unique": "unique",
    "share": "percent",
    "mode": "most common",
}


def labels(query: Query) -> list[str]:
    """Return what the measures of a query are called in its answer, each once."""
    found: list[str] = []
    for measure in query.measures:
        name = _NAMES.get(measure.function, measure.function)
        if measure.function == "percentile":
            name = f"p{measure.at:g}"
        if measure.function == "ratio":
            name = "percent"
        elif measure.of is not None and (len(query.measures) > 1 or query.keys):
            name = f"{name} {title_of(measure.of)}"
        found.append(name if not query.of_total else "percent")
    return found


def title_of(expression: Expression) -> str:
    """Return what the column of an answer is called."""
    if isinstance(expression, Column):
        return expression.name or "line"
    if isinstance(expression, PartOf):
        return expression.part
    from mayfly.language.question import tell

    return tell(Query(columns=(expression,))).removeprefix("columns ")
