"""Give the holes of a learned shape their names, and make slots and fields of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mayfly.synthesis.records import _kinds, _shape
from mayfly.synthesis.records._align import Hole, Piece
from mayfly.synthesis.records._model import Field, Fixed, Numeral, Part, Shape, Slot
from mayfly.synthesis.records._numbers import INTEGER, NUMBER
from mayfly.synthesis.records._text import other_signs

# What has one of these roles is called so.
_ROLES = ("timestamp", "id", "path", "ip", "level", "method", "email")
_RESULTS = frozenset(
    {"PASS", "FAIL", "SKIP", "PASSED", "FAILED", "SKIPPED", "OK", "NOK", "KO", "ERROR", "XFAIL", "XPASS", "SUCCESS"}
    | {"FAILURE"}
)
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+(?:[-+~:._][\w.+~:-]*)?")
_FILLERS = frozenset(
    {"from", "to", "in", "at", "by", "for", "of", "on", "with", "the", "a", "an", "and", "is", "was", "as"}
)
_UNITS = {
    "ms": "ms",
    "s": "s",
    "sec": "s",
    "us": "us",
    "kb": "KB",
    "mb": "MB",
    "gb": "GB",
    "b": "B",
    "bytes": "B",
    "byte": "B",
}


def name_pieces(pieces: Sequence[Piece], taken: Sequence[str] = ()) -> tuple[Shape, tuple[Field, ...]]:
    """Return the shape and the fields of what was learned; names in *taken* are not given again."""
    parts: list[Part] = []
    fields: list[Field] = []
    merged = _merge(pieces)
    for index, piece in enumerate(merged):
        if isinstance(piece, Fixed):
            parts.append(piece)
            continue
        before = _fixed(merged, index - 1)
        after = _fixed(merged, index + 1)
        if set(piece.texts) == {"-"}:
            parts.append(Slot(name="", style="word"))
            continue
        field = _field(piece, before, after, [*taken, *(one.name for one in fields)], index == len(merged) - 1)
        slot = _slot(piece, field, after)
        parts.append(slot)
        fields.extend(request_fields(piece.texts, taken) if slot.style == "request" else [field])
    return Shape(tuple(parts)), tuple(fields)


def fields_of_shapes(shapes: Sequence[Sequence[Field]]) -> tuple[Field, ...]:
    """Return the fields of all shapes, each once; those that only some shapes have may be missing."""
    fields: dict[str, Field] = {}
    for field in (field for found in shapes for field in found):
        fields[field.name] = _joined(fields.get(field.name, field), field)
    everywhere = set.intersection(*({field.name for field in found} for found in shapes))
    return tuple(replace(field, optional=field.optional or name not in everywhere) for name, field in fields.items())


def _joined(one: Field, other: Field) -> Field:
    """Make one field of two that share a name; where they are not of one kind, they are texts."""
    values = tuple(dict.fromkeys((*one.values, *other.values)))
    if (one.kind, one.layout, one.numeral.scales) != (other.kind, other.layout, other.numeral.scales):
        one = replace(one, kind="text", layout="", numeral=Numeral())
    nothing = tuple(dict.fromkeys((*one.nothing, *other.nothing))) if one.kind == "text" else ()
    return replace(one, optional=one.optional or other.optional, values=values, nothing=nothing)


def _merge(pieces: Sequence[Piece]) -> list[Piece]:
    """Join fixed texts that stand side by side."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Fixed) and merged and isinstance(merged[-1], Fixed):
            before, after = merged[-1].text, piece.text
            # Three spaces stand for any number of them, and only where nothing else makes it one or more.
            met = before.endswith(" ") and after.startswith(" ")
            merged[-1] = Fixed(f"{before.rstrip(' ')}  {after.lstrip(' ')}" if met else before + after)
        else:
            merged.append(piece)
    return merged


def _fixed(pieces: Sequence[Piece], index: int) -> str:
    piece = pieces[index] if 0 <= index < len(pieces) else None
    return piece.text if isinstance(piece, Fixed) else ""


def _field(hole: Hole, before: str, after: str, taken: Sequence[str], last: bool) -> Field:
    unit = _unit(after)
    present = [text for text in hole.texts if text not in _kinds.ABSENT]
    described = _kinds.describe("", hole.texts, unit=unit)
    hint = _hint(before)
    if described.numeric and described.numeral.bare and not hint:
        moments = _kinds.epoch(present, described.kind)[0] == "epoch"
        described = _kinds.describe("timestamp", hole.texts) if moments else described
    name = hint or _named(described, present, unit, last)
    if unit and described.numeric and not name.lower().endswith(f"_{unit.lower()}") and name != "bytes":
        name = f"{name}_{'bytes' if unit == 'B' else unit.lower()}"
    unique = _kinds.identifier(name or f"column_{len(taken) + 1}", taken)
    field = _kinds.in_lines(_kinds.describe(unique, hole.texts, unit=unit), hole.texts)
    if not name:
        field = replace(field, heading=unique.replace("_", " "))
    if unique.startswith("number"):
        return replace(field, role="")
    return replace(field, role=field.role or described.role or ("duration" if unit in ("ms", "s", "us") else ""))


def _hint(before: str) -> str:
    """Return the name that stands before a value, as in user=, status: or took."""
    found = re.search(r"([A-Za-z_@][\w.\-]*) ?(?:=>|=|:) *[\"'\[(<{]?$", before)
    if found:
        return found[1]
    word = re.search(r"(?:^|[^A-Za-z0-9_])([A-Za-z_]\w*) +[\"'\[(<{]?$", before)
    return word[1] if word and word[1].lower() not in _FILLERS | _UNITS.keys() else ""


def _unit(after: str) -> str:
    found = re.match(r" ?([A-Za-zµ]+)", after)
    return _UNITS.get(found[1].lower(), "") if found else ""


def _named(field: Field, present: Sequence[str], unit: str, last: bool) -> str:
    if field.role in _ROLES:
        return field.role
    if field.numeric or field.kind == "epoch":
        return _number_name(field, present, unit)
    if field.kind == "bool":
        return "flag"
    if any(" " in text for text in present) and (last or len(present) > 1):
        return "message"
    distinct = set(present)
    if present and all(map(_VERSION.fullmatch, distinct)):
        return "version"
    if distinct <= _RESULTS:
        return "result"
    shouted = len(distinct) <= len(present) // 4 and all(re.fullmatch("[A-Z][A-Z_-]+", text) for text in distinct)
    return "action" if shouted else ""


def _number_name(field: Field, present: Sequence[str], unit: str) -> str:
    if unit:
        return "duration" if unit in ("ms", "s", "us") else "size"
    if field.kind == "epoch":
        return "timestamp"
    codes = field.kind == "int" and all(len(text) == 3 and text[0] in "12345" for text in present)
    return (
        "status"
        if codes
        and any(text in ("200", "201", "204", "301", "302", "400", "403", "404", "500", "503") for text in present)
        else "number"
    )


def _slot(hole: Hole, field: Field, after: str) -> Slot:
    if hole.quoted and field.kind in ("text", "bool"):
        asked = all(re.fullmatch(r"[A-Z][A-Z-]+ \S.* HTTP/[0-9.]+|-|", text) for text in hole.texts) and any(hole.texts)
        return Slot(
            name="request" if asked else field.name, style="request" if asked else "quoted", optional=field.optional
        )
    # Where another word than a dash stands for nothing, the place takes any word, and its column tells what it is.
    words = {text for text in hole.texts if text not in ("", "-")}
    if field.kind in ("int", "epoch") and all(re.fullmatch(INTEGER, text) for text in words):
        return Slot(name=field.name, style="int", optional=field.optional)
    if field.kind in ("float", "epoch") and all(re.fullmatch(NUMBER, text) for text in words):
        return Slot(name=field.name, style="float", optional=field.optional)
    if field.kind == "time" and words.isdisjoint((*_kinds.ABSENT, *field.absent)):
        return Slot(name=field.name, style="time", layout=field.layout, optional=field.optional)
    return _text_slot(hole, field, after)


def _text_slot(hole: Hole, field: Field, after: str) -> Slot:
    optional = "" in hole.texts
    if not after:
        spaced = optional or any(" " in text for text in hole.texts)
        return Slot(name=field.name, style="rest" if spaced else "word")
    if not any(after[0] in text for text in hole.texts):
        return Slot(name=field.name, style="class", layout=other_signs(after[0])[1:-1], optional=optional)
    return Slot(name=field.name, style="text")


def request_fields(texts: Sequence[str], taken: Sequence[str]) -> list[Field]:
    """Describe what request lines hold: a method, a path and a protocol."""
    split = [request_parts(text) for text in texts]
    found = []
    for index, name in enumerate(_shape.REQUEST_FIELDS):
        held = [parts[index] or "" for parts in split]
        described = _kinds.describe(_kinds.identifier(name, taken), held, missing=True)
        found.append(replace(_kinds.in_lines(described, held), role=name))
    return found


def request_parts(request: str) -> tuple[str | None, str | None, str | None]:
    """Split a request into method, path and protocol; one that is malformed stays whole, as the path."""
    words = request.split(" ")
    if (
        len(words) > 2
        and words[-1].startswith("HTTP/")
        and words[0].replace("-", "").isalpha()
        and "".join(words[1:-1])
    ):
        return words[0], " ".join(words[1:-1]), words[-1]
    return None, request, None
