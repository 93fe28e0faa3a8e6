"""What one small judge says: whether the code passes, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TASTEFUL, ETHICAL, JOYFUL = "tasteful", "ethical", "joyful"


@dataclass(frozen=True, kw_only=True)
class Signal:
    """Hold the finding of one small judge.

    *penalty* is taken off the criterion's score. With *hard* the code is refused whatever else is said for it.
    """

    name: str
    criterion: str
    passed: bool = True
    penalty: float = 0.0
    reasons: tuple[str, ...] = ()
    line: int | None = None
    hard: bool = False


def signal(
    name: str, criterion: str, found: Sequence[tuple[int, str]], *, each: float, most: float, hard: bool = False
) -> Signal:
    """Make a signal of what was *found*, pairs of line and reason: passed if that is nothing."""
    found = sorted(found)
    return Signal(
        name=name,
        criterion=criterion,
        passed=not found,
        penalty=min(most, each * len(found)),
        reasons=tuple(reason for _, reason in found),
        line=found[0][0] if found else None,
        hard=hard and bool(found),
    )
