"""Reduce the rows of a group to one value; most reducers of one column also work on a list, as functions."""

from collections.abc import Callable, Iterable, Sequence
from math import copysign, isnan, nan
from sys import float_info
from typing import Final

from mayfly.mangle._values import (
    LARGEST_NUMBER,
    SMALLEST_NUMBER,
    Duration,
    Float,
    List,
    Row,
    Time,
    Value,
    make_map,
    sort_key,
    wrap,
)
from mayfly.mangle.builtins._arguments import as_float, as_list, make_float, unfit
from mayfly.mangle.builtins._entries import Function, Reducer
from mayfly.mangle.builtins._error import BuiltinError
from mayfly.mangle.builtins._limits import check_count, checked
from mayfly.mangle.builtins._records import make_tuple


def _count(rows: Sequence[Row]) -> Value:
    return len(rows)


def _collect(rows: Sequence[Row]) -> Value:
    return _collected("fn:collect", [make_tuple("fn:collect", row) for row in rows])


def _collect_distinct(rows: Sequence[Row]) -> Value:
    # Of equal values the last one stays, at its place.
    latest = dict.fromkeys(make_tuple("fn:collect_distinct", row) for row in reversed(rows))
    return _collected("fn:collect_distinct", list(reversed(latest)))


def _collected(builtin: str, values: list[Value]) -> Value:
    check_count(builtin, len(values))
    return checked(builtin, List(tuple(values)))


def _collect_to_map(rows: Sequence[Row]) -> Value:
    entries: dict[Value, Value] = {}
    for key, value in rows:
        entries.setdefault(key, value)
    check_count("fn:collect_to_map", 2 * len(entries))
    checked("fn:collect_to_map", List((*entries.keys(), *entries.values())))
    return make_map(entries.items())


def _avg(rows: Sequence[Row]) -> Value:
    total = 0.0
    for (value,) in rows:
        total += as_float("fn:avg", value)
    return make_float(total / len(rows) if rows else nan)


def _pick_any(rows: Sequence[Row]) -> Value:
    # Any will do, so the first in the order of values: the same answer whatever the order of the rows.
    return min((value for (value,) in rows), key=sort_key)


def _of_numbers(name: str, combine: Callable[[Iterable[int]], int], empty: int) -> Callable[[Iterable[Value]], Value]:
    def reduce(values: Iterable[Value]) -> Value:
        numbers: list[int] = []
        for value in values:
            if type(value) is not int:
                raise unfit(name, "numbers", value)
            numbers.append(value)
        return wrap(combine(numbers)) if numbers else empty

    return reduce


def _of_spans(
    name: str, kind: type[Time] | type[Duration], combine: Callable[[Iterable[int]], int], empty: int
) -> Callable[[Iterable[Value]], Value]:
    wanted = "times" if kind is Time else "durations"

    def reduce(values: Iterable[Value]) -> Value:
        spans: list[int] = []
        for value in values:
            if not isinstance(value, (Time, Duration)) or type(value) is not kind:
                raise unfit(name, wanted, value)
            spans.append(value.held)
        return kind(wrap(combine(spans)) if spans else empty)

    return reduce


def _of_floats(name: str, combine: Callable[[float, float], float], start: float) -> Callable[[Iterable[Value]], Value]:
    def reduce(values: Iterable[Value]) -> Value:
        result = start
        for value in values:
            if not isinstance(value, Float):
                raise unfit(name, "floats", value)
            result = combine(result, value.held)
        return make_float(result)

    return reduce


def _larger(left: float, right: float) -> float:
    if isnan(left) or isnan(right):
        return nan
    if left == right:
        return left if copysign(1, left) > 0 else right
    return max(left, right)


def _smaller(left: float, right: float) -> float:
    if isnan(left) or isnan(right):
        return nan
    if left == right:
        return left if copysign(1, left) < 0 else right
    return min(left, right)


def _sum(left: float, right: float) -> float:
    return left + right


_COLUMN: Final = {
    "fn:max": (_of_numbers("fn:max", max, SMALLEST_NUMBER), "The largest number."),
    "fn:min": (_of_numbers("fn:min", min, LARGEST_NUMBER), "The smallest number."),
    "fn:sum": (_of_numbers("fn:sum", sum, 0), "The sum of the numbers."),
    "fn:float:max": (_of_floats("fn:float:max", _larger, -float_info.max), "The largest float."),
    "fn:float:min": (_of_floats("fn:float:min", _smaller, float_info.max), "The smallest float."),
    "fn:float:sum": (_of_floats("fn:float:sum", _sum, 0.0), "The sum of the floats."),
    "fn:duration:max": (_of_spans("fn:duration:max", Duration, max, SMALLEST_NUMBER), "The longest duration."),
    "fn:duration:min": (_of_spans("fn:duration:min", Duration, min, LARGEST_NUMBER), "The shortest duration."),
    "fn:duration:sum": (_of_spans("fn:duration:sum", Duration, sum, 0), "The sum of the durations."),
    "fn:time:max": (_of_spans("fn:time:max", Time, max, SMALLEST_NUMBER), "The latest time."),
    "fn:time:min": (_of_spans("fn:time:min", Time, min, LARGEST_NUMBER), "The earliest time."),
}


def _over_rows(reduce: Callable[[Iterable[Value]], Value]) -> Callable[[Sequence[Row]], Value]:
    def over_rows(rows: Sequence[Row]) -> Value:
        return reduce(row[0] for row in rows)

    return over_rows


def _over_list(name: str, reduce: Callable[[Iterable[Value]], Value]) -> Callable[[Value], Value]:
    def over_list(value: Value) -> Value:
        return reduce(as_list(name, value))

    return over_list


def _misplaced(name: str, why: str) -> Callable[..., Value]:
    def refuse(*_: Value) -> Value:
        raise BuiltinError(f"{name} {why}")

    return refuse


_ROW_REDUCERS: Final = (
    Reducer(name="fn:count", arity=0, reduce=_count, doc="How many rows there are."),
    Reducer(name="fn:avg", arity=1, reduce=_avg, doc="The average of floats and numbers, a float."),
    Reducer(
        name="fn:collect",
        arity=None,
        minimum=1,
        reduce=_collect,
        skips_failures=True,
        doc="The list of the values of all rows, as tuples if there are several arguments.",
    ),
    Reducer(
        name="fn:collect_distinct",
        arity=None,
        minimum=1,
        reduce=_collect_distinct,
        skips_failures=True,
        doc="The list of the different values of all rows.",
    ),
    Reducer(
        name="fn:collect_to_map",
        arity=2,
        reduce=_collect_to_map,
        skips_failures=True,
        doc="The map of keys to values; of several values of a key, the first.",
    ),
    Reducer(name="fn:pick_any", arity=1, reduce=_pick_any, doc="One of the values; always the same one."),
)

ALL_REDUCERS: Final = _ROW_REDUCERS + tuple(
    Reducer(name=name, arity=1, reduce=_over_rows(reduce), doc=doc) for name, (reduce, doc) in _COLUMN.items()
)

_GROUPING: Final = "stands after `|> do` only"
_REDUCING: Final = "reduces the rows of a group: write it as `let X = …` after `|> do fn:group_by(…)`"

LIST_REDUCERS: Final = (
    *(
        Function(name=name, arity=1, call=_over_list(name, reduce), doc=f"{doc[:-1]} of a list.")
        for name, (reduce, doc) in _COLUMN.items()
    ),
    *(
        Function(
            name=reducer.name,
            arity=reducer.arity,
            minimum=reducer.minimum,
            call=_misplaced(reducer.name, _REDUCING),
            doc="A reducer: as a plain function it is an error.",
        )
        for reducer in _ROW_REDUCERS
    ),
    Function(
        name="fn:group_by",
        arity=None,
        call=_misplaced("fn:group_by", _GROUPING),
        doc="Groups rows by variables, after `|> do`; as a plain function it is an error.",
    ),
    Function(
        name="fn:some",
        arity=1,
        call=_misplaced("fn:some", "is known to the checks of types only and cannot be evaluated"),
        doc="Known by name only: evaluating it is an error.",
    ),
)
