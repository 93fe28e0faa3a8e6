"""Words that say nothing beside a time that something lasts; each function returns how many words that are."""

from __future__ import annotations

from mayfly.language.question._query import Arithmetic
from mayfly.language.question._spot import Spot
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import ARTICLES, adjective_at, bases_of, phrases_at


def takes_time(spot: Spot) -> int:
    """Pass a verb that says no more than what is behind it: "took the longest", "running for more than 3 days"."""
    if bases_of(spot.word).isdisjoint(("take", "last", "run")):
        return 0
    wording, start = spot.wording, spot.start
    found = adjective_at(wording.tokens, wording.skip(start + 1, ARTICLES))
    timed = found is not None and found[0].superlative and "duration" in found[0].roles
    return timed or (spot.ahead(1) == "for" and bool(phrases_at(wording.tokens, start + 2, "compare")))


def unit_of_span(spot: Spot) -> int:
    """Pass "days" of "days ... from shipped to delivered"."""
    return spot.word in ("days", "hours", "minutes", "weeks") and _is_unit_of_span(spot.wording, spot.start)


def number_of_units(spot: Spot) -> int:
    """Pass "how many days" of "how many days are there from A to B"."""
    return 3 * (spot.word == "how" and spot.ahead(1) == "many" and _is_unit_of_span(spot.wording, spot.start + 2))


def needs_time(spot: Spot) -> int:
    """Pass "need" of "how many days does each carrier need from booking to delivery"."""
    return not bases_of(spot.word).isdisjoint(("take", "need", "last", "require")) and spot.wording.has_span


def time_passes(spot: Spot) -> int:
    """Pass "elapsed" of "elapsed between reported and arrived"."""
    passing = ("pass", "passed", "elapse", "elapsed", "lie", "lies", "go", "goes")
    return spot.word in passing and spot.wording.has_span


def asks_how_long(spot: Spot) -> int:
    """Pass "how long" of "how long is it from reported to arrived"."""
    return 2 * (spot.word == "how" and spot.ahead(1) == "long" and spot.wording.has_span)


def _is_unit_of_span(wording: Wording, start: int) -> bool:
    """Say whether a unit belongs to two moments that are named further on: "how many days ... from A to B"."""
    return wording.terms.unit_at(start) > 1 and any(
        isinstance(term.of, Arithmetic)
        for place in range(start + 1, len(wording.tokens))
        if wording.word(place) in ("from", "between")
        for term in wording.terms.at(place)
    )
