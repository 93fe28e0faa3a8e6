"""What a running tree looks like right now, kept up to date in constant time a transition."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mayfly.promise import Promise

ENDED = ("resolved", "collapsed", "failed")
RECENT = 50
# Reasons are counted by their beginning, and no more of them than anybody could read.
REASON = 120
REASONS = 1000


class Moving(NamedTuple):
    """One copy of what changes, taken at once."""

    levels: list[Counter[str]]
    active: list[Promise[Any]]
    recent: list[Promise[Any]]
    grounded: list[Promise[Any]]
    reasons: list[tuple[str, str, int]]


class Watched:
    """Follow one tree. Transitions may come from any thread, and whoever draws may be another."""

    def __init__(
        self,
        root: Promise[Any],
        *,
        again: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.root = root
        self.levels: list[Counter[str]] = []
        self._again = set(again)
        self._clock = clock
        self._lock = threading.Lock()
        self._states: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._active: dict[str, Promise[Any]] = {}
        self._recent: deque[Promise[Any]] = deque(maxlen=RECENT)
        self._grounded: deque[Promise[Any]] = deque(maxlen=RECENT)
        self._reasons: Counter[tuple[str, str]] = Counter()
        for promise in root.walk():
            self._place(promise, promise.state.value)
            if promise.state.value == "resolved":
                self._again.add(promise.id)

    @property
    def nodes(self) -> int:
        """How many promises there are."""
        return len(self._states)

    @property
    def ended(self) -> int:
        """How many of them have ended."""
        return sum(level[state] for level in self.levels for state in ENDED)

    def moved(self, promise: Promise[Any]) -> bool:
        """Take in where *promise* stands now; return whether that is news."""
        state = promise.state.value
        with self._lock:
            before = self._states.get(promise.id)
            if before == state:
                return False
            if before is not None:
                self.levels[promise.depth][before] -= 1
            self._place(promise, state)
            if state == "resolving":
                self._began[promise.id] = self._clock()
                self._active[promise.id] = promise
            else:
                self._finish(promise, state)
        return True

    def _place(self, promise: Promise[Any], state: str) -> None:
        while len(self.levels) <= promise.depth:
            self.levels.append(Counter())
        self._states[promise.id] = state
        self.levels[promise.depth][state] += 1

    def _finish(self, promise: Promise[Any], state: str) -> None:
        self._active.pop(promise.id, None)
        began = self._began.pop(promise.id, None)
        if began is not None:
            self._took[promise.id] = self._clock() - began
        self._recent.append(promise)
        if state in ("collapsed", "failed"):
            self._grounded.append(promise)
            reason = (state, promise.reason[:REASON])
            if reason in self._reasons or len(self._reasons) < REASONS:
                self._reasons[reason] += 1

    def seconds(self, promise: Promise[Any]) -> float | None:
        """Return how long *promise* took, or has been worked on, or None where it never began."""
        began = self._began.get(promise.id)
        return self._took.get(promise.id) if began is None else self._clock() - began

    def again(self, promise: Promise[Any]) -> bool:
        """Whether *promise* was proven before this attempt."""
        return promise.id in self._again

    def moving(self) -> Moving:
        """Return what a picture of the tree needs; whoever draws it holds nothing up."""
        with self._lock:
            return Moving(
                [level.copy() for level in self.levels],
                [promise for promise in self._active.values() if not promise.children],
                list(self._recent),
                list(self._grounded),
                [(state, reason, count) for (state, reason), count in self._reasons.most_common(RECENT)],
            )
