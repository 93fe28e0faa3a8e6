"""What is to be expected of an intent: one known step, many steps, or no end in sight."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_DEPTH = 3
CHAOS_THRESHOLD = 0.1


class Kind(StrEnum):
    """What is to be expected of an intent."""

    DETERMINISTIC = "deterministic"
    PROBABILISTIC = "probabilistic"
    CHAOTIC = "chaotic"


@dataclass(frozen=True, kw_only=True)
class Reality:
    """Say what kind of work an intent is, how sure that is, and why."""

    kind: Kind
    confidence: float
    reasoning: str
