"""Offer what an unknown word could be; a reading with a guess in it is offered and never taken."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language.question._operators import UNSURE
from mayfly.language.question._query import Column, Compare, Condition, Or
from mayfly.language.question._segment import LEFT_OUT, Segment
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import AKIN
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import is_turning, phrases_at

# A column that nothing names is less likely than a text that has the word.
UNNAMED = UNSURE + 1
# So many different values a column has at most by which anybody groups without naming it.
FEW = 30
# What may stand before the name of something.
_POINTING = ("of", "the", "a", "an", "our", "their", "its", "each", "every")


def guess_word(wording: Wording, start: int, *, known: bool) -> Iterator[Segment]:
    """Offer what a word could be: a part of some values, a word of the texts, or nothing at all.

    A word that is *known* to say something can only be left out; one that turns a meaning round never is.
    """
    if is_turning(wording.word(start)):
        return
    if not known:
        yield from _guess_texts(wording, start)
        yield from _guess_columns(wording, start)
    yield Segment(kind="unknown", start=start, end=start + 1, word=wording.tokens[start].text, cost=LEFT_OUT)


def _guess_texts(wording: Wording, start: int) -> Iterator[Segment]:
    """Read a word that stands in some values, or in the texts; a name in one column only can mean nothing else."""
    vocabulary, said, named = wording.vocabulary, wording.tokens[start].text, wording.is_name(start)
    found: list[tuple[Condition, float]] = [
        (Compare(left=Column(name=column), operator="contains", value=said), UNSURE)
        for column in vocabulary.values_with(said.lower())
    ]
    if vocabulary.has_text(said) and not (named and found):
        texts = [Column(name=one.name) for one in vocabulary.with_role("message")] or [Column(name="")]
        contains = tuple(Compare(left=one, operator="contains", value=said) for one in texts)
        found.append((contains[0] if len(contains) == 1 else Or(of=contains), UNNAMED))
    for condition, cost in found:
        known = AKIN if named and len(found) == 1 else cost
        yield Segment(kind="condition", start=start, end=start + 1, condition=condition, cost=known)


def _guess_columns(wording: Wording, start: int) -> Iterator[Segment]:
    """Offer the columns that an unknown word may stand for where something is made of one, or "which" asks for it."""
    measured = any(
        wording.skip(phrase.end, _POINTING) == start
        for place in range(max(0, start - 4), start)
        for phrase in phrases_at(wording.tokens, place, "measures", every=True)
        if phrase.meaning not in ("count", "unique", "often", "share")
    )
    said = wording.tokens[start].text
    asked = start > 0 and wording.word(start - 1) in ("which", "what")  # "which host has the most warnings"
    for column in wording.vocabulary.columns if measured or asked else ():
        term = Term(Column(name=column.name), column, start + 1, UNNAMED)
        few = column.kind == "text" and column.complete and 1 < len(column.values) <= FEW
        if (measured and term.numeric) or (asked and few):
            yield Segment(kind="term", start=start, end=start + 1, term=term, cost=term.cost, guess=said)
