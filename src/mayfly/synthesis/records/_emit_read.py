"""Write the part of a program that turns lines into records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mayfly.synthesis.records import _java, _kinds, _shape
from mayfly.synthesis.records._detect import PAIR
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._model import Field, Format, Shape, Slot
from mayfly.synthesis.records._source import Source, literal, raw

OBJECTS = ("json", "objects")
_CELL = r'(?: *"([^"]*(?:""[^"]*)*)" *|([^OUT]*))STOP'
_CELLS = {"int": "integer", "float": "decimal", "epoch": "decimal", "bool": "truth"}


def entry_fields(found: Format, names: Sequence[str] | None) -> tuple[Field, ...]:
    """Return the fields a record of the program has: those asked for, or all; those of objects may all be missing."""
    fields = [field for field in found.fields if names is None or field.name in names]
    if found.kind not in OBJECTS:
        return tuple(fields)
    return tuple(replace(field, kind="float" if field.kind == "int" else field.kind, optional=True) for field in fields)


def absent(kind: str) -> tuple[str, ...]:
    """Return what stands for nothing: a dash in logs, and words besides in tables."""
    return _kinds.ABSENT[:2] if kind == "pattern" else _kinds.ABSENT


def read(source: Source, found: Format, names: Sequence[str] | None) -> None:
    """Write the record class and `parse`; *names* are the fields the rest of the program needs, None means all."""
    source.kind = found.kind
    if found.kind in OBJECTS:
        _objects(source, found, names)
        return
    fields = entry_fields(found, names)
    source.dataclass(found.record, f"One record of the {found.name}." if found.kind != "plain" else "A line.", fields)
    if found.kind in ("memory", "trace"):
        _java.write(source, found, fields)
        return
    writers = {"pattern": _pattern, "delimited": _delimited, "pairs": _pairs, "plain": _plain}
    writers[found.kind](source, found, fields)


def _wanted(shape: Shape, fields: Sequence[Field]) -> list[str]:
    names = [field.name for field in fields]
    asked = ["request"] if set(names) & set(_shape.REQUEST_FIELDS) and "request" in _shape.groups(shape) else []
    return [*names, *asked]


def _pattern(source: Source, found: Format, fields: Sequence[Field]) -> None:
    source.use("re")
    for number, shape in enumerate(found.shapes):
        name = "LINE" if len(found.shapes) == 1 else f"LINE_{number + 1}"
        pieces = list(_shape.pattern_lines(_closed(shape), _wanted(shape, fields)))
        source.constant(f"{name} = re.compile(\n" + "".join(f"    {raw(piece)}\n" for piece in pieces) + ")")
    single = len(found.shapes) == 1
    requests = {name for shape in found.shapes for name in _shape.groups(shape) if name == "request"}
    split = [field.name for field in fields if field.name in _shape.REQUEST_FIELDS] if requests else []
    if single:
        body = [f"match = LINE.{_method(found.shapes[0])}(line)"]
    else:
        tries = ", ".join(f"LINE_{at}.{_method(shape)}(line)" for at, shape in enumerate(found.shapes, start=1))
        body = [f"match = {tries.replace(', ', ' or ')}"]
    body += ["if match is None:", "    return None"]
    if not single:
        body.append("held = match.groupdict()")
    if split:
        _absent(source)
        source.helper("present", helper("present"))
        source.helper("request_parts", helper("request_parts"))
        held = 'match["request"]' if single else 'held.get("request", "")'
        targets = [name if name in split else "_" for name in _shape.REQUEST_FIELDS]
        body.append(f"{', '.join(targets)} = request_parts({held})")
    values = [_value(source, field, single, split) for field in fields]
    body.append(f"return {found.record}({', '.join(values)})" if len(values) < 3 else _call(found.record, values))
    _parse(source, found, body)


def _method(shape: Shape) -> str:
    """Return how a line is matched: whole, or only its beginning where anything may follow."""
    return "fullmatch" if _closed(shape) is shape else "match"


def _closed(shape: Shape) -> Shape:
    """Leave out a last part that takes whatever is left and tells nothing."""
    last = shape.parts[-1]
    open_ended = isinstance(last, Slot) and last.style == "rest" and not last.name
    return Shape(shape.parts[:-1]) if open_ended else shape


def _value(source: Source, field: Field, single: bool, split: Sequence[str]) -> str:
    if field.name in split:
        return f"{field.name}={field.name}"
    held = f'match["{field.name}"]' if single else f'held["{field.name}"]'
    if field.optional and not single:
        held = f'held.get("{field.name}", "")'
    return f"{field.name}={_converted(source, field, held)}"


def _converted(source: Source, field: Field, held: str) -> str:
    """Return the expression that gives the value of a field whose pattern has already been matched."""
    if field.optional:
        name = {"int": "integer", "float": "decimal", "epoch": "decimal", "bool": "truth"}.get(field.kind, "present")
        _absent(source)
        source.helper(name, helper(name))
        return f"{name}({held})"
    plain = {"int": f"int({held})", "float": f"float({held})", "epoch": f"float({held})"}
    return plain.get(field.kind, f'{held}.lower() == "true"' if field.kind == "bool" else held)


def _absent(source: Source) -> None:
    source.constant(f"ABSENT = {literal(absent(source.kind))}")


def _delimited(source: Source, found: Format, fields: Sequence[Field]) -> None:
    if found.delimiter == " ":
        cut = "line.split()"
    else:
        source.use("re")
        stop = _shape._in_class(found.delimiter)
        source.constant(
            f"CELL = re.compile({raw(_CELL.replace('STOP', re.escape(found.delimiter)).replace('OUT', stop))})"
        )
        source.helper("cells", helper("cells").replace("STOP", literal(found.delimiter)))
        cut = "cells(line)"
    if found.header:
        source.constant(f"HEADER = {literal(list(found.header))}")
    order = [field.name for field in found.fields]
    values = [f"{field.name}={_cell(source, field, f'row[{order.index(field.name)}]')}" for field in fields]
    refused = [f"len(row) != {len(order)}"]
    refused += ["row == HEADER"] if found.header else []
    refused += [f"line.startswith({literal(found.comment)})"] if found.comment else []
    body = [f"row = {cut}", f"if {' or '.join(refused)}:", "    return None"]
    _parse(source, found, [*body, *_tried(found.record, fields, values)])


def _tried(record: str, fields: Sequence[Field], values: Sequence[str]) -> list[str]:
    """Build a record from cells; one that is not what its column holds makes the line no record."""
    made = _call(record, values)
    if all(field.kind in ("text", "time") for field in fields):
        return [f"return {made[7:]}" if made.startswith("return ") else made]
    indented = "\n".join(f"    {line}" for line in made.split("\n"))
    return ["try:", *indented.split("\n"), "except ValueError:", "    return None"]


def _cell(source: Source, field: Field, held: str) -> str:
    """Return the expression that checks and reads the cell of a table or the value of a pair."""
    held += f".removeprefix({literal(field.prefix)})" if field.prefix else ""
    held += f".removesuffix({literal(field.suffix)})" if field.suffix else ""
    name = _CELLS.get(field.kind, "present")
    if name == "present" and not field.optional:
        return held
    if name in ("integer", "decimal"):
        source.use("re")
        pattern = _kinds.INTEGER if name == "integer" else _kinds.NUMBER
        source.constant(f"{name.upper()} = re.compile({raw(pattern)})")
    if not field.optional:
        source.helper(f"exact_{name}", helper(f"exact_{name}"))
        return f"exact_{name}({held})"
    _absent(source)
    if name != "present":
        source.helper(f"exact_{name}", helper(f"exact_{name}"))
    wrapper = name if name == "present" else f"cell_{name}"
    source.helper(wrapper, helper(wrapper))
    return f"{wrapper}({held})"


def _pairs(source: Source, found: Format, fields: Sequence[Field]) -> None:
    source.use("re")
    source.constant(f"PAIR = re.compile({raw(PAIR)})")
    source.constant('ESCAPED = re.compile(r"\\\\(.)")')
    source.helper("pairs", helper("pairs"))
    required = [field.path[0] for field in found.fields if not field.optional]
    if required:
        source.constant(f"NEEDED = {literal(frozenset(required))}".replace("frozenset({", "frozenset({"))
    values = []
    for field in fields:
        key = literal(field.path[0])
        held = f'held.get({key}, "")' if field.optional else f"held[{key}]"
        values.append(f"{field.name}={_cell(source, field, held)}")
    refused = "not NEEDED <= held.keys()" if required else "not held"
    body = ["held = pairs(line)", f"if {refused}:", "    return None"]
    _parse(source, found, [*body, *_tried(found.record, fields, values)])


def _plain(source: Source, found: Format, fields: Sequence[Field]) -> None:
    values = {"line_number": "line_number=number", "text": "text=line"}
    made = ", ".join(values[field.name] for field in fields)
    source.function(
        f"def parse(number: int, line: str) -> {found.record} | None:",
        "Return the line with its number; None for an empty one.",
        [f"return {found.record}({made}) if line else None"],
    )


def _objects(source: Source, found: Format, names: Sequence[str] | None) -> None:
    fields = entry_fields(found, names or ())
    source.dataclass(
        found.record, "What is asked about an object, and the object itself.", fields, extra="data: dict[str, object]"
    )
    values = []
    for field in fields:
        name = {"int": "number_at", "float": "number_at", "epoch": "number_at", "bool": "truth_at"}.get(
            field.kind, "text_at"
        )
        source.helper("value_at", helper("value_at"))
        if name == "text_at":
            source.use("json")
        source.helper(name, helper(name))
        values.append(f"{field.name}={name}(data, {', '.join(map(literal, field.path))})")
    values.append("data=data")
    if found.kind == "objects":
        body = ["if not isinstance(data, dict):", "    return None", _call(found.record, values)]
        source.function(
            f"def parse(data: object) -> {found.record} | None:",
            "Return what is asked about an object; None for anything else.",
            body,
        )
        return
    source.use("json")
    body = [
        "try:",
        "    data = json.loads(line, parse_constant=str)",
        "except (ValueError, RecursionError):",
        "    return None",
    ]
    body += ["if not isinstance(data, dict):", "    return None", _call(found.record, values)]
    _parse(source, found, body)


def _call(record: str, values: Sequence[str]) -> str:
    whole = f"return {record}({', '.join(values)})"
    if len(whole) < 90:
        return whole
    return f"return {record}(\n" + "".join(f"    {value},\n" for value in values) + ")"


def _parse(source: Source, found: Format, body: Sequence[str]) -> None:
    lines = [line for block in body for line in block.split("\n")]
    source.function(
        f"def parse(line: str) -> {found.record} | None:",
        "Return the record a line holds; None for a line of another shape.",
        lines,
    )
