"""Where the promises of a running tree stand, and the words for how one stands."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import ending_of, one_line
from mayfly.operations import how_long

if TYPE_CHECKING:
    from mayfly.core import Pool
    from mayfly.promise import Promise

ENDED = ("resolved", "collapsed", "failed")
RECENT = 50
# Reasons are counted by their beginning, and no more of them than anybody could read.
REASON_LENGTH = 120
REASONS = 1000


class Moving(NamedTuple):
    """One copy of what changes, taken at once."""

    levels: list[Counter[str]]
    active: list[Promise[Any]]
    recent: list[Promise[Any]]
    grounded: list[Promise[Any]]
    reasons: list[tuple[str, str, int]]


class WatchedTree:
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
            reason = (state, promise.reason[:REASON_LENGTH])
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


STYLES = {"pending": "dim", "resolving": "", "resolved": "good", "collapsed": "dim", "failed": "bad"}
_ORDER = ("resolved", "collapsed", "failed", "resolving", "pending")
_POOLS = (
    ("model_calls", "{} model calls"),
    ("seconds", "{} s"),
    ("sandbox_seconds", "{} s in the sandbox"),
    ("nodes", "{} nodes"),
)


def counted(states: Mapping[str, int]) -> str:
    """Say how many stand where, such as ``3 resolved, 1 pending``."""
    return ", ".join(f"{states[state]:,} {ending_of(state)}" for state in _ORDER if states.get(state))


def short_ending(promise: Promise[Any]) -> str:
    """Return the one word that a column has for how a promise stands."""
    ending = ending_of(promise.state.value, promise.code)
    return "fallback" if ending == ending_of("collapsed") else ending


def served_by(promise: Promise[Any]) -> str:
    """Name what serves a promise, as the plan does."""
    # Imported where it is used: a list of runs needs no planner.
    from mayfly.promise import plan

    return one_line(plan.served_by(promise))


def proven_words(promise: Promise[Any], seconds: float | None, *, again: bool = False) -> str:
    """Say how long a proven value took, how strong its proof is and what it says."""
    words = ["again"] if again else []
    words += [] if seconds is None else [how_long(seconds)]
    words += [] if promise.proof is None else [promise.proof.strength, one_line(promise.proof.description, limit=200)]
    return " · ".join(word for word in words if word)


def plain_line(promise: Promise[Any], seconds: float | None, *, again: bool = False) -> str:
    """Say on one line how a promise ended."""
    head = f"{short_ending(promise):<9}  {promise.id}  {one_line(promise.intent, limit=100)}"
    if promise.state.value == "resolved":
        by = served_by(promise)
        return f"{head} · {f'{by} · ' if by else ''}{proven_words(promise, seconds, again=again)}"
    return f"{head}: {one_line(promise.reason, limit=300)}".rstrip()


def pool_words(pool: Pool) -> str:
    """Say what was used of each pool, and of how much."""
    return " · ".join(words.format(_pool_use(pool, kind)) for kind, words in _POOLS)


def _pool_use(pool: Pool, kind: str) -> str:
    used, left = pool.used(kind), pool.left(kind)
    return number(used) if left is None else f"{number(used)} of {number(used + pool.held(kind) + left)}"


def number(amount: float) -> str:
    """Write a whole number as such, anything else with one place behind the point."""
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:,.1f}"
