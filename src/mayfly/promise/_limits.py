"""TreeLimits of a tree that are known before anything of it runs: how many promises it has, how deep, how wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import LimitError

if TYPE_CHECKING:
    from mayfly.core import Pool
    from mayfly.promise._promise import Promise

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
