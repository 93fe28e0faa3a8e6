"""What promises hand to each other: plain data, copied, so that nobody changes what was proven."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count

from mayfly.core import MayflyError, is_sequence

DEEPEST = 100
# Just below the digits that Python reads back by default.
_INT_BITS = 14_000
_MOST = 20_000_000


class NotData(MayflyError):
    """A value is no plain data, so it can neither be kept nor be the same again in another process."""

    code = "NOT_DATA"


def copied(value: object) -> object:
    """Return *value* as it would be read back from the ledger: of lists, records, texts and numbers of its own.

    What lies on disk stays there. `NotData` says what cannot be kept.
    """
    # Most values are a number or a text, which are their own copies.
    if value is None or type(value) in (bool, str) or (type(value) is int and value.bit_length() <= _INT_BITS):
        return value
    return _copied(value, 0, count())


def handed(value: object) -> object:
    """Return a copy of plain data; anything else is handed on as it is."""
    try:
        return copied(value)
    except NotData:
        return value


def _copied(value: object, depth: int, counter: count[int]) -> object:
    if next(counter) > _MOST:
        raise NotData(f"the value holds more than {_MOST} values")
    if value is None or isinstance(value, (bool, str, int, float)):
        return _scalar(value)
    if hasattr(value, "texts"):
        return value
    if depth >= DEEPEST:
        raise NotData(f"the value is nested deeper than {DEEPEST}")
    if isinstance(value, dict):
        return {_key(key): _copied(item, depth + 1, counter) for key, item in value.items()}
    if is_sequence(value) and isinstance(value, Sequence) and not isinstance(value, memoryview):
        return [_copied(item, depth + 1, counter) for item in value]
    raise NotData(f"a {type(value).__name__} is no plain data")


def _scalar(value: bool | str | int | float | None) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotData(f"{float(value)} is no plain data")
        return float(value)
    if value.bit_length() > _INT_BITS:
        raise NotData(f"a number of {value.bit_length()} bits is too long to be kept")
    return int(value)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise NotData(f"a record with a {type(key).__name__} as a name is no plain data")
    return str.__str__(key)
