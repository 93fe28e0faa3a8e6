"""Trees as plain data: written whole before anything runs, read back to go on, copied for each item of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from mayfly.core import UNSET, Example, InputError
from mayfly.promise._bind import with_item
from mayfly.promise._promise import Evidence, Kind, Promise, Reality, State, Work

_PLAIN = ("intent", "ground", "depth", "name", "combine", "test", "id", "parent", "reason", "code", "error")
_SERVED = ("capability", "version", "unserved", "optional")


def to_json(promise: Promise[Any]) -> dict[str, Any]:
    """Return the tree as JSON data; what was never set is left out, so that a None stays a None."""
    data: dict[str, Any] = {name: getattr(promise, name) for name in _PLAIN}
    data["context"] = dict(promise.context)
    data["needs"] = list(promise.needs)
    data |= {name: value for name in _SERVED if (value := getattr(promise, name))}
    if promise.after:
        data["after"] = list(promise.after)
    if promise.template is not None:
        data["template"] = to_json(promise.template)
    data["state"] = promise.state.value
    data["examples"] = [{"input": example.input, "output": example.output} for example in promise.examples]
    for name in ("argument", "each", "resolved"):
        if getattr(promise, name) is not UNSET:
            data[name] = getattr(promise, name)
    for name in ("work", "reality", "proof"):
        if getattr(promise, name) is not None:
            data[name] = asdict(getattr(promise, name))
    if promise.account is not None:
        data["account"] = dict(promise.account)
    data["children"] = [to_json(child) for child in promise.children]
    return data


def from_json(data: Mapping[str, Any]) -> Promise[Any]:
    """Read a tree; data that is no tree is an `InputError`."""
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this is no tree of promises: {type(error).__name__}: {error}") from None


def _read(data: Mapping[str, Any]) -> Promise[Any]:
    promise: Promise[Any] = Promise(
        str(data["intent"]),
        ground=data["ground"],
        context=dict(data["context"]),
        depth=int(data["depth"]),
        name=str(data["name"]),
        needs=tuple(str(name) for name in data["needs"]),
        argument=data.get("argument", UNSET),
        examples=tuple(Example(**example) for example in data["examples"]),
        capability=str(data.get("capability", "")),
        version=int(data.get("version", 0)),
        unserved=str(data.get("unserved", "")),
        optional=bool(data.get("optional", False)),
        after=tuple(str(name) for name in data.get("after", ())),
        each=data.get("each", UNSET),
        template=_read(data["template"]) if "template" in data else None,
        work=Work(**data["work"]) if "work" in data else None,
        reality=_reality(data["reality"]) if "reality" in data else None,
        combine=data["combine"],
        test=str(data["test"]),
        id=str(data["id"]),
        parent=data["parent"],
    )
    promise.children = [_read(child) for child in data["children"]]
    promise.resolved = data.get("resolved", UNSET)
    promise.proof = Evidence.from_json(data["proof"]) if "proof" in data else None
    promise.reason, promise.code, promise.error = (str(data[name]) for name in ("reason", "code", "error"))
    promise.account = data.get("account")
    promise._state = State(data["state"])
    if (promise.state is State.RESOLVED) != (promise.resolved is not UNSET):
        raise ValueError(f"promise {promise.id} is {promise.state} with{'out' * ('resolved' not in data)} a value")
    return promise


def _reality(data: Mapping[str, Any]) -> Reality:
    return Reality(
        kind=Kind(data["kind"]), confidence=float(data["confidence"]), reasoning=cast("str", data["reasoning"])
    )


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
