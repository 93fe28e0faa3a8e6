"""Read a whole input on the host: its format, its rows, and an account of every line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mayfly.language.question import ColumnInfo, ColumnKind, Vocabulary, name_words, nouns_of
from mayfly.synthesis.records import _java, _kinds, _naming, _shape
from mayfly.synthesis.records._detect import PAIR, json_object
from mayfly.synthesis.records._known import CONTINUED
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._text import clean
from mayfly.synthesis.records._values import Row, Values

# Columns with more different values than this are not looked up by value: nobody names one of so many.
MOST_VALUES = 5000
LONGEST_VALUE = 80
_PAIR = re.compile(PAIR)


class Bad(NamedTuple):
    """The first line that was not understood."""

    number: int
    text: str


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

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields by their titles."""
        return {one.title: one for one in self.format.fields}


@dataclass(kw_only=True)
class _Reading:
    """Count lines while they are read."""

    rows: list[Row] = field(default_factory=list)
    lines: int = 0
    empty: int = 0
    header: int = 0
    bad: int = 0
    first: Bad | None = None

    def refuse(self, number: int, text: str) -> None:
        self.bad += 1
        self.first = self.first or Bad(number, text)


def read_table(found: Format, items: Sequence[object], name: str = "") -> Table:
    """Read *items*, lines or objects, by a format."""
    reading = _Reading()
    if found.kind == "objects":
        _read_objects(found, items, reading)
    elif found.kind in ("memory", "trace"):
        _read_thrown(found, items, reading)
    else:
        _read_lines(found, items, reading)
    return Table(
        format=found,
        rows=reading.rows,
        lines=reading.lines,
        empty=reading.empty,
        header=reading.header,
        not_understood=reading.bad,
        first_bad=reading.first,
        name=name,
    )


def _read_objects(found: Format, items: Sequence[object], reading: _Reading) -> None:
    for number, item in enumerate(items, start=1):
        reading.lines += 1
        if isinstance(item, Mapping):
            reading.rows.append(_object_row(found, item))
        else:
            reading.refuse(number, json.dumps(item)[:200])


def _object_row(found: Format, data: Mapping[str, object]) -> Row:
    row: dict[str, object] = {}
    for one in found.fields:
        value: object = data
        for key in one.path:
            value = value.get(key) if isinstance(value, Mapping) else None
        row[one.title] = _object_value(one, value)
    row[""] = data
    return row


def _object_value(one: Field, value: object) -> object:
    if isinstance(value, str) and one.kind in ("int", "float", "epoch"):
        return float(value) if re.fullmatch(_kinds.NUMBER, value) else None
    return value


def _read_thrown(found: Format, items: Sequence[object], reading: _Reading) -> None:
    for number, item in enumerate(items, start=1):
        reading.lines += 1
        line = clean(str(item))
        row = _java.scan(found.kind, number, line)
        if row is not None:
            reading.rows.append({**row, "": line})


def _read_lines(found: Format, items: Sequence[object], reading: _Reading) -> None:
    for number, line in _logical(found, items):
        reading.lines += 1
        if not line.strip() and found.kind != "plain":
            reading.empty += 1
            continue
        try:
            row = _row(found, line, number)
        except ValueError:
            reading.refuse(number, line)
            continue
        if row is None:
            reading.header += 1
        else:
            reading.rows.append(row)


def _logical(found: Format, items: Sequence[object]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; lines that go on with the one before, or a cell over several, come with it."""
    held: list[str] = []
    began = 0
    odd = False
    for number, item in enumerate(items, start=1):
        line = clean(str(item))
        goes_on = odd if found.multiline else bool(held and held[0] and found.continued and CONTINUED.match(line))
        if held and not goes_on:
            yield began, "\n".join(held)
            held = []
        began = began if held else number
        held.append(line)
        odd ^= found.multiline and line.count('"') % 2 == 1
    if held:
        yield began, "\n".join(held)


def _row(found: Format, line: str, number: int) -> Row | None:
    """Return the row a line holds, None for a header; ValueError for a line of another shape."""
    if found.kind == "plain":
        return {"text": line, "": line}
    if found.kind == "json":
        data = json_object(line)
        if data is None:
            raise ValueError
        return _object_row(found, data)
    if found.kind == "pattern":
        cells = _matched(found, line)
    elif found.kind == "pairs":
        cells = _paired(found, line)
    else:
        split = _cells(found, line)
        if split is None:
            return None
        cells = dict(zip((one.name for one in found.fields), split, strict=True))
    row: dict[str, object] = {one.title: cell_value(one, cells.get(one.name), found.kind) for one in found.fields}
    row[""] = line
    return row


def _matched(found: Format, line: str) -> Mapping[str, str | None]:
    head = line.partition("\n")[0] if found.continued else line
    for shape in found.shapes:
        match = _shape.compiled(shape).fullmatch(head)
        if match:
            held: dict[str, str | None] = dict(match.groupdict())
            if "request" in held and any(one.name in _shape.REQUEST_FIELDS for one in found.fields):
                parts = _naming.request_parts(held["request"] or "")
                held |= dict(zip(_shape.REQUEST_FIELDS, parts, strict=True))
            return held
    raise ValueError


def _paired(found: Format, line: str) -> Mapping[str, str]:
    held = {key: re.sub(r"\\(.)", r"\1", quoted) if quoted else bare for key, quoted, bare in _PAIR.findall(line)}
    if not held or not any(one.path[0] in held for one in found.fields):
        raise ValueError
    return {one.name: held[one.path[0]] for one in found.fields if one.path[0] in held}


def _cells(found: Format, line: str) -> list[str] | None:
    """Cut a line of a table; None for its header or a comment."""
    if found.comment and line.startswith(found.comment):
        return None
    cells = split_cells(found, line)
    if found.header and tuple(cells) == found.header:
        return None
    if len(cells) != len(found.fields):
        raise ValueError
    return cells


def split_cells(found: Format, line: str) -> list[str]:
    """Cut a line of a table into its cells."""
    if found.delimiter == " ":
        return line.split(None, len(found.fields) - 1 if found.rest else -1)
    if found.delimiter == "  ":
        return re.split(r" {2,}|\t+", line.strip())
    try:
        rows = list(
            csv.reader([f"{part}\n" for part in line.split("\n")], delimiter=found.delimiter, skipinitialspace=True)
        )
    except csv.Error:
        raise ValueError from None
    return [cell.strip() for cell in rows[0]] if len(rows) == 1 else []


def cell_value(one: Field, text: str | None, kind: str) -> object:
    """Return what a cell holds; ValueError where it is not what its column holds."""
    if text is None:
        return None
    absent = _kinds.ABSENT[:2] if kind == "pattern" else _kinds.ABSENT
    if text in absent:
        return None
    if one.kind in ("int", "float", "epoch"):
        return number_of(one, text)
    if one.kind == "bool":
        if text.lower() not in ("true", "false"):
            raise ValueError
        return text.lower() == "true"
    return text


def number_of(one: Field, text: str) -> int | float:
    """Return the number a cell stands for, by the convention of its column."""
    text = text.removeprefix(one.prefix).removesuffix(one.suffix).strip()
    factor = 1.0
    if one.scales:
        unit = re.sub(r"[-0-9., ]+", "", text)
        known = dict(one.scales)
        if unit not in known:
            raise ValueError
        text, factor = text.removesuffix(unit).strip(), known[unit]
    if one.thousands:
        text = text.replace(one.thousands, "")
    if one.decimal != ".":
        text = text.replace(one.decimal, ".")
    if not re.fullmatch(_kinds.NUMBER, text):
        raise ValueError
    if one.kind == "int" and not one.scales:
        return int(text)
    return float(text) * factor


# What the words of a question can mean.


def vocabulary_of(table: Table) -> Vocabulary:
    """Return what words can mean for a table, from its columns, its values and its name."""
    columns = tuple(_column(one, table) for one in table.format.fields)
    messages = [one.name for one in columns if one.role == "message"]
    texts = tuple({str(row.get(name) or "").lower() for row in table.rows for name in messages or [""]})
    return Vocabulary(columns=columns, nouns=_nouns(table), texts=texts)


def _column(one: Field, table: Table) -> ColumnInfo:
    kinds: dict[str, ColumnKind] = {"int": "int", "float": "float", "bool": "bool", "time": "time", "epoch": "time"}
    kind = kinds.get(one.kind, "text")
    held = [row[one.title] for row in table.rows if row.get(one.title) is not None]
    if any(isinstance(value, list) for value in held):
        items = dict.fromkeys(str(item) for value in held if isinstance(value, list) for item in value)
        return ColumnInfo(name=one.title, kind="list", role=one.role, values=tuple(items)[:MOST_VALUES])
    if kind == "time":
        moments = Values(fields={one.title: one})
        from mayfly.language.question import Column

        found = [when for row in table.rows if (when := moments.moment(Column(name=one.title), row))]
        bounds = (min(found).isoformat(), max(found).isoformat()) if found else ()
        return ColumnInfo(
            name=one.title,
            kind="time",
            role=one.role or "timestamp",
            values=bounds,
            optional=len(held) < len(table.rows),
        )
    distinct = dict.fromkeys(value for value in held if isinstance(value, (str, int, float)))
    named = [value for value in distinct if not isinstance(value, str) or 0 < len(value) <= LONGEST_VALUE]
    few = len(distinct) <= MOST_VALUES
    return ColumnInfo(
        name=one.title,
        kind=kind,
        role=one.role,
        unit=one.unit,
        values=tuple(named) if few else (),
        complete=few,
        trouble=one.trouble,
        optional=len(held) < len(table.rows),
    )


def _nouns(table: Table) -> frozenset[str]:
    """Return what a record is called: by the file's name, by what has a number here, by the kind of log."""
    found = set(nouns_of("table"))
    stem = table.name.rpartition("/")[2].partition(".")[0]
    found |= {base for word in name_words(stem) if len(word) > 2 for base in _bases(word)} if stem else set()
    for one in table.format.fields:
        words = name_words(one.title)
        if len(words) > 1 and words[-1] in ("id", "no", "nr", "number", "uuid", "key", "ref"):
            found |= {base for word in words[:-1] for base in _bases(word)}
    if table.format.kind in ("pattern", "json", "pairs", "plain", "memory", "trace"):
        found |= nouns_of("log")
    if any(one.role in ("method", "path") for one in table.format.fields):
        found |= nouns_of("web")
    if table.format.kind == "memory":
        found |= {"oom", "outofmemory", "outofmemoryerror", "error"}
    if table.format.kind == "trace":
        found |= {"exception", "error", "traceback", "stacktrace"}
    return frozenset(found)


def _bases(word: str) -> frozenset[str]:
    from mayfly.language import bases

    return bases(word)
