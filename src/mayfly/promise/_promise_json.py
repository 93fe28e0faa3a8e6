"""Trees as plain data: written whole before anything runs, read back to go on, copied for each item of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from mayfly.core import UNSET, Example, InputError
from mayfly.promise._data import with_item
from mayfly.promise._promise import Evidence, IntentKind, Promise, Reality, State, Work

_FIELDS = {one.name: one for one in fields(Promise) if not one.name.startswith("_")}
# These are written of every promise; any other only where it is not as it was made.
_ALWAYS = frozenset(
    ("intent", "ground", "context", "depth", "name", "needs", "examples", "combine", "test", "id", "parent")
) | {"children", "reason", "code", "error"}


def to_json(promise: Promise[Any]) -> dict[str, Any]:
    """Return the tree as JSON data; what was never set is left out, so that a None stays a None."""
    data: dict[str, Any] = {"state": promise.state.value}
    for name, known in _FIELDS.items():
        value = getattr(promise, name)
        if name in _ALWAYS or value != known.default:
            data[name] = _FORMS[name][0](value) if name in _FORMS else value
    return data


def from_json(data: Mapping[str, Any]) -> Promise[Any]:
    """Read a tree; data that is no tree is an `InputError`."""
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this is no tree of promises: {type(error).__name__}: {error}") from None


def _read(data: Mapping[str, Any]) -> Promise[Any]:
    told = {name: data[name] for name in _FIELDS if name in data or name in _ALWAYS}
    told = {name: _FORMS[name][1](value) if name in _FORMS else value for name, value in told.items()}
    promise: Promise[Any] = Promise(**{name: value for name, value in told.items() if _FIELDS[name].init})
    for name, value in told.items():
        setattr(promise, name, value)
    promise._state = State(data["state"])
    if (promise.state is State.RESOLVED) != (promise.resolved is not UNSET):
        raise ValueError(f"promise {promise.id} is {promise.state} with{'out' * ('resolved' not in data)} a value")
    return promise


def _record(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def _list_of(
    write: Callable[[Any], object], read: Callable[[Any], object], kind: Callable[[Any], object]
) -> tuple[Callable[[Any], object], Callable[[Any], object]]:
    return lambda listed: [write(one) for one in listed], lambda listed: kind(read(one) for one in listed)


# How the fields that are no plain data are written and read.
_FORMS: dict[str, tuple[Callable[[Any], object], Callable[[Any], object]]] = {
    "context": (dict, dict),
    "account": (dict, dict),
    "needs": (list, tuple),
    "after": (list, tuple),
    "examples": _list_of(_record, lambda told: Example(**told), tuple),
    "children": _list_of(to_json, _read, list),
    "template": (to_json, _read),
    "work": (_record, lambda told: Work(**told)),
    "reality": (_record, lambda told: Reality(**{**told, "kind": IntentKind(told["kind"])})),
    "proof": (_record, Evidence.from_json),
}


_LONGEST = 60
_HOLE = "{item}"


def make_each(parent: Promise[Any], items: Sequence[object]) -> None:
    """Give *parent* a copy of its template for every item: named by the item where items are short texts."""
    assert parent.template is not None, "who calls this has looked"
    named = len({str(item) for item in items}) == len(items) and all(map(_is_name, items))
    pattern = to_json(parent.template)
    for number, item in enumerate(items, 1):
        child = from_json(pattern)
        for promise in child.walk():
            promise.intent = promise.intent.replace(_HOLE, str(item)[:_LONGEST])
            for field in ("argument", "each"):
                if getattr(promise, field) is not UNSET:
                    setattr(promise, field, with_item(getattr(promise, field), item))
        child.name = str(item) if named else str(number)
        parent.add(child)
    parent.combine = parent.combine or ("record" if named else "list")


def _is_name(item: object) -> bool:
    return isinstance(item, str) and 0 < len(item) <= _LONGEST
