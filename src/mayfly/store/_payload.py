"""What a payload may hold: JSON and nothing that a reader could get back as something else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from mayfly.core import InputError, LimitError, MayflyError, StoreError, canonical_json

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

# Readers of payloads recurse: this leaves most of Python's stack of a thousand frames to their callers.
DEPTH = 200
# Larger data goes into blobs; a page of a hundred events of this size is 25 MB.
SIZE = 256 * 1024
# What is told of a value, and from which size on it is not told whole.
LONGEST = 2000
LARGE = 64_000
INT_BITS = 14_000  # just below the 4,300 digits Python reads back by default


class _Unusual(Exception):
    """Something that has to be looked at closely."""


def plain(value: object) -> JSON:
    """Copy *value* as plain JSON data, or say where it holds something JSON cannot say."""
    try:
        return _copied(value, 0)
    except _Unusual:
        return _looked_at(value)


def _copied(value: object, depth: int) -> JSON:
    """Copy what is of the plain types themselves, which nearly everything is; that needs no words for where it is."""
    kind = type(value)
    if value is None or kind is str or kind is bool:
        return cast("JSON", value)
    if kind is int and -(2**63) <= value < 2**63:  # type: ignore[operator]
        return cast("int", value)
    if kind is float and math.isfinite(cast("float", value)):
        return cast("float", value)
    if depth < DEPTH and kind is dict:
        copy: dict[str, JSON] = {}
        for key, item in cast("dict[object, object]", value).items():
            if type(key) is not str:
                raise _Unusual
            # Most fields are texts, and a call for each would take longer than the copy.
            copy[key] = item if type(item) is str else _copied(item, depth + 1)
        return copy
    if depth < DEPTH and (kind is list or kind is tuple):
        return [_copied(item, depth + 1) for item in cast("list[object]", value)]
    raise _Unusual


def _looked_at(value: object, *, where: str = "payload", depth: int = 0) -> JSON:
    if depth > DEPTH:
        raise LimitError("nesting of a payload", used=depth, limit=DEPTH)
    if value is None or isinstance(value, (bool, int, str)):
        return _scalar(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} holds {value}, which is not JSON")
        return float(value)
    if isinstance(value, Mapping):
        return {
            _key(key, where): _looked_at(item, where=f"{where}.{key}", depth=depth + 1) for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_looked_at(item, where=f"{where}[{index}]", depth=depth + 1) for index, item in enumerate(value)]
    raise InputError(f"{where} holds a {type(value).__name__}, which is not JSON")


def encode(payload: Mapping[str, JSON]) -> str:
    """Write a plain payload as canonical JSON, in ASCII: a NUL or a lone surrogate is escaped, as databases need."""
    try:
        text = canonical_json(payload)
    except ValueError as error:
        raise InputError(f"payload cannot be written as JSON: {error}") from None
    if len(text) > SIZE:
        raise LimitError("bytes of a payload", used=len(text), limit=SIZE, fix="keep large data with put_blob")
    return text


def decode(text: str, *, id: int) -> Mapping[str, JSON]:
    """Read back what `encode` wrote; anything else was written by somebody else and is named."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StoreError(f"the payload of event {id} is not a JSON object")
    return cast("dict[str, JSON]", value)


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"{where} has the key {key!r}, which is not text")
    return str.__str__(key)


def _scalar(value: bool | int | str | None) -> bool | int | str | None:
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if value.bit_length() > INT_BITS:
        raise LimitError("bits of a number in a payload", used=value.bit_length(), limit=INT_BITS)
    return int(value)


def as_payload(value: object) -> JSON:
    """Return *value* if an event can hold it and it is not large, otherwise the beginning of what it looks like."""
    if value is None:
        return None
    try:
        copy = plain(value)
        text = canonical_json(copy)
    except (MayflyError, ValueError, RecursionError):
        return _look(value)[:LONGEST]
    return copy if len(text) <= LARGE else text[:LONGEST]


def _look(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # whatever an object of somebody else's does when it is looked at
        return f"a {type(value).__name__} that cannot be shown"
