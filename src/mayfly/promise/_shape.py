"""The shape of a tree that somebody built: every promise in one place, with the path and the depth of that place."""

from __future__ import annotations

import re
from typing import Any

from mayfly.core import UNSET, InputError, LimitError
from mayfly.promise._data import NotData, copied
from mayfly.promise._promise import Promise

DEEPEST = 100
_ROOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_shape(root: Promise[Any]) -> None:
    """Refuse what is no tree: paths are the keys of effects, so two promises with one path would be one effect."""
    if not isinstance(root.id, str) or not _ROOT.fullmatch(root.id):
        raise InputError("the id of a tree must be 1 to 64 letters, digits, dots, dashes and underscores")
    seen = {id(root)}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        _check_data(parent)
        if parent.depth - root.depth > DEEPEST:
            raise LimitError("depth", used=parent.depth, limit=root.depth + DEEPEST)
        names: set[str] = set()
        for number, child in enumerate(parent.children, 1):
            _check_child(parent, child, number, names, seen)
            waiting.append(child)


def _check_data(promise: Promise[Any]) -> None:
    """Refuse what another process would read back as something else, and work on that."""
    given = [value for value in (promise.argument, promise.each) if value is not UNSET]
    try:
        for value in (*given, promise.context, *([one.input, one.output] for one in promise.examples)):
            copied(value)
    except NotData as error:
        raise InputError(f"a tree of promises is plain data, and promise {promise.id} is not: {error}") from None


def _check_child(parent: Promise[Any], child: Promise[Any], number: int, names: set[str], seen: set[int]) -> None:
    if id(child) in seen:
        raise InputError(f"promise {child.id} ({child.intent[:100]}) is in the tree more than once")
    seen.add(id(child))
    placed = child.id == f"{parent.id}.{number}" and child.parent == parent.id and child.depth == parent.depth + 1
    if not placed or not child.name or child.name in names:
        raise InputError(f"child {number} of promise {parent.id} is not in its place", fix="take it in by Promise.add")
    names.add(child.name)
