"""How the state, the proof and the cost of a promise are said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import ending_of, one_line
from mayfly.operations import how_long

if TYPE_CHECKING:
    from mayfly.core import Pool
    from mayfly.promise import Promise

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
    return f"{head}: {one_line(promise.reason, limit=300)}"


def pool_words(pool: Pool) -> str:
    """Say what was used of each pool, and of how much."""
    return " · ".join(words.format(_used(pool, kind)) for kind, words in _POOLS)


def _used(pool: Pool, kind: str) -> str:
    used, left = pool.used(kind), pool.left(kind)
    return number(used) if left is None else f"{number(used)} of {number(used + pool.held(kind) + left)}"


def number(amount: float) -> str:
    """Write a whole number as such, anything else with one place behind the point."""
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:,.1f}"
