"""A condition that was read, and the words that compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from mayfly.language.question._query import Condition, Operator
from mayfly.language.question._terms import Terms
from mayfly.language.question._words import phrases_at

# A word that stands in the data, but is no value by itself: only ever offered, never taken.
UNSURE = 5.0
# Words that are further from a column than a part of its name do not name it where a value stands beside them.
NAMED = 1.2
BY_SIZE = (">", ">=", "<", "<=")
# Ways to compare a text with a part of it.
BY_TEXT = ("contains", "starts with", "ends with")
_TURNED = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "!=", "contains": "not contains"}
_UP = ("more", "higher", "above", "over", "greater", "older", "larger", "longer", "later")
_DOWN = ("less", "fewer", "lower", "below", "under", "younger", "smaller", "shorter", "cheaper")


class Read(NamedTuple):
    """A condition, where its words end, and how far they are from it."""

    condition: Condition
    end: int
    cost: float


def as_operator(text: str) -> Operator:
    """Return the meaning of a comparing word as an operator."""
    return cast("Operator", text)


def operators_at(terms: Terms, place: int) -> Iterator[tuple[str, int]]:
    """Yield the comparisons that begin here; "is" before another one adds nothing, none at all is equality."""
    here = terms.skip(place, ("is", "are", "was", "were", "be", "has", "have"))
    # An auxiliary of a denial: "does not contain", "is not between".
    denied = here + 1 if terms.word(here) in ("does", "do", "did") else here
    for start in dict.fromkeys((place, here, denied)):
        for phrase in phrases_at(terms.tokens, start, "compare"):
            if phrase.meaning not in ("lack", "own"):
                yield phrase.meaning, phrase.end
    if terms.word(denied) == "not":
        for phrase in phrases_at(terms.tokens, denied + 1, "compare"):
            if phrase.meaning in _TURNED:
                yield _TURNED[phrase.meaning], phrase.end
    yield "=", terms.skip(place, ("code", "number", "value"))


def or_more(terms: Terms, operator: str, end: int) -> tuple[str, int]:
    """Read "or more", "or older", "and up" behind a number."""
    if terms.word(end) == "and" and operator == "=" and terms.word(end + 1) in ("up", "above", "over", "upwards"):
        return ">=", end + 2
    if terms.word(end) == "or" and operator == "=":
        word = terms.word(end + 1)
        if word in _UP:
            return ">=", end + 2
        if word in _DOWN:
            return "<=", end + 2
    return operator, end
