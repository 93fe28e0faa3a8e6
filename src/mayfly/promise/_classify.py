"""Classify an intent before anything is spent on it: budget, one capability, steps, and whether it has an end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from mayfly.core import Budget, Intent, shipped_table
from mayfly.language import Token
from mayfly.promise._promise import CHAOS_THRESHOLD, MAX_DEPTH, Kind, Reality
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
    asked = _asked(tokens)
    plain = [token.plain for token in asked]
    for section in ("endless", "everything"):
        known = phrases(section)
        for place, word in enumerate(plain):
            for phrase in known.get(word, ()):
                if tuple(plain[place : place + len(phrase)]) == phrase:
                    return " ".join(phrase)
    kept = _not_denied(asked)
    plain = [token.plain for token in kept]
    limited = _is_limited(kept)
    for place, word in enumerate(plain):
        if word in words("endless", "words") or (word == "always" and place == len(plain) - 1):
            return word
        if not limited and (_is_adjective(plain, place) or _is_everything(kept, place) or _keeps_on(plain, place)):
            return " ".join(plain[place : place + 2]).strip()
        if _is_perfect(plain, place):
            return word
    return None


def _asked(tokens: Sequence[Token]) -> list[Token]:
    """Return what stands before the first clause that only describes."""
    found: list[Token] = []
    for token in tokens:
        assured = bool(found) and found[-1].plain in words("words", "assuring")
        everything = bool(found) and found[-1].plain in words("everything", "words")
        if token.plain in words("words", "relatives") and found and not assured:
            if everything:
                found.append(token)
            break
        found.append(token)
    return found


def _not_denied(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without what is forbidden: "do not run forever"."""
    kept: list[Token] = []
    denied = False
    for token in tokens:
        if token.plain in (",", ";", "but", "and"):
            denied = False
        denied = denied or token.plain in words("words", "negators")
        if not denied:
            kept.append(token)
    return kept


def _is_limited(tokens: Sequence[Token]) -> bool:
    """Say whether a number of things, times or seconds is given."""
    for place, token in enumerate(tokens):
        before = {other.plain for other in tokens[max(0, place - 2) : place]}
        after = tokens[place + 1].plain if place + 1 < len(tokens) else ""
        if token.kind == "number" and (before & words("limits", "before") or after in words("limits", "units")):
            return True
    return False


def _is_adjective(plain: Sequence[str], place: int) -> bool:
    if plain[place] not in words("endless", "adjectives"):
        return False
    return plain[place + 1 : place + 2] != [] and plain[place + 1] not in words("endless", "described")


def _is_everything(tokens: Sequence[Token], place: int) -> bool:
    """Say whether "everything", or "all" of something without number, is asked for, and nowhere in particular."""
    word = tokens[place].plain
    following = tokens[place + 1 :]
    if word in words("everything", "words"):
        after = following[0] if following else None
        if after is not None and (after.kind in ("path", "url") or after.plain in words("words", "finite")):
            return False
        return not _has_domain(following)
    if word not in ("all", "every", "any"):
        return False
    noun = next((other for other in following[:4] if other.plain in words("everything", "nouns")), None)
    alone = not following or (following[0].kind == "sign")
    return (noun is not None or (alone and word == "all")) and not _has_domain(following)


def _has_domain(following: Sequence[Token]) -> bool:
    return any(
        token.plain in words("everything", "domain") or token.kind in ("path", "url", "quoted", "code")
        for token in following[:6]
    )


def _keeps_on(plain: Sequence[str], place: int) -> bool:
    """Say whether something is to be kept doing with no end named: "keep improving the code"."""
    if plain[place] not in ("keep", "continue") or place + 1 >= len(plain):
        return False
    following = plain[place + 1 : place + 3]
    doing = any(word.endswith("ing") and len(word) > 5 for word in following[: 1 + (following[0] in ("on", "by"))])
    return doing and "until" not in plain and "while" not in plain


def _is_perfect(plain: Sequence[str], place: int) -> bool:
    if plain[place] not in words("perfect", "words"):
        return False
    return not (plain[place + 1 : place + 2] and plain[place + 1] in words("perfect", "described"))


@cache
def words(section: str, key: str) -> frozenset[str]:
    """Return one list of words of `reality.toml`."""
    return frozenset(str(_table()[section][key]).split())


@cache
def phrases(section: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases of a section, each as its words, by their first word."""
    listed = _table()[section]["phrases"]
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in listed if isinstance(listed, list) else ():
        parts = tuple(str(phrase).split())
        found[parts[0]] = (*found.get(parts[0], ()), parts)
    return found


@cache
def _table() -> dict[str, dict[str, object]]:
    return shipped_table(Path(__file__).with_name("reality.toml"))
