"""`Judge`: accept, revise or reject from what several testers say, each as sure as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.core import Agent, InputError
from mayfly.gates.judge import REJECT_RATE, Decision, decide, pass_rate


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """The word of one who tested: passed or not, how sure from 0 to 1, and why."""

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
