"""Add to a query how its numbers are shown: rounded, in percent of the total, in another unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mayfly.language.question._query import Arithmetic, Constant, Expression, Query, columns_of
from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import Vocabulary
from mayfly.language.question._words import UNIT_SIZES, unit_of

# What seconds are divided by to be minutes, hours or days.
_DIVIDED = {60: "min", 3600: "h", 86400: "d"}


def show_numbers(query: Query, flags: Sequence[Segment], vocabulary: Vocabulary) -> Query | None:
    """Add how numbers are shown; None where what was asked for cannot be done to these."""
    for flag in flags:
        if flag.kind == "digits":
            query = replace(query, digits=flag.number)
        elif flag.kind == "of total" and query.keys and all(one.function != "share" for one in query.measures):
            query = replace(query, of_total=True)
        elif flag.kind == "scale":
            scaled = _scaled(query, flag.name, vocabulary)
            if scaled is None:
                return None
            query = scaled
    return query


def _scaled(query: Query, unit: str, vocabulary: Vocabulary) -> Query | None:
    """Return a query whose numbers are shown in a unit; None where theirs is not known or measures something else."""
    measure = query.measures[0] if len(query.measures) == 1 else None
    own = _unit_of_number(measure.of, vocabulary) if measure and measure.function not in ("count", "unique") else ""
    if own not in UNIT_SIZES or unit not in UNIT_SIZES or _role_of_unit(own) != _role_of_unit(unit):
        return None
    factor = UNIT_SIZES[unit] / UNIT_SIZES[own]
    return query if factor == 1 else replace(query, scale=(unit, factor))


def _role_of_unit(unit: str) -> str:
    known = unit_of(unit)
    return known[0] if known else ""


def _unit_of_number(of: Expression | None, vocabulary: Vocabulary) -> str:
    """Return the unit of a number: that of its column, seconds between two moments, what these were divided by."""
    if isinstance(of, Arithmetic) and isinstance(of.right, Constant) and of.sign == "/":
        return _DIVIDED.get(int(of.right.value), "")
    columns = [vocabulary.by_name.get(name) for name in columns_of(of)]
    if isinstance(of, Arithmetic):
        return "s" if all(one is not None and one.kind == "time" for one in columns) else ""
    column = columns[0] if len(columns) == 1 else None
    if column is None or not column.numeric:
        return ""
    known = unit_of(column.unit) if column.unit else None
    return known[1] if known else "B" if column.role == "size" and not column.unit else ""
