"""Make rows of records on the host: every cell by what its column holds, and a word about every other line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from mayfly.synthesis.records import _java, _kinds, _naming, _shape, _times
from mayfly.synthesis.records._cells import BLOCK_PAIR, LOGFMT, cells_of, has_gaps_at, pairs_of, records_of
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._numbers import Reader
from mayfly.synthesis.records._objects import json_object, value_at
from mayfly.synthesis.records._several import files_in, of_one_file
from mayfly.synthesis.records._values import is_number

# So many texts of a column are remembered with their values; those that hardly come again are not worth their memory.
_REMEMBERED = 50_000
# Stands for the value of a cell that is not what its column holds.
_UNFIT = object()
# What a line is that makes no row.
Other = Literal["empty", "header", "bad", "passed"]


class Made(NamedTuple):
    """The row that a record makes, and the titles of its cells that are not what their columns hold."""

    row: dict[str, object]
    unfit: Sequence[str] = ()


class _Column(dict[str, object]):
    """The values that the texts of one column stand for, each worked out once: most of them come again."""

    def __init__(self, one: Field, *, in_object: bool) -> None:
        super().__init__()
        self.field, self.title, self.in_object = one, one.title, in_object
        self.meanings = dict(one.meanings)
        self.pattern = re.compile(one.pattern)
        numbers = one.kind in ("int", "float", "epoch") or not one.numeral.bare
        self.number = Reader(one.numeral, whole=one.kind == "int") if numbers else None
        self.update(dict.fromkeys(_kinds.words_for_nothing(one)))

    def __missing__(self, text: str) -> object:
        try:
            value = self._read(text)
        except ValueError:
            value = _UNFIT
        if len(self) < _REMEMBERED:
            self[text] = value
        return value

    def _read(self, text: str) -> object:
        """Return the value of a text that stands for something; ValueError for one that the column cannot hold."""
        if self.number is not None:
            return self.number(text)
        if self.field.kind == "bool":
            if text.lower() not in ("true", "false"):
                raise ValueError(text)
            return text.lower() == "true"
        if self.field.kind == "time" and not _times.fits(self.field.layout, text, more=self.in_object):
            raise ValueError(text)
        return self.meanings.get(text, text)

    def value_in(self, value: object) -> object:
        """Return what a value in an object stands for."""
        kind = self.field.kind
        if value is None or kind in ("text", "list"):
            return value
        if isinstance(value, bool) or kind == "bool":
            return value if isinstance(value, bool) and kind == "bool" else _UNFIT
        if isinstance(value, str):
            return self[value] if self.field.quoted or kind == "time" else _UNFIT
        return value if is_number(value) and (kind != "int" or isinstance(value, int)) else _UNFIT

    def value_inside(self, text: str, pairs: Mapping[str, str]) -> object:
        """Return the value that is found inside a text with some pairs in it."""
        if self.field.origin == "pair":
            cell = pairs.get(self.field.pattern)
            return None if cell is None else self[cell]
        if self.field.origin == "all":
            values = [self[match[match.lastindex or 0]] for match in self.pattern.finditer(text)]
            return _UNFIT if _UNFIT in values else values
        match = self.pattern.search(text)
        return self[match[match.lastindex or 0]] if match else None


def read_records(found: Format, items: Sequence[object]) -> Iterator[tuple[int, str, Made | Other]]:
    """Yield the number and the text of every record or other line, and the row that is made of it.

    Of several files each is read by itself, and its name stands in every row.
    """
    if found.files:
        alone, title = of_one_file(found)
        for file in files_in(items):
            for number, text, made in read_records(alone, file.lines):
                if isinstance(made, Made):
                    made.row[title] = file.name
                yield number, text, made
        return
    reader = _RecordReader(found)
    if found.kind == "objects":
        for number, item in enumerate(items, start=1):
            yield number, str(item)[:200], reader.row_of_object(item) if isinstance(item, Mapping) else "bad"
        return
    if found.kind in ("memory", "trace"):
        for number, text in records_of(found, items):
            # Lines that name nothing of the kind are no records, and are passed over.
            row = _java.row_of(found.kind, number, text)
            yield number, text, "passed" if row is None else Made({**row, "": text})
        return
    passed = re.compile(found.passed) if found.passed else None
    for number, text in records_of(found, items):
        if not text.strip() and found.kind != "plain":
            yield number, text, "empty"
        elif passed is not None and passed.fullmatch(text):
            yield number, text, "header"
        else:
            yield number, text, reader.read(text)


class _RecordReader:
    """Read single records of one format."""

    def __init__(self, found: Format) -> None:
        self.found = found
        self.columns = [_Column(one, in_object=found.kind in ("json", "objects")) for one in found.fields]
        self.own = [one for one in self.columns if one.field.origin == "own"]
        self.inside = [one for one in self.columns if one.field.origin != "own"]
        self.titles = [one.title for one in self.own]
        self.names = [one.field.name for one in self.own]
        self.places = [one.field.columns for one in self.own]
        self.shapes = [_shape.compiled(shape) for shape in found.shapes]
        self.requests = any("request" in _shape.groups(shape) for shape in found.shapes)
        self.header = list(found.header)

    def read(self, text: str) -> Made | Other:
        """Return the row that a record makes, or what else a line is."""
        if self.found.kind == "json":
            data = json_object(text)
            return "bad" if data is None else self.row_of_object(data)
        cells = self.cells(text)
        if isinstance(cells, str):
            return cells
        values = [None if cell is None else held[cell] for held, cell in zip(self.own, cells, strict=True)]
        row: dict[str, object] = dict(zip(self.titles, values, strict=True))
        if self.inside:
            self._look_inside(row, text, dict(zip(self.names, cells, strict=True)))
            row = {one.title: row[one.title] for one in self.columns}
        return _made(row, text)

    def row_of_object(self, data: Mapping[str, object]) -> Made:
        """Return the row that an object makes."""
        return _made({one.title: one.value_in(value_at(data, one.field.path)) for one in self.columns}, data)

    def cells(self, text: str) -> list[str | None] | Literal["header", "bad"]:
        """Return the texts of the fields that have a place of their own, or what else a line is."""
        found = self.found
        if found.kind == "plain":
            return [text]
        if found.kind == "pattern":
            held = self._matched(text)
            return "bad" if held is None else [held.get(name) for name in self.names]
        if found.kind == "pairs":
            pairs = pairs_of(text, BLOCK_PAIR if found.blocks else LOGFMT)
            cells = [pairs.get(one.field.path[0]) for one in self.own]
            return "bad" if cells.count(None) == len(cells) else cells
        return self._row_cells(text)

    def _matched(self, text: str) -> Mapping[str, str | None] | None:
        """Return what the first shape that fits finds in a line; None where none of them fits."""
        head = text.partition("\n")[0] if self.found.continued else text
        match = next((match for shape in self.shapes if (match := shape.fullmatch(head))), None)
        if match is None:
            return None
        held: dict[str, str | None] = match.groupdict()
        if self.requests:
            held |= zip(_shape.REQUEST_FIELDS, _naming.request_parts(held.get("request") or ""), strict=True)
        return held

    def _row_cells(self, text: str) -> list[str | None] | Literal["header", "bad"]:
        found = self.found
        cells = cells_of(found, text)
        if self.header and cells == self.header:
            return "header"
        if len(cells) != found.width or not has_gaps_at(text, found.stops):
            return "bad"
        return [cells[at[0]] if len(at) == 1 else _side_by_side([cells[one] for one in at]) for at in self.places]

    def _look_inside(self, row: dict[str, object], text: str, cells: Mapping[str, str | None]) -> None:
        """Add the values that are found inside the whole record, or inside one of its cells."""
        pairs: dict[str, dict[str, str]] = {}
        for one in self.inside:
            within = one.field.within
            source = (cells.get(within) if within else text) or ""
            if one.field.origin == "pair" and within not in pairs:
                pairs[within] = pairs_of(source)
            row[one.title] = one.value_inside(source, pairs.get(within, {}))


def _made(row: dict[str, object], record: object) -> Made:
    """Return a row with the record that it was made of; cells that do not fit are told, and hold nothing."""
    unfit = [title for title, value in row.items() if value is _UNFIT] if _UNFIT in row.values() else []
    for title in unfit:
        row[title] = None
    row[""] = record
    return Made(row, unfit)


def _side_by_side(cells: Sequence[str]) -> str | None:
    """Return two cells as one; nothing where one of them is empty."""
    return None if any(cell in _kinds.ABSENT for cell in cells) else " ".join(cells)


def messages_of(found: Format, records: Iterable[str], name: str) -> Iterator[str | None]:
    """Yield what one field of a log holds in every record that fits; None where that is nothing."""
    reader = _RecordReader(replace(found, fields=tuple(one for one in found.fields if one.name == name)))
    for text in records:
        cells = reader.cells(text)
        if not isinstance(cells, str):
            yield cells[0]
