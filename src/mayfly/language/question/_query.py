"""What is asked of records, as data: which ones, put together how, in what order and how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal, get_args

from mayfly.language._moments import Span

# Spans of time, each with all above it; what comes round again; parts of an address, a text, a list.
TimePart = Literal[
    "second",
    "minute",
    "hour",
    "date",
    "week",
    "month",
    "quarter",
    "year",
    "hour of day",
    "clock time",
    "weekday",
    "day of month",
    "month of year",
]
Part = TimePart | Literal["domain", "length", "items", "small letters"]
TIME_PARTS: tuple[TimePart, ...] = get_args(TimePart)
PARTS: tuple[Part, ...] = (*TIME_PARTS, "domain", "length", "items", "small letters")
Operator = Literal[
    "=", "!=", "<", "<=", ">", ">=", "contains", "has word", "starts with", "ends with", "during", "in", "between"
]
Function = Literal[
    "count",
    "sum",
    "mean",
    "median",
    "percentile",
    "stdev",
    "min",
    "max",
    "range",
    "first",
    "last",
    "unique",
    "share",
    "ratio",
    "mode",
]
Sign = Literal["+", "-", "*", "/"]
Scalar = str | int | float | bool
JoinKind = Literal["inner", "left", "anti"]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the table, or with an empty name the whole line."""

    name: str


@dataclass(frozen=True, kw_only=True)
class PartOf:
    """Something worked out from one value: the hour of a moment, the domain of an address, the length of a text."""

    part: Part
    of: Expression


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """Two numbers worked into one; nothing where one of them is missing."""

    sign: Sign
    left: Expression
    right: Expression


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A number that was said."""

    value: int | float


Expression = Column | PartOf | Arithmetic | Constant


@dataclass(frozen=True, kw_only=True)
class Compare:
    """Ask one thing of a value; what is missing passes no comparison but `!=`.

    *value* is a scalar, a column to compare with, a `Span` for "during", several scalars for "in", the lowest and the
    highest number for "between". Texts are
    compared as they are written, except by "contains" and "has word", where case does not count.
    """

    left: Expression
    operator: Operator
    value: Scalar | Span | tuple[Scalar, ...] | Column


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Ask that there is no value."""

    of: Expression


@dataclass(frozen=True, kw_only=True)
class Recent:
    """Ask that a moment lies within some seconds before the newest one in the data."""

    of: Expression
    seconds: int


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Ask that the same values stand in more than one record."""

    of: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Not:
    """Turn a condition round."""

    of: Condition


@dataclass(frozen=True, kw_only=True)
class And:
    """Ask for all of several conditions."""

    of: tuple[Condition, ...]


@dataclass(frozen=True, kw_only=True)
class Or:
    """Ask for at least one of several conditions."""

    of: tuple[Condition, ...]


Condition = Compare | Missing | Recent | Repeated | Not | And | Or


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One number (or text, for first, last, min, max, mode) made of many records.

    *at* is the percentile; a share is that of the records that pass *where*, in percent, or of the different values
    of *of* that some such record has; a ratio is the sum of *of* in percent of the sum of *per*.
    """

    function: Function
    of: Expression | None = None
    per: Expression | None = None
    at: float = 0.0
    where: Condition | None = None


@dataclass(frozen=True, kw_only=True)
class Order:
    """Sort by an expression, or by the measure at a place; *descending* is largest first."""

    by: Expression | int
    descending: bool = False


@dataclass(frozen=True, kw_only=True)
class Pick:
    """Take some records of each group: the first *number* by an order, or the last as they come.

    Without an order they are taken as they come.
    """

    number: int
    by: Expression | None = None
    descending: bool = False
    last: bool = False


@dataclass(frozen=True, kw_only=True)
class Named:
    """A column of the answer under a name that was asked for."""

    name: str
    of: Expression


@dataclass(frozen=True, kw_only=True)
class Join:
    """Put the records of a second input beside those of the first that have the same value.

    inner keeps pairs, left all of the first, anti those of the first without a partner.
    """

    left: str
    right: str
    kind: JoinKind = "inner"


@dataclass(frozen=True, kw_only=True)
class Query:
    """Everything that is asked of a table, in the order in which it is done.

    join → items (one record for each item of a list) → where → keys with measures (or *pick* of each group) → having
    → order → limit → what is shown. Without measures whole records are the answer, cut to *columns* where some are
    named, *added*, *renamed* and *dropped* ones besides; with *tally* the answer is how many groups or records are
    left.
    """

    lines: bool = False
    join: Join | None = None
    items: Column | None = None
    where: Condition | None = None
    keys: tuple[Expression, ...] = ()
    measures: tuple[Measure, ...] = ()
    pick: Pick | None = None
    having: tuple[Operator, int | float] | None = None
    of_total: bool = False
    unique: bool = False
    columns: tuple[Expression, ...] = ()
    added: tuple[Named, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    skip: int = 0
    last: int | None = None
    tally: bool = False
    digits: int | None = None
    scale: tuple[str, float] | None = None


def walk(value: object) -> Iterator[object]:
    """Yield every part of a query, itself first."""
    yield value
    if isinstance(value, tuple) and not isinstance(value, Span):
        for item in value:
            yield from walk(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from walk(getattr(value, field.name))


def columns_of(value: object) -> tuple[str, ...]:
    """Return the names of the columns a query or a part of it looks at, each once; the whole line is no column."""
    found = (part.name for part in walk(value) if isinstance(part, Column) and part.name)
    return tuple(dict.fromkeys(found))
