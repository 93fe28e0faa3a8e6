"""Classify an intent before anything is spent on it, by four tests in order: budget, one capability, steps, bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mayfly.core import Budget, Intent
from mayfly.promise._bounded import endless, words
from mayfly.promise._reality import CHAOS_THRESHOLD, MAX_DEPTH, Kind, Reality
from mayfly.promise.fit import Reading, covering, described, known_lexicon, read_request

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
    return Reality(kind=Kind.CHAOTIC, confidence=_SPENT, reasoning=reason)


def judge(reading: Reading, context: Mapping[str, object], found: Sequence[str]) -> Reality:
    """Say what is to be expected of a request that was read, where the capabilities *found* do all it says."""
    if not any(token.kind not in ("sign", "line", "item") for token in reading.request.tokens):
        return Reality(kind=Kind.CHAOTIC, confidence=_ENDLESS, reasoning="the intent says nothing")
    reason = endless(reading.request.tokens)
    if reason is not None:
        return Reality(kind=Kind.CHAOTIC, confidence=_ENDLESS, reasoning=f"no bounds: {reason!r}")
    for key, told in (("requires_multiple_steps", "says that it takes several steps"), ("subtasks", "names subtasks")):
        if context.get(key):
            return Reality(kind=Kind.PROBABILISTIC, confidence=_STEPS, reasoning=f"the context {told}")
    if len(found) == 1:
        return done_by(found[0])
    if found:
        told = f"several capabilities could do it: {', '.join(sorted(found))}"
        return Reality(kind=Kind.PROBABILISTIC, confidence=_STEPS, reasoning=told)
    many = _many(reading)
    if many:
        return Reality(kind=Kind.PROBABILISTIC, confidence=_STEPS, reasoning=many)
    told = "bounded, and no single capability does it"
    return Reality(kind=Kind.PROBABILISTIC, confidence=_OTHER, reasoning=told)


def done_by(capability: str) -> Reality:
    """Return what is to be expected of what one capability does."""
    return Reality(kind=Kind.DETERMINISTIC, confidence=_ONE, reasoning=f"one capability does it: {capability}")


def _many(reading: Reading) -> str:
    """Return why a request takes several steps, or nothing."""
    asked = [said.clause for said in reading.said.values()]
    if len(asked) > 1:
        return f"{len(asked)} steps: " + ", ".join(clause.said or clause.verb for clause in asked[:5])
    said = asked[0].said if asked else ""
    first = next((token.plain for token in reading.request.tokens if token.kind == "word"), "")
    verb = said if said in words("words", "complex") else first
    return f"{verb!r} takes several steps" if verb in words("words", "complex") else ""
