"""Forms an answer can be printed in besides JSON: tables for programs (CSV, TSV) and for people, and plain lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mayfly.cli._output import answer, foreign, to_json
from mayfly.core import InputError, harmless, one_line

FORMS = ("json", "csv", "tsv", "lines", "table")
# A cell of a table for people is cut here, so that one long text does not push all the others off the screen.
WIDEST = 60
_WHAT = re.compile(r"(?P<what>.+?)(?: where .*)?, by (?P<by>[^\W\d][\w.@-]*|\[[^\]]+\])")


class Rows(NamedTuple):
    """An answer as a table; the rows are made anew each time they are read."""

    heads: tuple[str, ...]
    read: Callable[[], Iterator[tuple[object, ...]]]


def checked_form(form: str) -> str:
    """Return *form* if there is such a one."""
    if form not in FORMS:
        raise InputError(f"--as {one_line(form, limit=60)}: there is no such form", fix=f"one of {', '.join(FORMS)}")
    return form


def write_form(value: object, form: str, *, reading: str = "") -> None:
    """Write *value* on stdout in a form other than JSON; *reading* names the columns where it does."""
    if form == "lines":
        _write_lines(value)
    elif form == "table":
        _write_table(rows_of(value, reading=reading))
    else:
        _write_csv(rows_of(value, reading=reading), "," if form == "csv" else "\t")


def rows_of(value: object, *, reading: str = "") -> Rows:
    """Return a value as a table: records, rows, values by key, records by key, single values."""
    if isinstance(value, Mapping):
        return _by_key(value, *_named(reading))
    if not isinstance(value, Sequence) or isinstance(value, str):
        return Rows(("value",), lambda: iter([(value,)]))
    if len(value) and all(isinstance(item, Mapping) for item in value):
        return _records(value)
    if len(value) and all(isinstance(item, list) for item in value):
        width = max(len(item) for item in value if isinstance(item, list))
        return Rows(tuple(f"column {n}" for n in range(1, width + 1)), lambda: _padded(value, width))
    return Rows(("value",), lambda: ((item,) for item in value))


def _records(items: Iterable[Any]) -> Rows:
    heads = tuple(dict.fromkeys(key for item in items for key in item))
    return Rows(tuple(map(str, heads)), lambda: (tuple(item.get(head) for head in heads) for item in items))


def _padded(items: Iterable[Any], width: int) -> Iterator[tuple[object, ...]]:
    return (tuple(item) + (None,) * (width - len(item)) for item in items)


def _by_key(value: Mapping[Any, Any], key: str, cell: str) -> Rows:
    """Return a row for each key; where all values are records their fields are columns beside it."""
    if not value or not all(isinstance(item, Mapping) for item in value.values()):
        return Rows((key, cell), lambda: iter(value.items()))
    heads = tuple(dict.fromkeys(name for item in value.values() for name in item))
    return Rows(
        (key, *map(str, heads)),
        lambda: ((name, *(item.get(head) for head in heads)) for name, item in value.items()),
    )


def _named(reading: str) -> tuple[str, str]:
    """Return what the keys and the values of an answer are called: a reading such as `count, by status` says it."""
    found = _WHAT.match(reading)
    return (found["by"].strip("[]"), found["what"]) if found else ("key", "value")


def _write_csv(rows: Rows, delimiter: str) -> None:
    import csv

    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator="\n")
    writer.writerow([foreign(head, sys.stdout) for head in rows.heads])
    writer.writerows([foreign(_text(cell), sys.stdout) for cell in row] for row in rows.read())


def _write_lines(value: object) -> None:
    """Write one value a line; of a mapping each key with its value, a tab between them."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            answer(f"{_one_line(key)}\t{_one_line(item)}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            answer(_one_line(item))
    else:
        answer(_one_line(value))


def _one_line(value: object) -> str:
    """Return a value on one line: whoever reads lines counts on that."""
    text = foreign(_text(value), sys.stdout)
    return text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n") if set("\r\n") & set(text) else text


def _text(value: object) -> str:
    """Return text as it is, nothing as nothing, and anything else as JSON has it."""
    return value if isinstance(value, str) else "" if value is None else to_json(value)


def _write_table(rows: Rows) -> None:
    """Write columns that line up, numbers to the right."""
    from rich.cells import cell_len, set_cell_size

    heads = [_cell(head) for head in rows.heads]
    widths = [cell_len(head) for head in heads]
    numbers = [True] * len(heads)
    for row in rows.read():
        for place, cell in enumerate(row):
            widths[place] = max(widths[place], cell_len(_cell(cell)))
            numbers[place] = numbers[place] and (cell is None or isinstance(cell, (int, float)))
    rule = ["-" * width for width in widths]

    def line(cells: Iterable[str]) -> str:
        placed = (
            " " * (width - cell_len(text)) + text if right else set_cell_size(text, width)
            for text, width, right in zip(cells, widths, numbers, strict=True)
        )
        return "  ".join(placed).rstrip()

    answer(line(heads))
    answer(line(rule))
    for row in rows.read():
        answer(line(map(_cell, row)))


def _cell(value: object) -> str:
    text = harmless(" ".join(_text(value).split()))
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
