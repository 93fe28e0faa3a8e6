"""Write a query in the one form in which readings are shown; `_notation` reads it back as the same query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from mayfly.language._moments import Span
from mayfly.language.question._query import (
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Measure,
    Missing,
    Not,
    Or,
    PartOf,
    Query,
    Recent,
    Repeated,
    Scalar,
)

# What a bare word must not be: the words of the notation itself.
_RESERVED = """
records lines columns unique count sum average median percentile standard deviation minimum maximum
range first last most common percent of where by and or not is missing repeated contains has word
starts ends with during in within true false sorted descending having largest smallest from to
adding renaming dropping joined on for each item rounded divided highest lowest the line second
minute hour date week month quarter year weekday day domain length items total keeping all without
partner at measure how many over between doubles ratio
"""
RESERVED = frozenset(_RESERVED.split())
FUNCTIONS = {
    "sum": "sum of",
    "mean": "average of",
    "median": "median of",
    "stdev": "standard deviation of",
    "min": "minimum of",
    "max": "maximum of",
    "range": "range of",
    "first": "first of",
    "last": "last of",
    "unique": "count unique",
    "mode": "most common",
}
_BARE_NAME = re.compile(r"[^\W\d][\w.@-]*")
_BARE_VALUE = re.compile(r"[^\W\d_][\w@.-]*|/[\w./%?&=*@:~-]*")
_UNITS = ((86400 * 7, "week"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def tell(query: Query) -> str:
    """Return the reading of a query in words."""
    said = _tell_what(query)
    if query.where is not None:
        said += f" where {tell_condition(query.where)}"
    return ", ".join([said, *_tell_rest(query)])


def _tell_what(query: Query) -> str:
    kept = "lines" if query.lines else "records"
    if query.measures:
        return " and ".join(map(_tell_measure, query.measures))
    if query.pick:
        pick = query.pick
        if pick.by is None:
            return f"{'last' if pick.last else 'first'} {pick.number} {kept}"
        way = "highest" if pick.descending else "lowest"
        return f"{pick.number} {kept} with {way} {tell_expression(pick.by)}"
    if query.columns:
        return ("unique " if query.unique else "columns ") + _list(query.columns)
    return f"unique {kept}" if query.unique else kept


def _tell_measure(measure: Measure) -> str:
    if measure.function == "count":
        return "count"
    of = tell_expression(measure.of) if measure.of is not None else ""
    if measure.function == "share":
        whole = f"percent of unique {of}" if of else "percent of records"
        return f"{whole} where ({tell_condition(measure.where)})" if measure.where else whole
    if measure.function == "ratio" and measure.per is not None:
        return f"ratio of {of} to {tell_expression(measure.per)} in percent"
    if measure.function == "percentile":
        return f"percentile {measure.at:g} of {of}"
    return f"{FUNCTIONS[measure.function]} {of}"


def _tell_rest(query: Query) -> Iterable[str]:
    if query.lines and query.measures:
        yield "over lines"
    if query.join:
        kind = {"inner": "", "left": " keeping all", "anti": " without partner"}[query.join.kind]
        yield f"joined on {name(query.join.left)} = {name(query.join.right)}{kind}"
    if query.items:
        yield f"for each item of {tell_expression(query.items)}"
    if query.keys:
        way = "by" if not query.pick else "without doubles in" if query.unique else "for each"
        yield f"{way} {_list(query.keys)}"
    if query.having:
        yield f"having {query.having[0]} {query.having[1]:g}"
    if query.of_total:
        yield "in percent of total"
    yield from (f"adding {name(one.name)} = {tell_expression(one.of)}" for one in query.added)
    yield from (f"renaming {name(old)} to {name(new)}" for old, new in query.renamed)
    if query.dropped:
        yield "dropping " + " and ".join(map(name, query.dropped))
    yield from _tell_order(query)
    if query.tally:
        yield "how many"
    if query.digits is not None:
        yield f"rounded to {query.digits}"
    if query.scale:
        yield f"divided by {query.scale[1]:g} for {name(query.scale[0])}"


def _tell_order(query: Query) -> Iterable[str]:
    if query.order and query.order[0].by == 0:
        yield "largest first" if query.order[0].descending else "smallest first"
    elif query.order:
        said = [
            (tell_expression(one.by) if not isinstance(one.by, int) else f"measure {one.by + 1}")
            + (" descending" if one.descending else "")
            for one in query.order
        ]
        yield "sorted by " + " and ".join(said)
    if query.skip and query.limit is not None:
        yield f"from {query.skip + 1} to {query.skip + query.limit}"
    elif query.skip:
        yield f"from {query.skip + 1}"
    elif query.limit is not None:
        yield f"first {query.limit}"
    if query.last is not None:
        yield f"last {query.last}"


def _list(expressions: Iterable[Expression]) -> str:
    return " and ".join(map(tell_expression, expressions))


def tell_expression(expression: Expression) -> str:
    """Return an expression in words: `hour of created`, `qty * price`."""
    if isinstance(expression, Column):
        return name(expression.name) if expression.name else "line"
    if isinstance(expression, PartOf):
        return f"{expression.part} of {tell_expression(expression.of)}"
    if isinstance(expression, Constant):
        return f"{expression.value!r}"
    sides = [
        f"({tell_expression(side)})" if isinstance(side, Arithmetic) else tell_expression(side)
        for side in (expression.left, expression.right)
    ]
    return f"{sides[0]} {expression.sign} {sides[1]}"


def tell_condition(condition: Condition) -> str:
    """Return a condition in words."""
    if isinstance(condition, And):
        return " and ".join(f"({tell_condition(one)})" if isinstance(one, Or) else _inner(one) for one in condition.of)
    if isinstance(condition, Or):
        return " or ".join(map(_inner, condition.of))
    if isinstance(condition, Not):
        return f"not ({tell_condition(condition.of)})"
    if isinstance(condition, Missing):
        return f"{tell_expression(condition.of)} is missing"
    if isinstance(condition, Repeated):
        return f"repeated ({_list(condition.of)})"
    if isinstance(condition, Recent):
        size, unit = next(pair for pair in _UNITS if condition.seconds % pair[0] == 0)
        return f"{tell_expression(condition.of)} within last {condition.seconds // size} {unit}"
    return _tell_comparison(condition)


def _inner(condition: Condition) -> str:
    said = tell_condition(condition)
    return f"({said})" if isinstance(condition, (And, Or)) else said


def _tell_comparison(condition: Compare) -> str:
    left, value = tell_expression(condition.left), condition.value
    if isinstance(value, Span):  # A span is a tuple too, so this comes first.
        return f"{left} during {tell_span(value)}"
    if isinstance(value, Column):
        return f"{left} {condition.operator} [{value.name.replace(']', ']]')}]"
    if condition.operator == "between" and isinstance(value, tuple):
        low, high = cast("tuple[Scalar, Scalar]", value)
        return f"{left} between {tell_value(low)} and {tell_value(high)}"
    if isinstance(value, tuple):
        return f"{left} in ({', '.join(map(tell_value, cast('tuple[Scalar, ...]', value)))})"
    return f"{left} {condition.operator} {tell_value(value)}"


def tell_span(span: Span) -> str:
    """Return a span by its first instant and its end, cut to what tells them."""
    return f"{_moment(span.start)} to {_moment(span.end)}"


def _moment(when: object) -> str:
    return str(when).replace(" ", "T").removesuffix("T00:00:00")


def name(text: str) -> str:
    """Return the name of a column: as it is where it can stand bare, else in brackets."""
    if _BARE_NAME.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return f"[{text.replace(']', ']]')}]"


def tell_value(value: Scalar) -> str:
    """Return a value: numbers and plain words bare, anything else in single quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if _BARE_VALUE.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return "'" + value.replace("'", "''") + "'"
