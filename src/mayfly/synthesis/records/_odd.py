"""Make odd lines out of ordinary ones: values that are missing or wrong, lines that are cut, ends of all kinds."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import cast

from mayfly.synthesis.records import _scan, _shape, _times
from mayfly.synthesis.records._detect import cells_of, json_object
from mayfly.synthesis.records._emit_read import OBJECTS
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._text import clean

MISFITS = ("", "this line has none of the shape that was asked about", "\x00\x01\ufffd \udc80 }{")
_VALUES: tuple[object, ...] = (
    "12.5",
    "-3",
    "--3",
    ".",
    "5.",
    "٣",
    "1.2.3",
    "abc",
    "",
    True,
    None,
    [1],
    {"x": 1},
    7,
    2.5,
)


@cache
def _table() -> dict[str, list[str]]:
    text = files(__package__).joinpath("odd.toml").read_text(encoding="utf-8")
    return cast("dict[str, list[str]]", tomllib.loads(text))


def odd_values(found: Format, items: Sequence[object], names: Sequence[str], kept: Sequence[str] = ()) -> list[object]:
    """Return items in which the fields called *names* hold odd values, one after the other.

    Texts in *kept* are added to each value, for a line that is only wanted as long as it has them.
    """
    if found.kind in ("memory", "trace"):
        return [*_table()[found.kind]]
    made: list[object] = []
    for at, name in enumerate(dict.fromkeys(names)):
        base = items[at % len(items)] if items else None
        made.extend(_with_odd(found, base, found.named(name), " ".join(("", *kept))))
    return made


def _with_odd(found: Format, base: object, field: Field, kept: str) -> Iterator[object]:
    if found.kind in OBJECTS:
        yield from _odd_objects(found, base, field)
        return
    requested = field.name in _shape.REQUEST_FIELDS and any("request" in _shape.groups(one) for one in found.shapes)
    place = "request" if requested else field.name
    for text in _texts(field, requested):
        for written in dict.fromkeys((text, f"{text}{kept}")):
            changed = with_value(found, base, place, written)
            if changed is not None:
                yield changed


def _texts(field: Field, requested: bool) -> list[str]:
    if requested:
        return _table()["requests"]
    if field.kind == "time":
        wrong = _times.write(field.layout, datetime(2024, 2, 29, 10, 11, 12))
        zones = [wrong + zone for zone in ("Z", "+02:00", "-0130")] if field.layout.endswith("%Z") else []
        return [*_table()["time"], wrong.replace("29", "31", 1), wrong.replace("10", "99", 1), *zones]
    if field.kind == "bool":
        return ["true", "False", "yes", "-", ""]
    return _table()["number" if field.kind in ("int", "float", "epoch") else "text"]


def _odd_objects(found: Format, base: object, field: Field) -> Iterator[object]:
    data = base if found.kind == "objects" else json_object(clean(str(base)))
    if not isinstance(data, dict):
        return
    for value in _VALUES:
        yield _written(found, _set(data, field.path, value))
    if len(field.path) > 1:
        yield _written(found, _set(data, field.path[:-1], "flat"))
    yield _written(found, {key: value for key, value in data.items() if key != field.path[0]})


def _set(data: dict[str, object], path: tuple[str, ...], value: object) -> dict[str, object]:
    changed = copy.deepcopy(data)
    inner: object = changed
    for key in path[:-1]:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else {}
    if isinstance(inner, dict):
        inner[path[-1]] = value
    return changed


def _written(found: Format, data: dict[str, object]) -> object:
    return data if found.kind == "objects" else json.dumps(data)


def with_value(found: Format, item: object, name: str, text: str) -> object | None:
    """Write another value into a line, at the place where a scan finds the field."""
    if found.kind in OBJECTS and item is not None:
        data = item if found.kind == "objects" else json_object(clean(str(item)))
        number = text.lstrip("-").isdecimal() and found.named(name).numeric
        return (
            _written(found, _set(data, found.named(name).path, int(text) if number else text))
            if isinstance(data, dict)
            else None
        )
    if not isinstance(item, str):
        return None
    if found.kind == "pattern":
        return _in_pattern(found, item, name, text)
    if found.kind == "delimited":
        return _in_cells(found, item, name, text)
    return _in_pairs(found, item, name, text) if found.kind == "pairs" else None


def _in_pattern(found: Format, line: str, name: str, text: str) -> str | None:
    for shape in found.shapes:
        try:
            spans = {held: (start, end) for held, _, start, end in _scan.walk(shape.parts, line)}
        except _scan.Misfit:
            continue
        if name in spans:
            start, end = spans[name]
            return line[:start] + text + line[end:]
    return None


def _in_cells(found: Format, line: str, name: str, text: str) -> str | None:
    cells = cells_of(line, found.delimiter) if found.delimiter != " " else line.split()
    names = [field.name for field in found.fields]
    if len(cells) != len(names):
        return None
    cells[names.index(name)] = text
    return found.delimiter.join(_cell(cell, found.delimiter) for cell in cells)


def _cell(text: str, delimiter: str) -> str:
    return '"' + text.replace('"', '""') + '"' if delimiter in text or '"' in text else text


def _in_pairs(found: Format, line: str, name: str, text: str) -> str | None:
    key = found.named(name).path[0]
    if f"{key}=" not in line or " " in text:
        return None
    start = (f" {line}").index(f" {key}=") + len(key) + 1
    end = line.find(" ", start) if not line[start:].startswith('"') else line.find('"', start + 1) + 1
    return line[:start] + text + (line[end:] if end > 0 else "")


def broken(found: Format, items: Sequence[object]) -> list[object]:
    """Return items that are cut, grown or junk, between some that are not."""
    if found.kind == "objects":
        return [None, 3, [], {}, "text", *items[:2]]
    made: list[object] = list(MISFITS)
    for item in items[:3]:
        line = str(item)
        cuts = [line[:at] for at in range(len(line) // 5, len(line), max(1, len(line) // 5))]
        made += [*cuts, line[1:], f"{line} and more", f"x {line}", f"{line}{line}", line]
    if found.kind == "delimited":
        delimiter = found.delimiter
        made += (
            [
                delimiter.join(found.header),
                f"{items[0]}{delimiter}" if items else "",
                delimiter.join(f" {cell} " for cell in cells_of(str(items[0]), delimiter)),
            ]
            if items
            else []
        )
    if found.kind == "json":
        made += ["[1]", "3", "null", '{"a": NaN}', "{" * 5000]
    return made


def mended(found: Format, items: Sequence[object]) -> list[object]:
    """Return one line in each of the ways that must not matter, and in some that must."""
    lines = [str(item) for item in items[:1]]
    return [
        made
        for line in lines
        for made in (f"{line} and more", f"{line}{line}", f"\ufeff{line}", f"{line}\r\n", line[:-1])
    ]


def ended(items: Sequence[object]) -> list[object]:
    """Return lines with every kind of end, and a mark in front of one."""
    ends = ("\n", "\r\n", "\r", "")
    lines: list[object] = [f"{item}{ends[at % 4]}" for at, item in enumerate(items)]
    return [*(f"\ufeff{item}" for item in items[:1]), *lines]
