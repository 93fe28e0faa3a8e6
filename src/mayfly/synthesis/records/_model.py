"""The values this package works with: fields and how they are found, shapes of lines, formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["int", "float", "bool", "time", "epoch", "text", "list"]
Style = Literal[
    "word", "upto", "text", "quoted", "request", "int", "float", "code", "time", "letters", "class", "regex", "rest"
]
FormatKind = Literal["pattern", "delimited", "pairs", "json", "objects", "trace", "memory", "plain", "joined"]
# Where a value comes from: a place of its own, a pair key=value inside another text, or a pattern that is searched for
# in another text, once or as often as it is found.
Origin = Literal["own", "pair", "search", "all"]


class Numeral(NamedTuple):
    """How the numbers of a column are written."""

    # What may stand before and behind a number: a currency, a unit.
    prefix: str = ""
    suffix: str = ""
    # Signs between groups of three digits and before the fraction.
    thousands: str = ""
    decimal: str = "."
    # Units that stand behind a number, each with how many of the smallest it is: 12K, 3M, 5h3m.
    scales: tuple[tuple[str, float], ...] = ()
    whole: bool = False
    # Whether something in brackets may follow: 36 (40m ago).
    remark: bool = False
    # Whether negative ones may be in brackets or have their sign behind them.
    accounting: bool = False

    @property
    def bare(self) -> bool:
        """Whether there are digits, a sign and a point, and nothing else."""
        return self._replace(whole=False) == Numeral()


PLAIN = Numeral()


@dataclass(frozen=True, kw_only=True)
class Field:
    """Describe one field: what it is called, what it holds, and where it is found.

    *path* leads to it in an object, or holds its name as it was written in a header; *values* are those seen in the
    sample if there are few, as they were written; *unit* is what its numbers count.
    """

    name: str
    kind: Kind = "text"
    role: str = ""
    optional: bool = False
    path: tuple[str, ...] = ()
    layout: str = ""
    unit: str = ""
    values: tuple[str, ...] = ()
    numeral: Numeral = PLAIN
    # Of an object: whether its numbers are written as texts.
    quoted: bool = False
    # Words that stand for nothing here, besides those that do so everywhere.
    absent: tuple[str, ...] = ()
    # All words that may stand for nothing here, where not all those do that do so in tables.
    nothing: tuple[str, ...] = ()
    # Why its numbers cannot be worked with; empty where they can.
    trouble: str = ""
    # What the column is called where it is talked about; its path or its name where that is empty.
    heading: str = ""
    # The cell of a table it stands in; of two it is made of both.
    columns: tuple[int, ...] = ()
    # What values are called that are written as a sign only.
    meanings: tuple[tuple[str, str], ...] = ()
    origin: Origin = "own"
    # Of a value that is found inside something: the pattern or the key, and in what (the whole record where empty).
    pattern: str = ""
    within: str = ""
    # Records without it are of another sort, and not such with a hole in them.
    partial: bool = False
    # Of an object: its values are not all texts, or not at all.
    mixed: bool = False

    @cached_property
    def title(self) -> str:
        """What the column is called in readings and answers."""
        return self.heading or ".".join(self.path) or self.name

    @property
    def numeric(self) -> bool:
        """Whether sums and comparisons by size make sense."""
        return self.kind in ("int", "float")


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
    # Of learned lines and of traces: how many lines have such a record.
    fitted: int = 0
    continued: int = 0
    # Of a table: how many cells a line has, and whether these may hold ends of lines.
    width: int = 0
    multiline: bool = False
    # Of several files: how many of the last parts of its path a file is called by, in the column that comes last.
    files: int = 0
    # Of pairs: whether a record is a block of lines with one pair each.
    blocks: bool = False
    # Of a table: the last column takes the rest of its line.
    rest: bool = False
    # Where the columns of a table begin, if it is cut by these places.
    stops: tuple[int, ...] = ()
    # The pattern of lines that belong to no record: comments, titles above a header, rules below it.
    passed: str = ""
    # Of a table in the sample: the lines above its header, whether that comes again below, the blanks around cells,
    # whether quotes hold cells together, and whether a line is a row exactly if it has as many cells as a row has.
    skip: int = 0
    again: bool = False
    padding: str = ""
    quoted: bool = True
    regular: bool = True
    # Of a table that we wrote ourselves: the kind of the input it was made of. Only empty cells hold nothing.
    spooled: str = ""
    words: frozenset[str] = field(default_factory=frozenset)
