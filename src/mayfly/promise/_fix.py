"""`Ground` and `Fix`: one value whatever comes, and a step repeated until it changes nothing."""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from mayfly.core import Agent, InputError, rounds, same

T = TypeVar("T")


class Ground(Agent[object, T]):
    """Give one value whatever comes: nothing that went before can change it."""

    def __init__(self, value: T) -> None:
        self.value = value

    async def invoke(self, input: object) -> T:
        """Return the value that was given when this was made."""
        return self.value

    def __repr__(self) -> str:
        return f"Ground({self.value!r})"


@dataclass(frozen=True, kw_only=True)
class FixOutcome(Generic[T]):
    """Say what repeating a step led to.

    *proximity* is 1 at a fixed point and otherwise how much of the last two values is alike; *entropy_remaining* is
    the budget divided by the number of the step that would have come next.
    """

    value: T
    converged: bool
    iterations: int
    history: tuple[T, ...] = field(repr=False)
    proximity: float
    entropy_remaining: float


class Fix(Agent[T, FixOutcome[T]], Generic[T]):
    """Repeat *step* until it changes nothing, or until iterations or budget are spent; it always ends."""

    def __init__(
        self,
        step: Agent[T, T] | Callable[[T], T | Awaitable[T]],
        *,
        budget: float = 1.0,
        max_iterations: int = 100,
        equal: Callable[[T, T], bool] = same,
    ) -> None:
        if not (isinstance(budget, (int, float)) and math.isfinite(budget) and budget >= 0):
            raise InputError(f"budget must be a number from 0, not {budget!r}")
        if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 0:
            raise InputError(f"max_iterations must be a whole number from 0, not {max_iterations!r}")
        self._step = step
        self._budget = float(budget)
        self._equal = equal
        self.limit = min(max_iterations, rounds(budget))

    async def invoke(self, input: T) -> FixOutcome[T]:
        """Return where repeating the step on *input* ends."""
        history = [input]
        converged = False
        while not converged and len(history) <= self.limit:
            history.append(await self._next(history[-1]))
            converged = self._equal(history[-2], history[-1]) is True
        return FixOutcome(
            value=history[-1],
            converged=converged,
            iterations=len(history) - 1,
            history=tuple(history),
            proximity=1.0 if converged else alike(*history[-2:]) if len(history) > 1 else 0.0,
            entropy_remaining=self._budget / len(history),
        )

    async def _next(self, value: T) -> T:
        if isinstance(self._step, Agent):
            return await self._step.invoke(value)
        made = self._step(value)
        return cast("T", await made) if inspect.isawaitable(made) else made


def alike(one: object, other: object) -> float:
    """Return from 0 to below 1 how near two different values are, looking at the first thousand items only."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        gap = abs(float(one) - float(other)) if max(abs(one), abs(other)) < 1e300 else math.inf
        return 0.0 if math.isnan(gap) else min(1 / (1 + gap), _NEAR)
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*one.keys() | other.keys()][:1000]
        equal = sum(key in one and key in other and same(one[key], other[key]) for key in keys)
        return min(equal / len(keys), _NEAR) if keys else _NEAR
    if type(one) is type(other) and isinstance(one, (str, list, tuple)):
        assert isinstance(other, (str, list, tuple))
        longest = min(max(len(one), len(other)), 1000)
        equal = sum(same(mine, theirs) for mine, theirs in zip(one[:1000], other[:1000], strict=False))
        return min(equal / longest, _NEAR) if longest else _NEAR
    return 0.0


_NEAR = 1 - 1e-9
