"""Check values against the subset of JSON schema that capabilities use, and say in words what is wrong.

Known: type, enum, const, properties, required, additionalProperties, items, prefixItems, anyOf, not, pattern, the
limits on numbers, lengths and counts, and $ref into $defs. Other keywords (description, format, default) say something
to whoever reads the schema and hold nobody to anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mayfly.core._shown import shown

Schema = Mapping[str, Any]
# Deeper than any value that may be handed on; a schema that refers to itself ends here.
_DEEPEST = 120
_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a record",
}


def mismatch(value: object, schema: Schema, *, name: str = "the value") -> str:
    """Return in which way *value*, which is called *name*, is not what *schema* describes; nothing where it fits."""
    return next(_mismatches(value, schema, name, schema, 0), "")


def _mismatches(value: object, schema: Any, name: str, root: Schema, depth: int) -> Iterator[str]:
    if schema is False:
        yield f"{name} is not known"
    if not isinstance(schema, Mapping):
        return
    if depth > _DEEPEST:
        yield f"{name} is nested deeper than {_DEEPEST} levels"
        return
    if "$ref" in schema:
        yield from _mismatches(value, _referred(root, str(schema["$ref"])), name, root, depth + 1)
    wrong = _wrong_type(value, schema.get("type"), name)
    if wrong:
        yield wrong
        return
    yield from _simple(value, schema, name)
    if isinstance(value, Mapping):
        yield from _record(value, schema, name, root, depth)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from _list(value, schema, name, root, depth)
    if "anyOf" in schema:
        found = [next(_mismatches(value, one, name, root, depth + 1), "") for one in schema["anyOf"]]
        if all(found):
            yield found[0] if len(found) == 1 else " or ".join(dict.fromkeys(found))
    if "not" in schema and not next(_mismatches(value, schema["not"], name, root, depth + 1), ""):
        yield f"{name} is what it may not be: {shown(value)}"


def _referred(root: Schema, reference: str) -> Any:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step, {}) if isinstance(found, Mapping) else {}
    return found


def _wrong_type(value: object, wanted: object, name: str) -> str:
    kinds = [wanted] if isinstance(wanted, str) else list(wanted) if isinstance(wanted, (list, tuple)) else []
    if not kinds:
        return ""
    if not any(_IS.get(str(kind), _is_anything)(value) for kind in kinds):
        words = " or ".join(_WORDS.get(str(kind), str(kind)) for kind in kinds)
        return f"{name} must be {words}, not {_called(value)}"
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return f"{name} is not text: it holds half of a character"
    return ""


def _simple(value: object, schema: Schema, name: str) -> Iterator[str]:
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield f"{name} must be one of {', '.join(map(shown, schema['enum']))}, not {shown(value)}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{name} must be {shown(schema['const'])}, not {shown(value)}"
    if isinstance(value, str):
        yield from _sized(len(value), schema, name, "minLength", "maxLength", "characters")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{name} does not have the form {schema['pattern']}: {shown(value)}"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        for keyword, (fails, words) in _LIMITS.items():
            if keyword in schema and fails(value, schema[keyword]):
                yield f"{name} must be {words} {schema[keyword]}, not {shown(value)}"


def _sized(size: int, schema: Schema, name: str, least: str, most: str, what: str) -> Iterator[str]:
    if size < schema.get(least, 0):
        yield f"{name} is empty" if size == 0 else f"{name} has fewer than {schema[least]} {what}"
    if most in schema and size > schema[most]:
        yield f"{name} has more than {schema[most]} {what}"


def _record(value: Mapping[Any, object], schema: Schema, name: str, root: Schema, depth: int) -> Iterator[str]:
    known: Mapping[str, Any] = schema.get("properties", {})
    within = "" if name == "the value" else f" of {name}"
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{key}{within} is missing"
    more = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in known:
            yield from _mismatches(item, known[key], f"{key}{within}", root, depth + 1)
        elif more is False:
            names = f"; known are {', '.join(known)}" if known else ""
            yield f"{str(key)[:80]!r}{within} is not known{names}"
        else:
            yield from _mismatches(item, more, f"{str(key)[:80]}{within}", root, depth + 1)


def _list(value: Sequence[object], schema: Schema, name: str, root: Schema, depth: int) -> Iterator[str]:
    yield from _sized(len(value), schema, name, "minItems", "maxItems", "items")
    first: Sequence[Any] = schema.get("prefixItems", ())
    for place, item in enumerate(value):
        kind = first[place] if place < len(first) else schema.get("items", True)
        yield from _mismatches(item, kind, f"item {place + 1} of {name}", root, depth + 1)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_anything(_: object) -> bool:
    return True


_IS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_whole,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)),
    "object": lambda value: isinstance(value, Mapping),
}
_LIMITS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda value, limit: value < limit, "at least"),
    "maximum": (lambda value, limit: value > limit, "at most"),
    "exclusiveMinimum": (lambda value, limit: value <= limit, "above"),
    "exclusiveMaximum": (lambda value, limit: value >= limit, "below"),
}


def _same(one: object, other: object) -> bool:
    """Compare so that true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _called(value: object) -> str:
    for kind, applies in _IS.items():
        if applies(value):
            return _WORDS[kind]
    return f"a {type(value).__name__}"
