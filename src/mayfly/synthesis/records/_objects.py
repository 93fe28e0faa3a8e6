"""Recognise objects: lines of JSON, lists of objects, and whatever holds the records of a JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mayfly.synthesis.records import _kinds
from mayfly.synthesis.records._model import Field, Format, Kind, Numeral
from mayfly.synthesis.records._values import is_number

MOST_FIELDS = 60
# Objects inside objects are opened so far; what lies deeper is shown as it is.
DEEPEST = 4
ENOUGH_LINES = 0.6


def records_in(value: object, name: str = "") -> list[object]:
    """Return the records that a JSON document holds: the items of its list, or of an object what goes by its keys.

    *name* is what the value is called where it stands, which tells what its keys name.
    """
    if isinstance(value, list):
        return _records_of_list(value)
    if not isinstance(value, Mapping):
        return [value]
    entries = {str(key): inner for key, inner in value.items()}
    if found := _entries_by_key(entries, name) or _columns(entries):
        return found
    holders = {key: inner for key, inner in entries.items() if _holds_records(inner)}
    if holders:
        largest = max(holders, key=lambda key: len(records_in(holders[key], key)))
        return records_in(holders[largest], largest)
    if len(entries) > 2 and all(map(is_number, entries.values())):
        return [{_singular(name) or "key": key, "value": inner} for key, inner in entries.items()]
    return [value]


def _entries_by_key(entries: Mapping[str, object], name: str) -> list[object]:
    """Return records that go by keys, one or several each; nothing where the entries are no objects."""
    if len(entries) < 2:
        return []
    if _are_objects(entries.values()) and (rows := _keyed(entries, name)):
        return rows
    lists = {key: one for key, one in entries.items() if isinstance(one, list) and one and _are_objects(one)}
    if len(lists) < len(entries):
        return []
    return [{_key_name(name, row): key, **row} for key, rows in lists.items() for row in rows]


def _records_of_list(items: list[object]) -> list[object]:
    head = items[0] if items else None
    if isinstance(head, list) and len(items) > 1 and head and all(isinstance(cell, str) for cell in head):
        rows = [one for one in items[1:] if isinstance(one, list) and len(one) == len(head)]
        if len(rows) == len(items) - 1 and len(set(map(str, head))) == len(head):
            return [dict(zip(map(str, head), row, strict=True)) for row in rows]
    if items and all(map(is_number, items)):
        return [{"value": one} for one in items]
    return items


def _are_objects(values: Iterable[object]) -> bool:
    return all(isinstance(one, Mapping) for one in values)


def _keyed(entries: Mapping[str, object], name: str) -> list[object]:
    """Make records of objects that go by their names; none of the parts of one thing, which have little in common."""
    rows = [one for one in entries.values() if isinstance(one, Mapping)]
    common = set.intersection(*({str(key) for key in row} for row in rows))
    every = set.union(*({str(key) for key in row} for row in rows))
    if len(rows) < 2 or not common or len(common) * 3 < len(every):
        return []
    key_name = _key_name(name, *rows)
    return [{key_name: key, **row} for key, row in zip(entries, rows, strict=True)]


def _key_name(name: str, *rows: Mapping[object, object]) -> str:
    wanted = _singular(name) or "key"
    while any(wanted in row for row in rows):
        wanted = f"{wanted}_key" if wanted != "key" else "key_"
    return wanted


def _singular(name: str) -> str:
    """Return what one of many is called; nothing where the name is no plural."""
    if not re.fullmatch(r"[A-Za-z_]{3,}s", name) or name.lower().endswith(("ss", "us", "is")):
        return ""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-2] if re.search("(?:x|ch|sh|ss)es$", name) else name[:-1]


def _columns(entries: Mapping[str, object]) -> list[object]:
    """Return the rows of columns that stand side by side: lists of plain values, all of one length."""
    lists = [one for one in entries.values() if isinstance(one, list)]
    if len(lists) < 2 or len(lists) < len(entries) or len({len(one) for one in lists}) != 1 or not lists[0]:
        return []
    if any(isinstance(item, (list, Mapping)) for one in lists for item in one):
        return []
    return [dict(zip(entries, row, strict=True)) for row in zip(*lists, strict=True)]


def _holds_records(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, Mapping) for one in value)
    if not isinstance(value, Mapping) or not value:
        return False
    inner = list(value.values())
    if len(inner) > 1 and all(isinstance(one, Mapping) for one in inner):
        return bool(_keyed({str(key): one for key, one in value.items()}, ""))
    return any(_holds_records(one) for one in inner)


def detect_objects(sample: Sequence[object]) -> Format:
    """Return the format of a list of objects."""
    records = [item for item in sample if isinstance(item, Mapping)]
    fields = object_fields(records)
    return Format(name="objects", kind="objects", fields=fields)


def detect_json_lines(lines: Sequence[str]) -> Format | None:
    """Return the format of lines that hold one object each; some may be broken."""
    likely = [line for line in lines if line.lstrip().startswith("{")]
    if len(likely) < len(lines) * ENOUGH_LINES:
        return None
    records = [record for line in likely if (record := json_object(line)) is not None]
    if len(records) < len(lines) * ENOUGH_LINES:
        return None
    fields = object_fields(records)
    return Format(name="JSON lines", kind="json", fields=fields)


def json_object(line: str) -> dict[str, object] | None:
    """Return the object a line holds, or None."""
    try:
        value = json.loads(line, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def object_fields(records: Sequence[Mapping[str, object]]) -> tuple[Field, ...]:
    """Return the fields of objects: what lies inside other objects goes by the names on the way to it."""
    seen: dict[tuple[str, ...], list[object]] = {}
    for record in records:
        for path, value in _leaves(record, ()):
            seen.setdefault(path, []).append(value)
    kept = sorted(seen, key=lambda path: -len(seen[path]))[:MOST_FIELDS]
    fields: list[Field] = []
    for path in (path for path in seen if path in set(kept)):
        name = _kinds.identifier("_".join(path), [field.name for field in fields])
        fields.append(_object_field(name, path, seen[path], len(seen[path]) < len(records)))
    return tuple(fields)


def _leaves(value: Mapping[str, object], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, inner in value.items():
        here = (*path, str(key))
        if isinstance(inner, Mapping) and inner and len(path) < DEEPEST:
            yield from _leaves(inner, here)
            continue
        yield here, inner
        if isinstance(inner, list) and inner and all(isinstance(one, Mapping) for one in inner) and len(path) < DEEPEST:
            names = dict.fromkeys(str(name) for one in inner for name in one)
            yield from (((*here, name), [one.get(name) for one in inner]) for name in names)


def value_at(data: object, path: Sequence[str]) -> object:
    """Follow the keys into an object; in a list of objects what each of them has."""
    value = data
    for key in path:
        if isinstance(value, list):
            value = [one.get(key) for one in value if isinstance(one, Mapping)]
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _object_field(name: str, path: tuple[str, ...], values: Sequence[object], missing: bool) -> Field:
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    optional = missing or len(present) < len(values)
    if kinds & {list, dict}:
        kind: Kind = "list" if list in kinds else "text"
        return Field(name=name, kind=kind, optional=optional, path=path, mixed=kind == "text")
    if kinds == {bool}:
        return Field(name=name, kind="bool", optional=optional, path=path)
    texts = [value if isinstance(value, str) else json.dumps(value) for value in present]
    field = _kinds.describe(name, texts, path=path, missing=optional)
    if kinds <= {int, float} and field.kind not in ("int", "epoch"):
        return replace(field, kind="float", layout="", numeral=Numeral())
    if field.kind == "bool" or (kinds != {str} and field.kind not in ("int", "float", "epoch")):
        return replace(field, kind="text", layout="", numeral=Numeral(), mixed=kinds != {str})
    return replace(field, quoted=str in kinds)
