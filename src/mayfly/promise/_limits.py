"""What a tree may be before anything of it runs: how many promises, how deep, how wide, each in its one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import UNSET, InputError, LimitError
from mayfly.promise._data import NotData, copied
from mayfly.promise._promise import Promise

if TYPE_CHECKING:
    from mayfly.core import Pool


# The settings that help; planning, which has the same limits, names them too.
MORE_NODES = "raise MAYFLY_PROMISE_MAX_NODES"
MORE_DEPTH = "raise MAYFLY_PROMISE_MAX_DEPTH"
MORE_CHILDREN = "raise MAYFLY_PROMISE_MAX_CHILDREN"


@dataclass(frozen=True, kw_only=True)
class TreeLimits:
    """Admit a tree, or the children it grows by, as a whole or not at all; *pool* counts promises before they run."""

    pool: Pool
    max_depth: int = 3
    max_children: int = 64

    def admit(self, promise: Promise[Any], *, counted: int = 0) -> None:
        """Count *promise* and all below it but those *counted* before; over a limit raise `LimitError`, count none."""
        nodes = self.measure(promise) - counted
        try:
            self.pool.spend(nodes=nodes)
        except LimitError as error:
            if error.kind != "promises":
                raise
            # The limit of the settings is that of the tree's own pool, and those above it are the caller's.
            own = error.limit == self.pool.limit("nodes")
            fix = MORE_NODES if own else "give the limit around it more nodes"
            raise LimitError(error.kind, used=error.used, limit=error.limit, fix=fix) from None

    def measure(self, promise: Promise[Any]) -> int:
        """Return how many promises there are, with those a list that is in the plan already will be made into."""
        nodes = 0
        # Each with its depth in the tree, and how many copies there will be of it: several of what a template holds.
        waiting = [(promise, promise.depth, 1)]
        while waiting:
            one, depth, copies = waiting.pop()
            if depth > self.max_depth:
                raise LimitError("depth", used=depth, limit=self.max_depth, fix=MORE_DEPTH)
            nodes += copies
            waiting.extend((child, depth + 1, copies) for child in one.children)
            if one.template is not None and not one.children:
                waiting.append((one.template, depth + 1, copies * self._known_items(one.each)))
        return nodes

    def check_children(self, count: int) -> None:
        """Raise `LimitError` where a promise would grow by more children than one may have."""
        if count > self.max_children:
            raise LimitError("children", used=count, limit=self.max_children, fix=MORE_CHILDREN)

    def _known_items(self, each: object) -> int:
        """Return the length of a list that children are made for; 0 while it is the result of another promise."""
        if not isinstance(each, Sequence) or isinstance(each, str):
            return 0
        self.check_children(len(each))
        return len(each)


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
