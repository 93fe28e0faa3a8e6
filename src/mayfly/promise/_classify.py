"""Classify an intent before anything is spent on it: budget, one capability, steps, and whether it has an end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mayfly.core import Budget, Intent, shipped_table
from mayfly.language import Token, shape_of, word_pattern
from mayfly.promise._promise import CHAOS_THRESHOLD, MAX_DEPTH, IntentKind, Reality
from mayfly.promise.fit import FitReading, covering, described, known_lexicon, read_request

# Whoever writes more than this in one intent has pasted something; it is not read for the classification.
LONGEST = 20_000
# The confidences of the specification: budget, one capability, several steps, no bounds, and otherwise.
_SPENT, _ONE, _STEPS, _ENDLESS, _OTHER = 1.0, 0.8, 0.7, 0.9, 0.6


def classify(
    intent: str | Intent,
    *,
    context: Mapping[str, object] | None = None,
    depth: int = 0,
    capabilities: Iterable[tuple[str, str]] = (),
    max_depth: int = MAX_DEPTH,
    threshold: float = CHAOS_THRESHOLD,
) -> Reality:
    """Say what is to be expected of *intent*; nothing is kept between calls."""
    spent = out_of_budget(depth, context or {}, max_depth=max_depth, threshold=threshold)
    if spent:
        return spent
    text = intent.text if isinstance(intent, Intent) else intent
    reading = read_request(text[:LONGEST], known_lexicon(), lambda word: False)
    found = covering(reading, described(tuple(capabilities)))
    return judge(reading, context or {}, [tool.name for tool in found])


def out_of_budget(depth: int, context: Mapping[str, object], *, max_depth: int, threshold: float) -> Reality | None:
    """Return that nothing is tried any more, where that is so; a context may allow less than the depth does."""
    budget = Budget(depth).entropy
    allowed = context.get("entropy_budget")
    if isinstance(allowed, (int, float)) and not isinstance(allowed, bool):
        budget = min(budget, float(allowed))
    if depth <= max_depth and budget >= threshold:
        return None
    reason = f"no budget left: depth {depth} of {max_depth}, budget {budget:.2f}"
    return Reality(kind=IntentKind.CHAOTIC, confidence=_SPENT, reasoning=reason)


def judge(reading: FitReading, context: Mapping[str, object], found: Sequence[str]) -> Reality:
    """Say what is to be expected of a request that was read, where the capabilities *found* do all it says."""
    if not any(token.kind not in ("sign", "line", "item") for token in reading.request.tokens):
        return Reality(kind=IntentKind.CHAOTIC, confidence=_ENDLESS, reasoning="the intent says nothing")
    reason = endless(reading.request.tokens)
    if reason is not None:
        return Reality(kind=IntentKind.CHAOTIC, confidence=_ENDLESS, reasoning=f"no bounds: {reason!r}")
    for key, told in (("requires_multiple_steps", "says that it takes several steps"), ("subtasks", "names subtasks")):
        if context.get(key):
            return Reality(kind=IntentKind.PROBABILISTIC, confidence=_STEPS, reasoning=f"the context {told}")
    if len(found) == 1:
        return done_by(found[0])
    if found:
        told = f"several capabilities could do it: {', '.join(sorted(found))}"
        return Reality(kind=IntentKind.PROBABILISTIC, confidence=_STEPS, reasoning=told)
    many = _many(reading)
    if many:
        return Reality(kind=IntentKind.PROBABILISTIC, confidence=_STEPS, reasoning=many)
    told = "bounded, and no single capability does it"
    return Reality(kind=IntentKind.PROBABILISTIC, confidence=_OTHER, reasoning=told)


def done_by(capability: str) -> Reality:
    """Return what is to be expected of what one capability does."""
    return Reality(kind=IntentKind.DETERMINISTIC, confidence=_ONE, reasoning=f"one capability does it: {capability}")


def _many(reading: FitReading) -> str:
    """Return why a request takes several steps, or nothing."""
    asked = [said.clause for said in reading.said]
    if len(asked) > 1:
        return f"{len(asked)} steps: " + ", ".join(clause.said or clause.verb for clause in asked[:5])
    said = asked[0].said if asked else ""
    first = next((token.plain for token in reading.request.tokens if token.kind == "word"), "")
    verb = said if said in words("words", "complex") else first
    return f"{verb!r} takes several steps" if verb in words("words", "complex") else ""


def endless(tokens: Sequence[Token]) -> str | None:
    """Return the words that make an intent endless, or None when it has bounds.

    Only what is asked counts: "explain why the job runs forever" asks for an explanation, which ends.
    """
    asked = "".join(f"{word} " for word in _asked(shape_of(tokens).split()))
    for section in ("endless", "everything"):
        if found := _pattern(f"{{{section}.phrases}} ").search(asked):
            return found[0].strip()
    kept = _pattern("{patterns.denied}").sub("", asked)
    hits = [
        (found.start(), number, found[0])
        for number, (asks, unless) in enumerate(_table()["rules"]["endless"])
        if (found := _pattern(asks).search(kept)) and not (unless and _pattern(unless).search(kept))
    ]
    return re.sub(r"<([^a-z]*)[a-z]*>", r"\1", min(hits)[2]).strip() if hits else None


def _asked(said: list[str]) -> list[str]:
    """Return what stands before the first clause that only describes."""
    for place, word in enumerate(said):
        if place and word in words("words", "relatives") and said[place - 1] not in words("words", "assuring"):
            return said[: place + (said[place - 1] in words("everything", "words"))]
    return said


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern of `reality.toml` that may begin at any word."""
    whole = re.sub(r"\{patterns\.(\w+)\}", lambda name: _table()["patterns"][name[1]], text)
    return word_pattern(f"(?<!\\S)(?:{whole})", _listed)


def _listed(name: str) -> Sequence[str]:
    section, _, key = name.partition(".")
    found = _table()[section][key]
    return found.split() if isinstance(found, str) else found


@cache
def words(section: str, key: str) -> frozenset[str]:
    """Return one list of words of `reality.toml`."""
    return frozenset(_table()[section][key].split())


@cache
def _table() -> dict[str, dict[str, Any]]:
    return shipped_table(Path(__file__).with_name("reality.toml"))
