"""Arguments that are not known before another promise is kept: references to its result, filled in when it is.

`{"result of": "read"}` stands for the value of the sibling called *read*, `{"result of": "fetch", "at": "text"}` for
one field of it, `{"reason of": "fetch"}` for why it gave its ground (empty where it did not), and `{"item": "each"}`
for the item that a promise is made for, one of many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mayfly.core import InputError

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
