"""Reduce the rows of a group to one value; most reducers of one column also work on a list, as functions."""

from collections.abc import Callable, Iterable, Sequence
from math import copysign, isnan, nan
from operator import add
from sys import float_info
from typing import Any, Final, TypeAlias

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
from mayfly.mangle.builtins._collections import make_tuple
from mayfly.mangle.builtins._entries import (
    DURATION,
    FLOAT,
    FLOAT_OR_NUMBER,
    LIST,
    MAP,
    NUMBER,
    TIME,
    Function,
    Functions,
    Reducer,
    TypeExpression,
    make_float,
    read_value,
    unfit,
)
from mayfly.mangle.builtins._limits import BuiltinError, check_count, checked

Reduce: TypeAlias = Callable[[Iterable[Value]], Value]

REDUCERS_BY_NAME: Final[dict[str, Reducer]] = {}
LIST_REDUCERS: Final = Functions()


def _misplaced(name: str, why: str) -> Callable[..., Value]:
    def refuse(*_: Value) -> Value:
        raise BuiltinError(f"{name} {why}")

    return refuse


def _add_reducer(
    name: str, doc: str, gives: TypeExpression, arity: int | None, *, skips_failures: bool = False
) -> Callable[[Callable[[Sequence[Row]], Value]], None]:
    """Add a reducer of whole rows; as a plain function it is known, and an error."""
    why = "reduces the rows of a group: write it as `let X = …` after `|> do fn:group_by(…)`"

    def register(reduce: Callable[[Sequence[Row]], Value]) -> None:
        minimum = 1 if arity is None else 0
        REDUCERS_BY_NAME[name] = Reducer(
            name=name,
            arity=arity,
            minimum=minimum,
            reduce=reduce,
            skips_failures=skips_failures,
            doc=doc,
            gives=gives,
        )
        LIST_REDUCERS[name] = Function(
            name=name,
            arity=arity,
            minimum=minimum,
            call=_misplaced(name, why),
            doc="A reducer: as a plain function it is an error.",
            gives=gives,
        )

    return register


@_add_reducer("fn:count", "How many rows there are.", NUMBER, 0)
def _count(rows: Sequence[Row]) -> Value:
    return len(rows)


@_add_reducer("fn:avg", "The average of floats and numbers, a float.", FLOAT, 1)
def _avg(rows: Sequence[Row]) -> Value:
    total = 0.0
    for (value,) in rows:
        total += read_value("fn:avg", FLOAT_OR_NUMBER, value)
    return make_float(total / len(rows) if rows else nan)


@_add_reducer(
    "fn:collect",
    "The list of the values of all rows, as tuples if there are several arguments.",
    *(LIST, None),
    skips_failures=True,
)
def _collect(rows: Sequence[Row]) -> Value:
    return _collected("fn:collect", [make_tuple("fn:collect", row) for row in rows])


@_add_reducer("fn:collect_distinct", "The list of the different values of all rows.", LIST, None, skips_failures=True)
def _collect_distinct(rows: Sequence[Row]) -> Value:
    # Of equal values the last one stays, at its place.
    latest = dict.fromkeys(make_tuple("fn:collect_distinct", row) for row in reversed(rows))
    return _collected("fn:collect_distinct", list(reversed(latest)))


def _collected(builtin: str, values: list[Value]) -> Value:
    check_count(builtin, len(values))
    return checked(builtin, List(tuple(values)))


@_add_reducer(
    "fn:collect_to_map",
    "The map of keys to values; of several values of a key, the first.",
    MAP,
    2,
    skips_failures=True,
)
def _collect_to_map(rows: Sequence[Row]) -> Value:
    entries: dict[Value, Value] = {}
    for key, value in rows:
        entries.setdefault(key, value)
    check_count("fn:collect_to_map", 2 * len(entries))
    checked("fn:collect_to_map", List((*entries.keys(), *entries.values())))
    return make_map(entries.items())


@_add_reducer("fn:pick_any", "One of the values; always the same one.", "X", 1)
def _pick_any(rows: Sequence[Row]) -> Value:
    # Any will do, so the first in the order of values: the same answer whatever the order of the rows.
    return min((value for (value,) in rows), key=sort_key)


def _of_integers(name: str, kind: type, combine: Callable[[Iterable[int]], int], empty: int) -> Reduce:
    """Return the reduction of numbers, times or durations by a function of their integers."""
    wanted = {int: "numbers", Time: "times", Duration: "durations"}[kind]

    def reduce(values: Iterable[Value]) -> Value:
        integers: list[Any] = []
        for value in values:
            if type(value) is not kind:
                raise unfit(name, wanted, value)
            integers.append(value.held if isinstance(value, (Time, Duration)) else value)
        found: Value = kind(wrap(combine(integers)) if integers else empty)
        return found

    return reduce


def _of_floats(name: str, combine: Callable[[float, float], float], start: float) -> Reduce:
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
    # With the signs turned round, the larger of the two zeros is -0.0.
    return -_larger(-left, -right)


def _add_column(name: str, gives: str, reduce: Reduce, doc: str) -> None:
    """Add a reducer of one column, which is also a function of a list."""

    def over_rows(rows: Sequence[Row]) -> Value:
        return reduce(row[0] for row in rows)

    REDUCERS_BY_NAME[name] = Reducer(name=name, arity=1, reduce=over_rows, doc=doc, gives=gives)
    LIST_REDUCERS.add(name, f"{doc[:-1]} of a list.", gives, LIST)(reduce)


for _name, _gives, _reduce, _doc in (
    ("fn:max", NUMBER, _of_integers("fn:max", int, max, SMALLEST_NUMBER), "The largest number."),
    ("fn:min", NUMBER, _of_integers("fn:min", int, min, LARGEST_NUMBER), "The smallest number."),
    ("fn:sum", NUMBER, _of_integers("fn:sum", int, sum, 0), "The sum of the numbers."),
    ("fn:float:max", FLOAT, _of_floats("fn:float:max", _larger, -float_info.max), "The largest float."),
    ("fn:float:min", FLOAT, _of_floats("fn:float:min", _smaller, float_info.max), "The smallest float."),
    ("fn:float:sum", FLOAT, _of_floats("fn:float:sum", add, 0.0), "The sum of the floats."),
    (
        "fn:duration:max",
        DURATION,
        _of_integers("fn:duration:max", Duration, max, SMALLEST_NUMBER),
        "The longest duration.",
    ),
    (
        "fn:duration:min",
        DURATION,
        _of_integers("fn:duration:min", Duration, min, LARGEST_NUMBER),
        "The shortest duration.",
    ),
    ("fn:duration:sum", DURATION, _of_integers("fn:duration:sum", Duration, sum, 0), "The sum of the durations."),
    ("fn:time:max", TIME, _of_integers("fn:time:max", Time, max, SMALLEST_NUMBER), "The latest time."),
    ("fn:time:min", TIME, _of_integers("fn:time:min", Time, min, LARGEST_NUMBER), "The earliest time."),
):
    _add_column(_name, _gives, _reduce, _doc)

LIST_REDUCERS.variadic(
    "fn:group_by", "Groups rows by variables, after `|> do`; as a plain function it is an error.", None
)(_misplaced("fn:group_by", "stands after `|> do` only"))
LIST_REDUCERS.add("fn:some", "Known by name only: evaluating it is an error.", ("fn:Option", "X"), "X")(
    _misplaced("fn:some", "is known to the checks of types only and cannot be evaluated")
)
