"""Reduce the rows of a group to one value; most reducers of one column also work on a list, as functions."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import copysign, isnan, nan
from operator import add
from sys import float_info
from typing import Any, Final

from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, List, Row, Value, make_map, sort_key
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
    Reducer,
    TypeExpression,
    by_name,
    function,
    make_float,
    maker,
    reader,
    variadic,
)
from mayfly.mangle.builtins._limits import BuiltinError, check_count, checked


def _misplaced(name: str, why: str) -> Callable[..., Value]:
    def refuse(*_: Value) -> Value:
        raise BuiltinError(f"{name} {why}")

    return refuse


def _avg(rows: Sequence[Row]) -> Value:
    total, size = 0.0, reader("fn:avg", FLOAT_OR_NUMBER)
    for (value,) in rows:
        total += size(value)
    return make_float(total / len(rows) if rows else nan)


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


def _pick_any(rows: Sequence[Row]) -> Value:
    # Any will do, so the first in the order of values: the same answer whatever the order of the rows.
    return min((value for (value,) in rows), key=sort_key)


def _larger(left: float, right: float) -> float:
    if isnan(left) or isnan(right):
        return nan
    if left == right:
        return left if copysign(1, left) > 0 else right
    return max(left, right)


def _smaller(left: float, right: float) -> float:
    # With the signs turned round, the larger of the two zeros is -0.0.
    return -_larger(-left, -right)


def _over_rows(
    name: str,
    doc: str,
    reduce: Callable[[Sequence[Row]], Value],
    gives: TypeExpression,
    arity: int | None,
    *,
    skips_failures: bool = False,
) -> tuple[Reducer, Function]:
    """Return a reducer of whole rows; as a plain function it is known, and an error."""
    why = "reduces the rows of a group: write it as `let X = …` after `|> do fn:group_by(…)`"
    reducer = Reducer(
        name=name,
        arity=arity,
        minimum=1 if arity is None else 0,
        reduce=reduce,
        skips_failures=skips_failures,
        doc=doc,
        gives=gives,
    )
    return reducer, Function(
        name=name,
        arity=arity,
        minimum=reducer.minimum,
        call=_misplaced(name, why),
        doc="A reducer: as a plain function it is an error.",
        gives=gives,
    )


def _over_column(
    name: str, doc: str, gives: str, combine: Callable[[list[Any]], Any], empty: float
) -> tuple[Reducer, Function]:
    """Return a reducer of one column, and the same as a function of a list."""
    read, make = reader(name, gives, plural=True), maker(name, gives)

    def compute(values: Iterable[Value]) -> Any:
        plain = [read(value) for value in values]
        return combine(plain) if plain else empty

    def over_rows(rows: Sequence[Row]) -> Value:
        return make(compute(row[0] for row in rows))

    reducer = Reducer(name=name, arity=1, reduce=over_rows, doc=doc, gives=gives)
    return reducer, function(name, f"{doc[:-1]} of a list.", compute, gives, LIST)


def _folding(combine: Callable[[float, float], float], start: float) -> tuple[Callable[[list[float]], float], float]:
    """Return what folds floats from *start* on, and *start*."""
    return lambda sizes: reduce(combine, sizes, start), start


_BOTH: Final = (
    _over_rows("fn:count", "How many rows there are.", len, NUMBER, 0),
    _over_rows("fn:avg", "The average of floats and numbers, a float.", _avg, FLOAT, 1),
    _over_rows(
        "fn:collect",
        "The list of the values of all rows, as tuples if there are several arguments.",
        *(_collect, LIST, None),
        skips_failures=True,
    ),
    _over_rows(
        "fn:collect_distinct",
        "The list of the different values of all rows.",
        *(_collect_distinct, LIST, None),
        skips_failures=True,
    ),
    _over_rows(
        "fn:collect_to_map",
        "The map of keys to values; of several values of a key, the first.",
        *(_collect_to_map, MAP, 2),
        skips_failures=True,
    ),
    _over_rows("fn:pick_any", "One of the values; always the same one.", _pick_any, "X", 1),
    _over_column("fn:max", "The largest number.", NUMBER, max, SMALLEST_NUMBER),
    _over_column("fn:min", "The smallest number.", NUMBER, min, LARGEST_NUMBER),
    _over_column("fn:sum", "The sum of the numbers.", NUMBER, sum, 0),
    _over_column("fn:float:max", "The largest float.", FLOAT, *_folding(_larger, -float_info.max)),
    _over_column("fn:float:min", "The smallest float.", FLOAT, *_folding(_smaller, float_info.max)),
    _over_column("fn:float:sum", "The sum of the floats.", FLOAT, *_folding(add, 0.0)),
    _over_column("fn:duration:max", "The longest duration.", DURATION, max, SMALLEST_NUMBER),
    _over_column("fn:duration:min", "The shortest duration.", DURATION, min, LARGEST_NUMBER),
    _over_column("fn:duration:sum", "The sum of the durations.", DURATION, sum, 0),
    _over_column("fn:time:max", "The latest time.", TIME, max, SMALLEST_NUMBER),
    _over_column("fn:time:min", "The earliest time.", TIME, min, LARGEST_NUMBER),
)
REDUCERS_BY_NAME: Final = {reducer.name: reducer for reducer, _ in _BOTH}
LIST_REDUCERS: Final = by_name(
    *(as_function for _, as_function in _BOTH),
    variadic(
        "fn:group_by",
        "Groups rows by variables, after `|> do`; as a plain function it is an error.",
        _misplaced("fn:group_by", "stands after `|> do` only"),
        None,
    ),
    function(
        "fn:some",
        "Known by name only: evaluating it is an error.",
        _misplaced("fn:some", "is known to the checks of types only and cannot be evaluated"),
        *(("fn:Option", "X"), "X"),
    ),
)
