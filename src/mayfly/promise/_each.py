"""One promise for every item of a list: copies of a template, each with its item filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mayfly.core import UNSET
from mayfly.promise._bind import with_item
from mayfly.promise._promise import Promise
from mayfly.promise._promise_json import from_json, to_json

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
