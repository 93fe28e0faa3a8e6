"""Read a whole input on the host: its format, its rows, an account of every line, and what words can mean for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time
from http import HTTPStatus
from typing import NamedTuple

from mayfly.language import bases
from mayfly.language.question import Column, ColumnInfo, ColumnKind, Vocabulary, name_words, nouns_of
from mayfly.synthesis.records._kinds import METHODS
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._rows import read_records
from mayfly.synthesis.records._times import has_date
from mayfly.synthesis.records._values import Row, Values

# Columns with more different values than this are not looked up by value: nobody names one of so many.
MOST_VALUES = 5000
LONGEST_VALUE = 80
_ANSWERS = frozenset(map(int, HTTPStatus))
_PLAIN_DATES = frozenset(("date", "day", "datetime", "timestamp", "time", "ts", "created", "when", "at"))
_KINDS: dict[str, ColumnKind] = {"int": "int", "float": "float", "bool": "bool"}
# Formats whose records are things of their own, and not lines that tell of things.
_TABLES = ("delimited", "objects", "json", "pairs", "joined")
# What the records are called that programs throw.
_THROWN = {
    "memory": {"oom", "outofmemory", "outofmemoryerror", "error"},
    "trace": {"exception", "error", "traceback", "stacktrace"},
}
_BIRTH = frozenset(("birth", "birthday", "birthdate", "born", "dob"))


class Bad(NamedTuple):
    """A line that was not understood."""

    number: int
    text: str


class Unfit(NamedTuple):
    """A row with cells that are not what their columns hold: it counts only where none of these is asked for."""

    row: int
    line: Bad
    titles: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Hold rows with their format, and how many lines there were of each kind."""

    format: Format
    rows: Sequence[Row]
    lines: int
    empty: int = 0
    header: int = 0
    not_understood: int = 0
    first_bad: Bad | None = None
    name: str = ""
    # Rows with a cell that is not what its column holds: nothing stands there for whoever does not ask.
    unfit: tuple[Unfit, ...] = ()

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields by their titles."""
        return {one.title: one for one in self.format.fields}

    def asked_for(self, titles: Collection[str]) -> Table:
        """Return the table as a question about some columns finds it: rows unfit for that are not understood."""
        refused = [one for one in self.unfit if not one.titles.isdisjoint(titles)]
        if not refused:
            return self
        places = {one.row for one in refused}
        rows = [row for place, row in enumerate(self.rows) if place not in places]
        first = min((one.line for one in refused), key=lambda line: line.number)
        bad = first if self.first_bad is None or first.number < self.first_bad.number else self.first_bad
        return replace(self, rows=rows, not_understood=self.not_understood + len(refused), first_bad=bad, unfit=())


def read_table(found: Format, items: Sequence[object], name: str = "") -> Table:
    """Read *items*, lines or objects, by a format; those of several files one after the other."""
    rows: list[Row] = []
    unfit: list[Unfit] = []
    others = Counter[str]()
    first: Bad | None = None
    for number, text, made in read_records(found, items):
        if isinstance(made, str):
            others[made] += 1
            first = Bad(number, text) if made == "bad" and first is None else first
            continue
        if made.unfit:
            unfit.append(Unfit(len(rows), Bad(number, text), frozenset(made.unfit)))
        rows.append(made.row)
    return Table(
        format=found,
        rows=rows,
        lines=len(rows) + others.total(),
        empty=others["empty"],
        header=others["header"],
        not_understood=others["bad"],
        first_bad=first,
        name=name,
        unfit=tuple(unfit),
    )


# What the words of a question can mean.


def vocabulary_of(table: Table) -> Vocabulary:
    """Return what words can mean for a table, from its columns, its values and its name."""
    columns = _with_main_moment(tuple(_column(one, table) for one in table.format.fields), table)
    messages = [one.name for one in columns if one.role == "message"]
    texts = tuple({str(row.get(name) or "").lower() for row in table.rows for name in messages or [""]})
    things = table.format.kind in _TABLES or _is_list(table)
    kinds = table.format.words
    return Vocabulary(columns=columns, nouns=_nouns(table), kinds=kinds, texts=texts, about_things=things)


def _column(one: Field, table: Table) -> ColumnInfo:
    """Describe a column by its field and by the values that the rows have in it."""
    held = [value for row in table.rows if (value := row.get(one.title)) is not None]
    if one.kind == "list":
        return _list_column(one, table, held)
    if one.kind in ("time", "epoch"):
        return _moment_column(one, table, held)
    kind = _KINDS.get(one.kind, "text")
    distinct = dict.fromkeys(value for value in held if isinstance(value, (str, int, float)))
    named = [value for value in distinct if not isinstance(value, str) or 0 < len(value) <= LONGEST_VALUE]
    few = len(distinct) <= MOST_VALUES
    return ColumnInfo(
        name=one.title,
        kind=kind,
        role=one.role or ("status" if kind == "int" and _are_answers(distinct) else ""),
        distinct=len(distinct) == len(held),
        absent=one.absent,
        comma=one.numeric and one.numeral.decimal == ",",
        unit=one.unit,
        values=tuple(named) if few else (),
        complete=few,
        trouble=one.trouble,
        optional=len(held) < len(table.rows),
    )


def _list_column(one: Field, table: Table, held: Sequence[object]) -> ColumnInfo:
    """Describe a column of lists by the items in them."""
    items = [item for value in held if isinstance(value, list) for item in value]
    return ColumnInfo(
        name=one.title,
        kind="list",
        role=one.role,
        values=tuple(dict.fromkeys(map(str, items)))[:MOST_VALUES],
        optional=any(not row.get(one.title) for row in table.rows),
        numbers=bool(items) and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in items),
    )


def _moment_column(one: Field, table: Table, held: Sequence[object]) -> ColumnInfo:
    """Describe a column of moments by the first and the last of them, and by what they tell."""
    moments = Values({one.title: one})
    found = [when for row in table.rows if (when := moments.moment(Column(name=one.title), row))]
    bounds = (min(found).isoformat(), max(found).isoformat()) if found else ()
    clock = one.kind == "time" and not has_date(one.layout)
    day = not clock and all(when.time() == time.min for when in found)
    return ColumnInfo(
        name=one.title,
        kind="time",
        role=one.role or "timestamp",
        values=bounds,
        tells="clock" if clock else "day" if day else "moment",
        optional=len(held) < len(table.rows),
    )


def _are_answers(values: Collection[object]) -> bool:
    """Say whether numbers are those by which a web server says how a request ended; few columns have only such."""
    return len(values) > 2 and all(isinstance(one, int) and one in _ANSWERS for one in values)


def _with_main_moment(columns: tuple[ColumnInfo, ...], table: Table) -> tuple[ColumnInfo, ...]:
    """Mark the moment that each record begins with, and the one that is simply called its date.

    A record begins with the moment that is never missing, and before which none of the others is: a ticket is as old
    as its opening. Of a day of birth no record begins.
    """
    moments = [one for one in columns if one.kind == "time" and one.tells != "clock" and _BIRTH.isdisjoint(one.words)]
    plain = [one for one in moments if not _PLAIN_DATES.isdisjoint(one.words) and not one.optional]
    values = Values(table.fields)
    rows = [[values.moment(Column(name=one.name), row) for one in moments] for row in table.rows]
    first = None
    for place, one in enumerate(moments):
        held = [row[place] for row in rows]
        if all(
            begun is not None and all(other is None or begun <= other for other in row)
            for begun, row in zip(held, rows, strict=True)
        ):
            first = one
            break
    return tuple(
        replace(column, main=plain == [column], first=column is first) if column in moments else column
        for column in columns
    )


def _is_list(table: Table) -> bool:
    """Say whether lines are the names of things, one each, and no text."""
    lengths = sorted(len(str(row.get("") or "")) for row in table.rows)
    # Half of the lines are shorter than this, which few sentences are.
    return table.format.kind == "plain" and bool(lengths) and lengths[len(lengths) // 2] < 30


def _nouns(table: Table) -> frozenset[str]:
    """Return what a record is called: by the file's name, by what has a number here, by the kind of log."""
    found = set(nouns_of("table")) | _nouns_of_file(table) | _nouns_of_fields(table)
    kind = table.format.kind
    if _is_list(table):
        found |= {"word", "name"}
    if table.format.record == "File":
        found |= {"file"}
    if kind in ("pattern", "json", "pairs", "plain", "memory", "trace"):
        found |= nouns_of("log")
    roles = {one.role for one in table.format.fields}
    if any(METHODS.issuperset(one.values) and one.values for one in table.format.fields) or "path" in roles:
        found |= nouns_of("web")
    return frozenset(found | _THROWN.get(kind, set()))


def _nouns_of_file(table: Table) -> set[str]:
    """Return the words of a file's name that say what its records are; the lines of build.log are no builds."""
    if table.format.kind not in _TABLES and not _is_list(table):
        return set()
    stem = table.name.rpartition("/")[2].partition(".")[0]
    return {base for word in name_words(stem) if len(word) > 2 for base in bases(word)} if stem else set()


def _nouns_of_fields(table: Table) -> set[str]:
    """Return what has a number or a name of its own in each record: that is what the record is."""
    found: set[str] = set()
    for place, one in enumerate(table.format.fields):
        words = name_words(one.title)
        if not place and len(words) == 1 and one.kind in ("text", "int"):
            held = [row.get(one.title) for row in table.rows]
            found |= bases(words[0]) if len(set(map(str, held))) == len(held) else set()
        if len(words) > 1 and words[-1] in ("id", "no", "nr", "number", "uuid", "key", "ref"):
            found |= {base for word in words[:-1] for base in bases(word)}
    return found
