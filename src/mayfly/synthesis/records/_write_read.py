"""Write the part of a program that turns lines into rows, and accounts for every one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mayfly.synthesis.records import _java, _kinds, _shape
from mayfly.synthesis.records._detect import PAIR
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._known import CONTINUED
from mayfly.synthesis.records._model import Field, Format, Shape, Slot
from mayfly.synthesis.records._source import Source, literal, raw

OBJECTS = ("json", "objects")
_CELL = r'(?: *"([^"]*(?:""[^"]*)*)" *|([^OUT]*))STOP'
_NUMBERED = ("memory", "trace")


def write_reader(source: Source, found: Format, fields: Sequence[Field], *, line: bool, name: str = "read") -> None:
    """Write `read`, which makes a row of a line: *fields* of it, and with *line* the whole under an empty name."""
    source.kind = found.kind
    constants = f"{name.upper()}_" if name != "read" else ""
    writers = {"pattern": _pattern, "delimited": _delimited, "pairs": _pairs, "plain": _plain}
    if found.kind in OBJECTS:
        body = _objects(source, found, fields)
    elif found.kind in _NUMBERED:
        body = _java.row_body(source, found, [field.name for field in fields])
    else:
        body = writers[found.kind](source, found, fields, constants)
    if line:
        whole = "data" if found.kind in OBJECTS else "line"
        body[-1:] = [
            body[-1].replace("{", f'{{"": {whole}, ', 1) if body[-1] != "return {}" else f'return {{"": {whole}}}'
        ]
    taken = (
        "item: object"
        if found.kind == "objects"
        else "number: int, line: str"
        if found.kind in _NUMBERED
        else "line: str"
    )
    doc = "Return the row that a line holds; None for one that holds none, an error for one of another shape."
    source.function(f"def {name}({taken}) -> Row | None:", doc, body)


def write_rows(source: Source, found: Format, *, wanted: bool, name: str = "rows", read: str = "read") -> None:
    """Write `rows`, the stream that everything else is made of."""
    source.helper("Account", helper("Account"))
    kind = "object" if found.kind == "objects" else "str"
    head = f"def {name}(lines: Iterable[{kind}], account: Account) -> Iterator[Row]:"
    if found.kind == "objects":
        body = [
            "for number, item in enumerate(lines, start=1):",
            "    account.lines += 1",
            "    line = str(item)[:200]",
        ]
        call = f"{read}(item)"
    else:
        stream = "enumerate(lines, start=1)"
        if found.multiline or found.continued:
            _logical(source, found)
            stream = "logical(lines)"
        source.constant('EDGES = "\\ufeff\\r\\n"')
        body = [f"for number, raw in {stream}:", "    account.lines += 1", "    line = raw.strip(EDGES)"]
        call = f"{read}(number, line)" if found.kind in _NUMBERED else f"{read}(line)"
        if found.kind not in ("plain", *_NUMBERED):
            body += ["    if not line.strip():", "        account.empty += 1", "        continue"]
    body += [
        "    try:",
        f"        row = {call}",
        "    except ValueError:",
        "        account.refuse(number, line)",
        "        continue",
    ]
    if found.header or found.comment:
        body += ["    if row is None:", "        account.header += 1", "        continue"]
    else:
        body += ["    if row is None:", "        continue"]
    if wanted:
        body += ["    if not wanted(row):", "        account.filtered += 1", "        continue"]
    body += ["    account.used += 1", "    yield row"]
    source.function(head, "Yield the rows asked for, and account for every line.", body)


def _logical(source: Source, found: Format) -> None:
    """Write `logical`, which puts the lines together that one record goes over."""
    head = "def logical(lines: Iterable[str]) -> Iterator[tuple[int, str]]:"
    if found.multiline:
        body = [
            'held, began = "", 0',
            "for number, line in enumerate(lines, start=1):",
            '    held, began = (f"{held}\\n{line}", began) if held else (line, number)',
            "    if held.count('\"') % 2 == 0:",
            "        yield began, held",
            '        held = ""',
            "if held:",
            "    yield began, held",
        ]
        source.function(
            head, "Yield records with the number of their first line; a quoted cell may go over several.", body
        )
        return
    source.use("re")
    source.constant(f"CONTINUED = re.compile(\n    {raw(CONTINUED.pattern[:90])}\n    {raw(CONTINUED.pattern[90:])}\n)")
    body = [
        'held, began = "", 0',
        "for number, line in enumerate(lines, start=1):",
        "    if held and CONTINUED.match(line):",
        '        held = f"{held}\\n{line}"',
        "        continue",
        "    if began:",
        "        yield began, held",
        "    held, began = line, number",
        "if began:",
        "    yield began, held",
    ]
    source.function(head, "Yield records with the number of their first line; what belongs to one comes with it.", body)


def _row(values: Sequence[tuple[str, str]]) -> str:
    whole = ", ".join(f"{literal(title)}: {value}" for title, value in values)
    if len(whole) < 90 or not values:
        return f"return {{{whole}}}"
    return "return {" + "".join(f"\n    {literal(title)}: {value}," for title, value in values) + "\n}"


def _pattern(source: Source, found: Format, fields: Sequence[Field], constants: str) -> list[str]:
    source.use("re")
    names = [field.name for field in fields]
    for number, shape in enumerate(found.shapes, start=1):
        pieces = list(_shape.pattern_lines(_closed(shape), _wanted(shape, names)))
        source.constant(
            f"{constants}LINE_{number} = re.compile(\n" + "".join(f"    {raw(piece)}\n" for piece in pieces) + ")"
        )
    head = 'line.partition("\\n")[0]' if found.continued else "line"
    tries = [f"{constants}LINE_{at}.{_method(shape)}(head)" for at, shape in enumerate(found.shapes, start=1)]
    body = [f"head = {head}", f"match = {' or '.join(tries)}", "if match is None:", "    raise ValueError(line)"]
    body.append("held: dict[str, str | None] = match.groupdict()" if names else "")
    requests = any("request" in _shape.groups(shape) for shape in found.shapes)
    split = [name for name in names if name in _shape.REQUEST_FIELDS] if requests else []
    if split:
        _absent(source, "pattern")
        source.helper("present", helper("present"))
        source.helper("request_parts", helper("request_parts"))
        targets = [name if name in split else "_" for name in _shape.REQUEST_FIELDS]
        body.append(f'{", ".join(targets)} = request_parts(held.get("request") or "")')
    values = [
        (
            field.title,
            field.name if field.name in split else _cell(source, field, f'held.get("{field.name}")', "pattern"),
        )
        for field in fields
    ]
    return [*(line for line in body if line), *_row(values).split("\n")]


def _wanted(shape: Shape, names: Sequence[str]) -> list[str]:
    asked = ["request"] if set(names) & set(_shape.REQUEST_FIELDS) and "request" in _shape.groups(shape) else []
    return [*names, *asked]


def _method(shape: Shape) -> str:
    """Return how a line is matched: whole, or only its beginning where anything may follow."""
    return "fullmatch" if _closed(shape) is shape else "match"


def _closed(shape: Shape) -> Shape:
    """Leave out a last part that takes whatever is left and tells nothing."""
    last = shape.parts[-1]
    open_ended = isinstance(last, Slot) and last.style == "rest" and not last.name
    return Shape(shape.parts[:-1]) if open_ended else shape


def _absent(source: Source, kind: str) -> None:
    source.constant(f"ABSENT = {literal(_kinds.ABSENT[:2] if kind == 'pattern' else _kinds.ABSENT)}")


def _cell(source: Source, field: Field, held: str, kind: str) -> str:
    """Return the expression that checks and reads one cell."""
    _absent(source, kind)
    if field.scales:
        source.use("re")
        source.constant('SCALED = re.compile(r"(-?[0-9]+(?:\\.[0-9]+)?) ?([A-Za-zµ]*)")')
        source.helper("scaled", helper("scaled"))
        return f"scaled({held}, {literal(dict(field.scales))})"
    name = {"int": "whole", "float": "decimal", "epoch": "decimal", "bool": "truth"}.get(field.kind, "present")
    if name in ("whole", "decimal"):
        source.use("re")
        source.constant(f"{name.upper()} = re.compile({raw(_kinds.INTEGER if name == 'whole' else _kinds.NUMBER)})")
        if field.prefix or field.suffix or field.thousands or field.decimal != ".":
            source.helper("bare", helper("bare"))
            signs = ", ".join(map(literal, (field.prefix, field.suffix, field.thousands, field.decimal)))
            held = f"bare({held}, {signs})"
    source.helper(name, helper(name))
    return f"{name}({held})"


def _delimited(source: Source, found: Format, fields: Sequence[Field], constants: str) -> list[str]:
    width = len(found.fields)
    if found.delimiter == " ":
        cut = f"line.split(None, {width - 1})" if found.rest else "line.split()"
    elif found.delimiter == "  ":
        source.use("re")
        source.constant('GAP = re.compile(r" {2,}|\\t+")')
        cut = "GAP.split(line.strip())"
    else:
        source.use("re")
        stop = _shape._in_class(found.delimiter)
        pattern = _CELL.replace("STOP", re.escape(found.delimiter)).replace("OUT", stop)
        source.constant(f"{constants}CELL = re.compile({raw(pattern)})")
        cells = helper("cells").replace("STOP", literal(found.delimiter)).replace("CELL", f"{constants}CELL")
        source.helper(f"{constants}cells", cells.replace("def cells", f"def {constants.lower()}cells"))
        cut = f"{constants.lower()}cells(line)"
    body = [f"row = {cut}"]
    skipped = []
    if found.header:
        source.constant(f"{constants}HEADER = {literal(list(found.header))}")
        skipped.append(f"row == {constants}HEADER")
    if found.comment:
        skipped.append(f"line.startswith({literal(found.comment)})")
    if skipped:
        body += [f"if {' or '.join(skipped)}:", "    return None"]
    body += [f"if len(row) != {width}:", "    raise ValueError(line)"]
    order = [field.name for field in found.fields]
    values = [(field.title, _cell(source, field, f"row[{order.index(field.name)}]", "delimited")) for field in fields]
    return [*body, *_row(values).split("\n")]


def _pairs(source: Source, found: Format, fields: Sequence[Field], constants: str) -> list[str]:
    source.use("re")
    source.constant(f"PAIR = re.compile({raw(PAIR)})")
    source.constant('ESCAPED = re.compile(r"\\\\(.)")')
    source.helper("pairs", helper("pairs"))
    source.constant(f"KEYS = {literal(frozenset(field.path[0] for field in found.fields))}")
    values = [(field.title, _cell(source, field, f"held.get({literal(field.path[0])})", "pairs")) for field in fields]
    body = ["held = pairs(line)", "if KEYS.isdisjoint(held):", "    raise ValueError(line)"]
    return [*body, *_row(values).split("\n")]


def _plain(source: Source, found: Format, fields: Sequence[Field], constants: str) -> list[str]:
    return _row([(field.title, "line") for field in fields]).split("\n")


def _objects(source: Source, found: Format, fields: Sequence[Field]) -> list[str]:
    values = []
    for field in fields:
        source.helper("at", helper("at"))
        held = f"at(data, {', '.join(map(literal, field.path))})"
        if field.kind in ("int", "float", "epoch"):
            source.use("re")
            source.constant(f"DECIMAL = re.compile({raw(_kinds.NUMBER)})")
            source.helper("numeral", helper("numeral"))
            held = f"numeral({held})"
        values.append((field.title, held))
    if found.kind == "objects":
        body = ["data = item", "if not isinstance(data, dict):", "    raise ValueError(item)"]
        return [*body, *_row(values).split("\n")]
    source.use("json")
    body = [
        "try:",
        "    data = json.loads(line, parse_constant=str)",
        "except RecursionError as error:",
        "    raise ValueError(line) from error",
        "if not isinstance(data, dict):",
        "    raise ValueError(line)",
    ]
    return [*body, *_row(values).split("\n")]
