"""Make rows of records on the host: every cell by what its column holds, and an account of every line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mayfly.synthesis.records import _java, _kinds, _naming, _shape, _times
from mayfly.synthesis.records._blocks import BLOCK_PAIR
from mayfly.synthesis.records._cells import cells_of, records_of
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._numbers import Reader
from mayfly.synthesis.records._objects import json_object, value_at
from mayfly.synthesis.records._text import clean
from mayfly.synthesis.records._values import Row

# A pair inside a text, key=value, or "key": value as JSON has it.
PAIR = (
    r'(?:(?<![^\s,;(\[{|])([A-Za-z_@][\w.@-]*)=|"([A-Za-z_][\w.-]*)": ?)'
    r'(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s,;)\]}|{\["]*))'
)
LOGFMT = r'(?<!\S)([A-Za-z_@][\w.@-]*)()=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|(\S*))'
_PAIR, _LOGFMT, _BLOCK_PAIR = re.compile(PAIR), re.compile(LOGFMT), re.compile(BLOCK_PAIR)
_ESCAPED = re.compile(r"\\(.)")
Convert = Callable[[str], object]


class Bad(NamedTuple):
    """A line that was not understood."""

    number: int
    text: str


class Unfit(NamedTuple):
    """A row with cells that are not what their columns hold: it counts only where none of these is asked for."""

    row: int
    line: Bad
    titles: frozenset[str]


@dataclass(kw_only=True)
class Reading:
    """Hold rows, and count lines, while they are read."""

    rows: list[Row] = field(default_factory=list)
    unfit: list[Unfit] = field(default_factory=list)
    lines: int = 0
    empty: int = 0
    header: int = 0
    bad: int = 0
    first: Bad | None = None

    def refuse(self, number: int, text: str) -> None:
        """Count a line that was not understood, and keep the first one."""
        self.bad += 1
        self.first = self.first or Bad(number, text)

    def add(self, row: dict[str, object], unfit: Sequence[str], number: int, text: str) -> None:
        """Keep a row."""
        if unfit:
            self.unfit.append(Unfit(len(self.rows), Bad(number, text), frozenset(unfit)))
        self.rows.append(row)


class _NoValue(Exception):
    """A cell is not what its column holds."""


class _Converted(dict[str, object]):
    """Remember what every text of a column stands for; most of them come again."""

    def __init__(self, convert: Convert) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, text: str) -> object:
        try:
            value = self.convert(text)
        except ValueError:
            value = _NoValue
        # Texts that hardly come again are not worth their memory.
        if len(self) < 50_000:
            self[text] = value
        return value


def converter_of(one: Field) -> Convert:
    """Return what makes a value of a text, by what the column holds; ValueError for one it cannot hold."""
    absent = frozenset(_kinds.words_for_nothing(one))
    inner = _converter_of_present(one)
    return lambda text: None if text in absent else inner(text)


def _converter_of_present(one: Field) -> Convert:
    if one.kind in ("int", "float", "epoch") or not one.numeral.bare:
        return Reader(one.numeral, whole=one.kind == "int")
    if one.kind == "bool":
        return _truth
    if one.kind == "time":
        return lambda text: _checked(one.layout, text)
    meanings = dict(one.meanings)
    return lambda text: meanings.get(text, text)


def _checked(layout: str, text: str) -> str:
    if not _times.fits(layout, text):
        raise ValueError(text)
    return text


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def read_objects(found: Format, items: Sequence[object], reading: Reading) -> None:
    """Read objects; anything else is not understood."""
    converters = [(one, converter_of(one)) for one in found.fields]
    for number, item in enumerate(items, start=1):
        reading.lines += 1
        if isinstance(item, Mapping):
            reading.add(*_object_row(converters, item), number, str(item)[:200])
        else:
            reading.refuse(number, str(item)[:200])


def _object_row(
    converters: Iterable[tuple[Field, Convert]], data: Mapping[str, object]
) -> tuple[dict[str, object], list[str]]:
    row: dict[str, object] = {}
    unfit = []
    for one, convert in converters:
        value = value_at(data, one.path)
        try:
            row[one.title] = _object_value(one, convert, value)
        except ValueError:
            row[one.title] = None
            unfit.append(one.title)
    row[""] = data
    return row, unfit


def _object_value(one: Field, convert: Convert, value: object) -> object:
    if value is None or one.kind in ("text", "list"):
        return value
    if one.kind == "bool":
        if not isinstance(value, bool):
            raise ValueError(value)
        return value
    if one.kind == "time":
        return _moment_in(one, value)
    if isinstance(value, str) and value in one.absent:
        return None
    if isinstance(value, str) and one.quoted:
        return _numeral(value) if one.numeral.bare else convert(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or (one.kind == "int" and isinstance(value, float))
    ):
        raise ValueError(value)
    return value


def _moment_in(one: Field, value: object) -> object:
    shape = _times.outline(one.layout)
    if value in (*_kinds.ABSENT, *one.absent):
        return None
    if not isinstance(value, str) or len(value) < len(shape):
        raise ValueError(value)
    if not all(sign.isdigit() if mark == "0" else sign == mark for sign, mark in zip(value, shape, strict=False)):
        raise ValueError(value)
    if _times.moment(one.layout, value) is None:
        raise ValueError(value)
    return value


def _numeral(text: str) -> int | float | None:
    if text in _kinds.ABSENT:
        return None
    digits = text.removeprefix("-").replace(".", "", 1)
    if not digits.isascii() or not digits.isdigit():
        raise ValueError(text)
    return float(text) if "." in text else int(text)


def read_thrown(found: Format, items: Sequence[object], reading: Reading) -> None:
    """Read what was thrown: lines that name nothing of the kind are no records, and are passed over."""
    for number, item in enumerate(items, start=1):
        reading.lines += 1
        line = clean(str(item))
        row = _java.scan(found.kind, number, line)
        if row is not None:
            reading.rows.append({**row, "": line})


def read_lines(found: Format, items: Sequence[object], reading: Reading) -> None:
    """Read lines of any other format."""
    rows = _LineReader(found)
    passed = re.compile(found.passed) if found.passed else None
    for number, text in records_of(found, items):
        reading.lines += 1
        if not text.strip() and found.kind != "plain":
            reading.empty += 1
        elif passed is not None and passed.fullmatch(text):
            reading.header += 1
        else:
            try:
                made = rows.read(text)
            except ValueError:
                reading.refuse(number, text)
                continue
            if made is None:
                reading.header += 1
            else:
                reading.add(*made, number, text)


class _LineReader:
    """Read single records of one format."""

    def __init__(self, found: Format) -> None:
        self.found = found
        self.own = [one for one in found.fields if one.origin == "own"]
        self.derived = [one for one in found.fields if one.origin != "own"]
        self.titles = [one.title for one in self.own]
        self.converted = [_Converted(converter_of(one)) for one in self.own]
        self.more = [
            (one, one.title, re.compile(one.pattern or ""), _Converted(converter_of(one))) for one in self.derived
        ]
        self.order = [one.title for one in found.fields]
        self.names = [one.name for one in self.own]
        self.objects = [(one, converter_of(one)) for one in found.fields]
        self.shapes = [_shape.compiled(shape) for shape in found.shapes]
        self.split = any("request" in _shape.groups(shape) for shape in found.shapes)
        self.header = list(found.header)

    def read(self, text: str) -> tuple[dict[str, object], list[str]] | None:
        """Return the row a record holds and its cells that do not fit; None for a header, an error for any other."""
        if self.found.kind == "json":
            data = json_object(text)
            if data is None:
                raise ValueError(text)
            return _object_row(self.objects, data)
        cells = self.cells(text)
        if cells is None:
            return None
        values = [None if cell is None else held[cell] for held, cell in zip(self.converted, cells, strict=True)]
        unfit: list[str] = []
        row: dict[str, object] = dict(zip(self.titles, values, strict=True))
        if _NoValue in values:
            unfit = [title for title, value in row.items() if value is _NoValue]
            row |= dict.fromkeys(unfit)
        if self.derived:
            self._derive(row, unfit, text, dict(zip(self.names, cells, strict=True)))
            row = {title: row[title] for title in self.order}
        row[""] = text
        return row, unfit

    def cells(self, text: str) -> list[str | None] | None:
        """Return the texts of the fields that have a place of their own; None for a header."""
        if self.found.kind == "plain":
            return [text]
        if self.found.kind == "pattern":
            held = self._matched(text)
            return [held.get(name) for name in self.names]
        if self.found.kind == "pairs":
            pairs = pairs_of(text, _BLOCK_PAIR if self.found.blocks else _LOGFMT)
            if not any(one.path[0] in pairs for one in self.own):
                raise ValueError(text)
            return [pairs.get(one.path[0]) for one in self.own]
        return self._row_cells(text)

    def _matched(self, text: str) -> Mapping[str, str | None]:
        head = text.partition("\n")[0] if self.found.continued else text
        for shape in self.shapes:
            match = shape.fullmatch(head)
            if match:
                held: dict[str, str | None] = match.groupdict()
                if self.split:
                    held |= zip(_shape.REQUEST_FIELDS, _naming.request_parts(held.get("request") or ""), strict=True)
                return held
        raise ValueError(text)

    def _row_cells(self, text: str) -> list[str | None] | None:
        found = self.found
        cells = cells_of(found, text)
        if self.header and cells == self.header:
            return None
        if len(cells) != found.width or any(text[stop - 1 : stop] not in ("", " ") for stop in found.stops[1:]):
            raise ValueError(text)
        return [cells[one.columns[0]] if len(one.columns) == 1 else _side_by_side(cells, one) for one in self.own]

    def _derive(self, row: dict[str, object], unfit: list[str], text: str, cells: Mapping[str, str | None]) -> None:
        pairs: dict[str, dict[str, str]] = {}
        for one, title, pattern, converted in self.more:
            source = (cells.get(one.within) if one.within else text) or ""
            if one.origin == "all":
                values = [converted[match[match.lastindex or 0]] for match in pattern.finditer(source)]
                value: object = _NoValue if _NoValue in values else values
            elif one.origin == "pair":
                if one.within not in pairs:
                    pairs[one.within] = pairs_of(source)
                cell = pairs[one.within].get(one.pattern)
                value = None if cell is None else converted[cell]
            else:
                match = pattern.search(source)
                value = converted[match[match.lastindex or 0]] if match else None
            if value is _NoValue:
                value = None
                unfit.append(title)
            row[title] = value


def _side_by_side(cells: Sequence[str], one: Field) -> str | None:
    """Return two cells as one; nothing where one of them is empty."""
    held = [cells[at] for at in one.columns]
    return None if any(cell in _kinds.ABSENT for cell in held) else " ".join(held)


def pairs_of(text: str, pattern: re.Pattern[str] = _PAIR) -> dict[str, str]:
    """Return the values of a text by their keys; of several with one key the first."""
    held: dict[str, str] = {}
    for key, other, quoted, bare in pattern.findall(text):
        held.setdefault(key or other, _ESCAPED.sub(r"\1", quoted) if quoted else bare)
    return held


def messages_of(found: Format, records: Sequence[str], name: str) -> Iterator[str | None]:
    """Yield what one field of a log holds in every record that fits; None where that is nothing."""
    reader = _LineReader(replace(found, fields=tuple(one for one in found.fields if one.name == name)))
    for text in records:
        try:
            cells = reader.cells(text)
        except ValueError:
            continue
        yield cells[0] if cells else None
