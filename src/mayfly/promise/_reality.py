"""Classify an intent before anything is spent on it: one known step, many steps, or no end in sight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mayfly.core import Budget, Intent
from mayfly.language import tokens
from mayfly.promise._bounded import endless
from mayfly.promise._fit import Step, fits, steps_of
from mayfly.promise._words import words

MAX_DEPTH = 3
CHAOS_THRESHOLD = 0.1
# Whoever writes more than this in one intent has pasted something; it is not read for the classification.
_LONGEST = 20_000


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


def classify(
    intent: str | Intent,
    *,
    context: Mapping[str, object] | None = None,
    depth: int = 0,
    capabilities: Iterable[tuple[str, str]] = (),
    max_depth: int = MAX_DEPTH,
    threshold: float = CHAOS_THRESHOLD,
) -> Reality:
    """Try the four tests in order: budget, one capability, several steps, bounds; nothing is kept between calls."""
    budget = Budget(depth).entropy
    if depth > max_depth or budget < threshold:
        return _chaotic(1.0, f"no budget left: depth {depth} of {max_depth}, budget {budget:.2f}")
    text = intent.text if isinstance(intent, Intent) else intent
    read = tokens(text[:_LONGEST])
    steps = steps_of(read)
    if not steps:
        return _chaotic(0.9, "the intent says nothing")
    reason = endless(read)
    many = _many(steps, context or {})
    if reason is None and not (context and many and many.startswith("the context")):
        found = [name for name, description in capabilities if fits(steps, name, description)]
        if len(found) == 1:
            return Reality(kind=Kind.DETERMINISTIC, confidence=0.8, reasoning=f"one capability does it: {found[0]}")
        if found:
            return _probable(0.7, f"several capabilities could do it: {', '.join(sorted(found))}")
    if reason is None and many:
        return _probable(0.7, many)
    if reason is not None:
        return _chaotic(0.9, f"no bounds: {reason!r}")
    return _probable(0.6, "bounded, and no single capability does it")


def _many(steps: list[Step], context: Mapping[str, object]) -> str | None:
    """Return why an intent takes several steps, or None."""
    if context.get("requires_multiple_steps"):
        return "the context says that it takes several steps"
    if context.get("subtasks"):
        return "the context names subtasks"
    if len(steps) > 1:
        return f"{len(steps)} steps: " + ", ".join(step.verb for step in steps[:5])
    return f"{steps[0].verb!r} takes several steps" if steps[0].verb in words("words", "complex") else None


def _chaotic(confidence: float, reasoning: str) -> Reality:
    return Reality(kind=Kind.CHAOTIC, confidence=confidence, reasoning=reasoning)


def _probable(confidence: float, reasoning: str) -> Reality:
    return Reality(kind=Kind.PROBABILISTIC, confidence=confidence, reasoning=reasoning)
