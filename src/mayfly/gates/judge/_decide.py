"""The one rule by which passes become a decision: all pass, accept; too little weight passes, reject; else revise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

Decision = Literal["accept", "revise", "reject"]
REJECT_RATE = 0.3


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
