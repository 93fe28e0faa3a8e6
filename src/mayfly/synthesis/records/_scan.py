"""Read records by hand, without patterns: the second opinion that tests of generated programs are made with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mayfly.synthesis.records import _java, _kinds, _naming, _shape, _times
from mayfly.synthesis.records._detect import json_object
from mayfly.synthesis.records._emit_read import OBJECTS, absent, entry_fields
from mayfly.synthesis.records._model import Field, Fixed, Format, Part, Slot
from mayfly.synthesis.records._text import clean

DIGITS = "0123456789"
Row = dict[str, object]


class Misfit(ValueError):
    """A line has another shape."""


def rows(found: Format, items: Sequence[object]) -> list[Row]:
    """Return the records of *items*, those that hold none left out; an object's own data is under an empty key."""
    read = (row_of(found, item, number) for number, item in enumerate(items, start=1))
    return [row for row in read if row is not None]


def row_of(found: Format, item: object, number: int, names: Collection[str] | None = None) -> Row | None:
    """Return the record one line or object holds, or None; of a table only the columns called *names* are looked at."""
    if found.kind in OBJECTS:
        return _object(found, item)
    line = clean(str(item))
    try:
        if found.kind == "pattern":
            return _converted(found, _first(found, line))
        if found.kind in ("delimited", "pairs"):
            held = _cells(found, line) if found.kind == "delimited" else _pairs(found, line)
            looked = [
                (index, field) for index, field in enumerate(found.fields) if names is None or field.name in names
            ]
            return {field.name: _cell(field, held[index]) for index, field in looked}
    except Misfit:
        return None
    if found.kind == "plain":
        return {"line_number": number, "text": line} if line else None
    return _java.scan(found.kind, number, line)


def _first(found: Format, line: str) -> dict[str, str]:
    for shape in found.shapes:
        try:
            return {name: text for name, text, _, _ in walk(shape.parts, line)}
        except Misfit:
            continue
    raise Misfit


def walk(parts: Sequence[Part], line: str) -> list[tuple[str, str, int, int]]:
    """Go along a line, part by part; return the values with where they begin and end."""
    at = 0
    found: list[tuple[str, str, int, int]] = []
    for index, part in enumerate(parts):
        if isinstance(part, Fixed):
            at = _fixed(part.text, line, at)
            continue
        end = _end(part, line, at, _shape.following(tuple(parts), index))
        if part.style in ("rest", "text") and "\n" in line[at:end] and part.name:
            raise Misfit
        if part.name:
            found.append((part.name, line[at:end], at, end))
        at = end
    if at != len(line):
        raise Misfit
    return found


def _fixed(text: str, line: str, at: int) -> int:
    place = 0
    while place < len(text):
        width = len(text[place:]) - len(text[place:].lstrip(" "))
        if width > 1:
            start = at
            while line[at : at + 1] == " ":
                at += 1
            if at == start and width == 2:
                raise Misfit
        elif not line.startswith(text[place], at):
            raise Misfit
        else:
            at += 1
        place += max(width, 1)
    return at


def _end(slot: Slot, line: str, at: int, following: str) -> int:
    if slot.style in ("int", "float", "code", "time"):
        return _measured(slot, line, at)
    if slot.style in ("quoted", "request"):
        return _quoted(line, at)
    if slot.style == "upto" and following:
        return _upto(line, at, following)
    if slot.style == "text" and following:
        return _before(line, at, following)
    if slot.style in ("rest", "upto", "text"):
        return len(line)
    return _run(slot, line, at)


def _measured(slot: Slot, line: str, at: int) -> int:
    end = -1
    if slot.style == "time":
        scanned = _times.scan(slot.layout, line, at)
        end = scanned[0] if scanned else -1
    elif slot.style == "code":
        end = at + 3 if len(line) >= at + 3 and all(digit in DIGITS for digit in line[at : at + 3]) else -1
    else:
        end = _number(line, at, fraction=slot.style == "float")
    if end >= 0:
        return end
    if not slot.optional:
        raise Misfit
    return at + 1 if line[at : at + 1] == "-" else at


def _number(line: str, at: int, *, fraction: bool) -> int:
    start = at + 1 if line[at : at + 1] == "-" else at
    end = _digits(line, start)
    if end == start:
        return -1
    if fraction and line[end : end + 1] == "." and (last := _digits(line, end + 1)) > end + 1:
        return last
    return end


def _digits(line: str, at: int) -> int:
    end = at
    while end < len(line) and end - at < 18 and line[end] in DIGITS:
        end += 1
    return end


def _quoted(line: str, at: int) -> int:
    while at < len(line) and line[at] != '"':
        at += 2 if line[at] == "\\" else 1
    if at >= len(line):
        raise Misfit
    return at


def _upto(line: str, at: int, following: str) -> int:
    sign = following.lstrip(" ")[:1] or following[0]
    place = line.find(sign, at)
    end = place - following.index(sign)
    if place < 0 or end < at:
        raise Misfit
    return end


def _before(line: str, at: int, following: str) -> int:
    if "  " not in following:
        place = line.find(following, at)
        if place < 0:
            raise Misfit
        return place
    for place in range(at, len(line)):
        try:
            _fixed(following, line, place)
        except Misfit:
            continue
        return place
    raise Misfit


def _run(slot: Slot, line: str, at: int) -> int:
    """Go on while characters belong to a word, to letters, or to anything but the signs a class names."""
    end = at
    if slot.style == "class" and not slot.layout.startswith("^"):
        allowed = _characters(slot.layout)
        while end < len(line) and line[end] in allowed:
            end += 1
        if end == at:
            raise Misfit
        return end
    stops = slot.layout.removeprefix("^")
    while end < len(line):
        sign = line[end]
        if slot.style == "word":
            stop = sign.isspace()
        elif slot.style == "letters":
            stop = not (sign.isascii() and sign.isalpha())
        else:
            stop = (
                sign in stops.replace("\\s", "").replace("\\", "")
                or ("\\s" in stops and sign.isspace())
                or sign == stops[-1:]
            )
        if stop:
            break
        end += 1
    if end == at and not slot.optional:
        raise Misfit
    return end


def _characters(layout: str) -> set[str]:
    """Return the characters a class allows; a hyphen between two stands for those in between."""
    found = set(layout.replace("-", ""))
    for at in range(1, len(layout) - 1):
        if layout[at] == "-":
            found |= {chr(code) for code in range(ord(layout[at - 1]), ord(layout[at + 1]) + 1)}
    return found


def _converted(found: Format, held: dict[str, str]) -> Row:
    if "request" in held and any(field.name in _shape.REQUEST_FIELDS for field in found.fields):
        parts = _naming.request_parts(held["request"])
        whole = None if held["request"] in absent("pattern") else held["request"]
        split: Row = dict(zip(_shape.REQUEST_FIELDS, parts if parts[0] else (None, whole, None), strict=True))
    else:
        split = dict.fromkeys(_shape.REQUEST_FIELDS) if "request" not in {field.name for field in found.fields} else {}
    row: Row = {}
    for field in found.fields:
        if field.name in held:
            row[field.name] = _value(field, held[field.name], "pattern")
        else:
            row[field.name] = split.get(field.name)
    return row


def _value(field: Field, text: str, kind: str) -> object:
    if field.optional and text in absent(kind):
        return None
    if field.kind == "int":
        return int(text)
    if field.kind in ("float", "epoch"):
        return float(text)
    return text.lower() == "true" if field.kind == "bool" else text


def _cells(found: Format, line: str) -> list[str]:
    if found.comment and line.startswith(found.comment):
        raise Misfit
    row = line.split() if found.delimiter == " " else list(_row(line, found.delimiter))
    if len(row) != len(found.fields) or tuple(row) == found.header:
        raise Misfit
    return row


def _row(line: str, delimiter: str) -> Iterator[str]:
    """Cut a line into cells, sign by sign; quotes count only where they stand around a whole cell."""
    at = 0
    while at <= len(line):
        start = at
        while line[start : start + 1] == " ":
            start += 1
        cell, end = _quoted_cell(line, start) if line[start : start + 1] == '"' else ("", -1)
        if end < 0 or line[end : end + 1] not in ("", delimiter):
            end = line.find(delimiter, at) if delimiter in line[at:] else len(line)
            cell = line[at:end]
        yield cell.strip()
        at = end + 1


def _quoted_cell(line: str, at: int) -> tuple[str, int]:
    """Read from a quote to the one that closes it; return the text and where the spaces behind it end, or -1."""
    text, at = "", at + 1
    while at < len(line):
        if line[at] != '"':
            text += line[at]
        elif line[at + 1 : at + 2] == '"':
            text, at = text + '"', at + 1
        else:
            end = at + 1
            while line[end : end + 1] == " ":
                end += 1
            return text, end
        at += 1
    return "", -1


def _cell(field: Field, text: str) -> object:
    text = text.removeprefix(field.prefix).removesuffix(field.suffix)
    if field.optional and text in _kinds.ABSENT:
        return None
    if field.kind in ("int", "float", "epoch") and _number(text, 0, fraction=field.kind != "int") != len(text):
        raise Misfit
    if field.kind == "bool" and text.lower() not in ("true", "false"):
        raise Misfit
    return _value(field, text, "delimited")


def _pairs(found: Format, line: str) -> list[str]:
    held: dict[str, str] = {}
    at = 0
    while at < len(line):
        end = at
        while end < len(line) and not line[end].isspace() and line[end] != "=":
            end += 1
        if line[end : end + 1] != "=" or end == at or not (line[at].isalpha() or line[at] in "_@"):
            at = end + 1
            continue
        key = line[at:end]
        held[key], at = _pair_value(line, end + 1)
        while at < len(line) and not line[at].isspace():
            at += 1
    needed = [field.path[0] for field in found.fields if not field.optional]
    if not held or any(key not in held for key in needed):
        raise Misfit
    return [held.get(field.path[0], "") for field in found.fields]


def _pair_value(line: str, at: int) -> tuple[str, int]:
    if line[at : at + 1] == '"':
        try:
            end = _quoted(line, at + 1)
        except Misfit:
            end = -1
        if end >= 0:
            return _unescaped(line[at + 1 : end]), end + 1
    end = at
    while end < len(line) and not line[end].isspace():
        end += 1
    return line[at:end], end


def _unescaped(text: str) -> str:
    shown, at = "", 0
    while at < len(text):
        at += text[at] == "\\" and at + 1 < len(text)
        shown += text[at]
        at += 1
    return shown


def _object(found: Format, item: object) -> Row | None:
    data = item if found.kind == "objects" else json_object(clean(str(item)))
    if not isinstance(data, dict):
        return None
    row: Row = {field.name: _at(data, field) for field in entry_fields(found, None)}
    row[""] = data
    return row


def _at(data: object, field: Field) -> object:
    import json

    for key in field.path:
        data = data.get(key) if isinstance(data, dict) else None
    if field.kind in ("float", "epoch"):
        if isinstance(data, str):
            return float(data) if _is_number(data) else None
        return data if isinstance(data, (int, float)) and not isinstance(data, bool) else None
    if field.kind == "bool":
        return data if isinstance(data, bool) else None
    return data if data is None or isinstance(data, str) else json.dumps(data, sort_keys=True)


def _is_number(text: str) -> bool:
    """Whether a text is digits, with at most one point and perhaps a minus in front."""
    digits = text[1:] if text[:1] == "-" else text
    points = digits.count(".")
    count = sum(sign in DIGITS for sign in digits)
    return points < 2 and count + points == len(digits) and 0 < count < 19
