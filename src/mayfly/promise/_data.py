"""What promises hand to each other: plain data, copied, and references to results that are not known yet.

`{"result of": "read"}` stands for the value of the sibling called *read*, `{"result of": "fetch", "at": "text"}` for
one field of it, `{"reason of": "fetch"}` for why it gave its ground (empty where it did not), and `{"item": "each"}`
for the item that a promise is made for, one of many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from mayfly.core import InputError, MayflyError, is_sequence

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


RESULT = "result of"
REASON = "reason of"
ITEM: Mapping[str, str] = {"item": "each"}


def result_of(name: str, *, at: str = "") -> dict[str, str]:
    """Return the reference to the value of the sibling called *name*, or to one field of it."""
    return {RESULT: name, "at": at} if at else {RESULT: name}


def reason_of(name: str) -> dict[str, str]:
    """Return the reference to why the sibling called *name*, an optional one, gave its ground."""
    return {REASON: name}


def reason_key(name: str) -> str:
    """Return under which key the reason of a sibling lies among the results."""
    return f"{REASON} {name}"


def references(argument: Any) -> Iterator[str]:
    """Yield the names of the siblings whose results an argument refers to."""
    if _is_reference(argument):
        yield argument[RESULT]
    elif _asks_reason(argument):
        yield argument[REASON]
    elif isinstance(argument, dict):
        for value in argument.values():
            yield from references(value)
    elif isinstance(argument, list):
        for value in argument:
            yield from references(value)


def bind(argument: Any, results: Mapping[str, object]) -> object:
    """Return *argument* with every reference replaced by the value it stands for."""
    if _is_reference(argument):
        if argument[RESULT] not in results:
            raise InputError(f"the result of {argument[RESULT]!r} is not known here", fix="name it in needs")
        return _field(results[argument[RESULT]], argument.get("at", ""))
    if _asks_reason(argument):
        return results.get(reason_key(argument[REASON]), "")
    if isinstance(argument, dict):
        return {name: bind(value, results) for name, value in argument.items()}
    return [bind(value, results) for value in argument] if isinstance(argument, list) else argument


def with_item(argument: object, item: object) -> object:
    """Return *argument* with the item in place of every `{"item": "each"}`."""
    if isinstance(argument, dict):
        if argument.get("item") == "each" and set(argument) <= {"item", "at"}:
            return _field(item, str(argument.get("at", "")))
        return {name: with_item(value, item) for name, value in argument.items()}
    return [with_item(value, item) for value in argument] if isinstance(argument, list) else argument


def _is_reference(argument: Any) -> bool:
    return isinstance(argument, dict) and isinstance(argument.get(RESULT), str) and set(argument) <= {RESULT, "at"}


def _asks_reason(argument: Any) -> bool:
    return isinstance(argument, dict) and set(argument) == {REASON} and isinstance(argument[REASON], str)


def _field(value: object, at: str) -> object:
    if not at:
        return value
    if not isinstance(value, Mapping) or at not in value:
        raise InputError(f"there is no {at!r} in what it is to work on")
    return value[at]
