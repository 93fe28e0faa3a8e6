"""The values this package works with: fields, shapes of lines, operations on records, and the planner's answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["int", "float", "bool", "time", "epoch", "text"]
Style = Literal["word", "upto", "text", "quoted", "request", "int", "float", "code", "time", "letters", "class", "rest"]
FormatKind = Literal["pattern", "delimited", "pairs", "json", "objects", "trace", "memory", "plain", "joined"]
Operator = Literal[
    "eq", "ne", "lt", "le", "gt", "ge", "in", "range", "contains", "word", "prefix", "suffix", "during", "clock"
]
Measure = Literal["count", "sum", "mean", "min", "max", "median", "distinct", "share", "percent"]
Bucket = Literal["second", "minute", "hour", "day", "month", "year", ""]


@dataclass(frozen=True, kw_only=True)
class Field:
    """Describe one field: what it is called, what it holds, and where it is found.

    *path* leads to it in an object, or holds its name as it was written in a header; *values* are those seen in the
    sample if there are few, as they were written; *unit* is what its numbers count, *prefix* and *suffix* are
    written around every one of them in a cell.
    """

    name: str
    kind: Kind = "text"
    role: str = ""
    optional: bool = False
    path: tuple[str, ...] = ()
    layout: str = ""
    unit: str = ""
    prefix: str = ""
    suffix: str = ""
    values: tuple[str, ...] = ()
    # Signs between groups of three digits and before the fraction, where numbers have them.
    thousands: str = ""
    decimal: str = "."
    # Units that may stand behind a number, each with how many of the smallest it is: 12K, 3M.
    scales: tuple[tuple[str, float], ...] = ()
    # Why its numbers cannot be worked with; empty where they can.
    trouble: str = ""
    # What the column is called where it is talked about; its path or its name where that is empty.
    heading: str = ""

    @property
    def title(self) -> str:
        """What the column is called in readings and answers."""
        return self.heading or ".".join(self.path) or self.name

    @property
    def numeric(self) -> bool:
        """Whether sums and comparisons by size make sense."""
        return self.kind in ("int", "float")

    @property
    def annotation(self) -> str:
        """The type of its values in Python."""
        base = {"int": "int", "float": "float", "bool": "bool", "epoch": "float"}.get(self.kind, "str")
        return f"{base} | None" if self.optional else base


@dataclass(frozen=True)
class Fixed:
    """Hold text that every line of a shape has; two spaces stand for one or more, three for any number of them."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Slot:
    """Hold the place of a value: *name* is empty for one nobody asks about."""

    name: str
    style: Style
    layout: str = ""
    optional: bool = False


Part = Fixed | Slot


@dataclass(frozen=True)
class Shape:
    """Hold one way a line can look, from its start to its end."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Format:
    """Say how records are read from lines, and what fields they have."""

    name: str
    kind: FormatKind
    record: str = "Record"
    fields: tuple[Field, ...] = ()
    shapes: tuple[Shape, ...] = ()
    delimiter: str = ","
    header: tuple[str, ...] = ()
    comment: str = ""
    fitted: int = 0
    total: int = 0
    continued: int = 0
    # Of a table: cells may hold ends of lines; the last column takes the rest of its line.
    multiline: bool = False
    rest: bool = False
    words: frozenset[str] = field(default_factory=frozenset)

    def named(self, name: str) -> Field:
        """Return the field called *name*."""
        return next(found for found in self.fields if found.name == name)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Ask one thing of a record; without a field, of the whole line."""

    field: str
    operator: Operator
    value: object
    negated: bool = False
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class Key:
    """Name what records are grouped by: a field, or the span of time its value lies in."""

    field: str
    bucket: Bucket = ""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Say what is wanted of the records: which ones, put together how, in what order and how many."""

    conditions: tuple[Condition, ...] = ()
    share: tuple[Condition, ...] = ()
    measure: Measure | None = None
    of: str = ""
    keys: tuple[Key, ...] = ()
    having: Condition | None = None
    gather: bool = False
    select: tuple[str, ...] = ()
    unique: bool = False
    order: str = ""
    descending: bool = False
    limit: int | None = None
    last: bool = False
    ranked: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields the operation looks at, each once."""
        names = [found.field for found in (*self.conditions, *self.share)]
        names += [self.of, *(key.field for key in self.keys), *self.select, self.order]
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def records(self) -> bool:
        """Whether whole records are the answer."""
        return self.measure is None and not self.keys and not self.select


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Hold a program that was written for an intent and a sample, and what its author thinks of it."""

    format: Format
    operation: Operation
    source: str
    entry: str
    description: str
    confidence: float
    notes: tuple[str, ...] = ()
    question: str | None = None


@dataclass(frozen=True, kw_only=True)
class Unable:
    """Say at once what cannot be done without a model, and what would help."""

    reason: str
    helps: tuple[str, ...] = ()
