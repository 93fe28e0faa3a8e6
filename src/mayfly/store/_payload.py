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


def plain(value: object, *, where: str = "payload", depth: int = 0) -> JSON:
    """Copy *value* as plain JSON data, or say where it holds something JSON cannot say."""
    if depth > DEPTH:
        raise LimitError("nesting of a payload", used=depth, limit=DEPTH)
    if value is None or isinstance(value, (bool, int, str)):
        return _scalar(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} holds {value}, which is not JSON")
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key, where): plain(item, where=f"{where}.{key}", depth=depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, where=f"{where}[{index}]", depth=depth + 1) for index, item in enumerate(value)]
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
