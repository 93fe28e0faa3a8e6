"""Convert between the formats of plain data, and say whether a text has one of them."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mayfly.core import InputError, Invocation, same
from mayfly.world._data import loads
from mayfly.world._declare import GIVEN_TEXT, PATH, Schema, takes
from mayfly.world._read import content_of, reader

_READ: Schema = {"enum": ["csv", "json", "jsonl", "toml", "tsv"], "format": "source-format"}
# Without a word about it, the format of a file is told by its name.
_DATA_FILE: Schema = {**PATH, "pattern": r"\.(?i:csv|tsv|json|jsonl|ndjson|toml)$"}
_WRITTEN: Schema = {"enum": ["csv", "json", "jsonl", "tsv"], "format": "target-format"}


def _takes_data(*required: str, **more: Schema) -> Schema:
    schema = takes(*required, path=_DATA_FILE, text=GIVEN_TEXT, source=_READ, **more)
    return {**schema, "anyOf": [{"required": ["path"]}, {"required": ["text", "source"]}]}


def _format_of(call: Invocation) -> str:
    told = call.arguments.get("source")
    ending = str(call.arguments.get("path", "")).rpartition(".")[2].lower()
    found = str(told or {"ndjson": "jsonl"}.get(ending, ending))
    if found not in _PARSERS:
        raise InputError("nobody can tell which format it has", fix=f'say "source": {" or ".join(_PARSERS)}')
    return found


def _holds_the_same(largest: int, call: Invocation, value: object) -> bool:
    data, to = parse_data(largest, call), call.arguments["to"]
    if not isinstance(value, str):
        return False
    again = _PARSERS[to](value)
    return same(again, _as_texts(data) if to in ("csv", "tsv") else data)


def _as_texts(data: object) -> object:
    return [{name: _cell(value) for name, value in row.items()} for row in _rows(data)]


def _read_table(text: str, separator: str) -> list[dict[str, str]]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator, strict=True)
    try:
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} is not what a table has: {error}") from None
    if not lines:
        return []
    names = lines[0]
    if len(set(names)) != len(names):
        raise InputError("two columns have the same name")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(names):
            raise InputError(f"row {number} has {len(line)} cells, and there are {len(names)} columns")
    return [dict(zip(names, line, strict=True)) for line in lines[1:]]


def _write_table(data: object, separator: str) -> str:
    rows = _rows(data)
    names = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, names, delimiter=separator, lineterminator="\n", restval="")
    if names:
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return written.getvalue()


def _rows(data: object) -> list[Mapping[str, object]]:
    listed = data if isinstance(data, list) else [data]
    rows: list[Mapping[str, object]] = [row for row in listed if isinstance(row, Mapping)]
    if len(rows) != len(listed):
        raise InputError("only a list of records has the form of a table")
    if len({tuple(row) for row in rows}) > 1:
        raise InputError("the records have different fields, so they have no form as one table")
    return rows


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, Mapping)):
        raise InputError("a record holds a list or a record, which no cell of a table can hold")
    return "" if value is None else json.dumps(value)


def _read_lines(text: str) -> list[object]:
    return [loads(line, f"line {number}") for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _read_toml(text: str) -> object:
    try:
        return json.loads(json.dumps(tomllib.loads(text), default=str, allow_nan=False))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"it is not TOML: {error}") from None


def _write_json(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _write_lines(data: object) -> str:
    items = data if isinstance(data, list) else [data]
    return "".join(json.dumps(item, ensure_ascii=False, allow_nan=False) + "\n" for item in items)


_PARSERS: dict[str, Callable[[str], Any]] = {
    "csv": partial(_read_table, separator=","),
    "json": partial(loads, what="it"),
    "jsonl": _read_lines,
    "toml": _read_toml,
    "tsv": partial(_read_table, separator="\t"),
}
_WRITERS: dict[str, Callable[[object], str]] = {
    "csv": partial(_write_table, separator=","),
    "json": _write_json,
    "jsonl": _write_lines,
    "tsv": partial(_write_table, separator="\t"),
}


@reader(
    _takes_data("to", to=_WRITTEN),
    output_schema={"type": "string"},
    does="convert data, convert file",
    check=_holds_the_same,
    proves="read back it holds the same records",
)
def convert_data(largest: int, call: Invocation) -> str:
    """Convert a file or text of CSV, TSV, JSON, JSON lines or TOML to another of these formats."""
    return _WRITERS[call.arguments["to"]](parse_data(largest, call))


@reader(
    _takes_data(),
    does="parse data, parse file, parse csv, parse toml, read csv",
    again=True,
    proves="parsing it again gives the same data",
)
def parse_data(largest: int, call: Invocation) -> object:
    """Parse a file or text of CSV, TSV, JSON, JSON lines or TOML and return its data."""
    return _PARSERS[_format_of(call)](content_of(call, largest))


@reader(
    _takes_data(),
    output_schema={"type": "object", "required": ["valid", "reason"]},
    does="validate data, validate json, validate csv, validate file",
    again=True,
    proves="parsing it again comes to the same",
)
def validate_data(largest: int, call: Invocation) -> dict[str, object]:
    """Say whether a file or text is valid CSV, TSV, JSON, JSON lines or TOML, and if not, why."""
    parse, text = _PARSERS[_format_of(call)], content_of(call, largest)
    try:
        parse(text)
    except InputError as error:
        return {"valid": False, "reason": error.message}
    return {"valid": True, "reason": ""}
