"""`Judge`: accept, revise or reject from what several testers say, each as sure as it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from mayfly.core import Agent, InputError

Decision = Literal["accept", "revise", "reject"]
REJECT_RATE = 0.3


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """One tester's word: passed or not, how sure from 0 to 1, and why."""

    passed: bool
    confidence: float = 1.0
    reason: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.passed, bool):
            raise InputError(f"passed must be True or False, not {type(self.passed).__name__}")
        if not (isinstance(self.confidence, (int, float)) and 0 <= self.confidence <= 1):
            raise InputError(f"confidence must be from 0 to 1, not {self.confidence!r}")


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The decision, the part of all confidence that passed, and the reasons of those that did not."""

    decision: Decision
    rate: float
    reasons: tuple[str, ...] = ()


class Judge(Agent[Sequence[Opinion], Judged]):
    """Weigh opinions: all pass, accept; too little of the confidence passes, reject; otherwise revise.

    Where nobody was asked nothing is accepted.
    """

    def __init__(self, *, reject: float = REJECT_RATE) -> None:
        self._reject = reject

    async def invoke(self, input: Sequence[Opinion]) -> Judged:
        """Return what follows from *input*."""
        return self.judge(input)

    def judge(self, opinions: Sequence[Opinion]) -> Judged:
        """Return what follows from *opinions*."""
        if not opinions:
            return Judged(decision="reject", rate=0.0, reasons=("nobody was asked",))
        passes = [(opinion.passed, float(opinion.confidence)) for opinion in opinions]
        reasons = tuple(opinion.reason or opinion.name or "failed" for opinion in opinions if not opinion.passed)
        return Judged(decision=decide(passes, reject=self._reject), rate=pass_rate(passes), reasons=reasons)


def pass_rate(passes: Iterable[tuple[bool, float]]) -> float:
    """Return which part of all weight passed; no weight at all is no pass."""
    weighed = list(passes)
    total = math.fsum(weight for _, weight in weighed)
    return math.fsum(weight for passed, weight in weighed if passed) / total if total > 0 else 0.0


def decide(passes: Iterable[tuple[bool, float]], *, reject: float = REJECT_RATE) -> Decision:
    """Decide from pairs of passed and weight; where all pass, however few, that is an accept."""
    weighed = [(passed, weight) for passed, weight in passes]
    if all(passed for passed, _ in weighed):
        return "accept"
    return "reject" if pass_rate(weighed) < reject else "revise"
