"""Read the conditions of a question: which records it is about, and which it is not about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mayfly.language.question._combine import turn
from mayfly.language.question._comparing import read_bare_comparisons, read_compared, read_counted
from mayfly.language.question._lacking import (
    read_lacking,
    read_opposites,
    read_participles,
    read_repeats,
    read_truths,
)
from mayfly.language.question._operators import Read
from mayfly.language.question._query import Compare
from mayfly.language.question._terms import Terms
from mayfly.language.question._texts import (
    NEGATIONS,
    read_called,
    read_endings,
    read_inside,
    read_long_texts,
    read_texts,
)
from mayfly.language.question._when import read_times
from mayfly.language.question._words import bases_of, in_class, is_glue
from mayfly.language.question._worth import read_outcomes, read_values

_TWO_WORDS = {
    "leave": "out",
    "other": "than",
    "apart": "from",
    "aside": "from",
    "rather": "than",
    "instead": "of",
    "all": "but",
}
# Of conditions that cost the same those that are read first come first.
_READERS: tuple[Callable[[Terms, int], Iterator[Read]], ...] = (
    read_compared,
    read_lacking,
    read_values,
    read_bare_comparisons,
    read_counted,
    read_participles,
    read_long_texts,
    read_opposites,
    read_inside,
    read_called,
    read_endings,
    read_outcomes,
    read_truths,
    read_texts,
    read_times,
    read_repeats,
)


class Conditions:
    """Read conditions at any place of one question."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._known: dict[int, list[Read]] = {}

    def at(self, start: int) -> list[Read]:
        """Return every condition that begins at *start*."""
        if start not in self._known:
            self._known[start] = []  # What begins here cannot hold itself.
            if start < len(self.terms.tokens):
                self._known[start] = list(self._read(start))
        return self._known[start]

    def _read(self, start: int) -> Iterator[Read]:
        yield from self._read_denied(start)
        for read in _READERS:
            yield from read(self.terms, start)

    def _read_denied(self, start: int) -> Iterator[Read]:
        """Read "not paid", "except Berlin", "other than GET", "out of stock"."""
        if self._word(start) == "out" and self._word(start + 1) == "of":
            for term in self.terms.at(start + 2):
                if term.numeric:  # What is out of stock has none of it.
                    yield Read(Compare(left=term.of, operator="=", value=0), term.end, term.cost)
        place = self._behind_denial(start)
        if place is None:
            return
        while (is_glue(self._word(place)) and self._word(place) not in ("one", ",")) or self._word(place) == "for":
            place += 1
        while in_class(self._word(place), "happened") or (self._is_verb_of_noun(place) and not self.at(place)):
            place += 1
        place = self.terms.skip(place, ("by", "the", "a", "an", "in", "from", "for", "to", "with", "of", "any"))
        for read in self.at(place):
            yield Read(turn(read.condition), read.end, read.cost)

    def _behind_denial(self, start: int) -> int | None:
        """Return the place behind words that deny: "not", "apart from", "but are not"; None behind any others."""
        word = self._word(start)
        if two := _TWO_WORDS.get(word):
            return start + 2 if self._word(start + 1) == two else None
        if word == "out":
            return start + 1 if self._word(start + 1) == "of" else None
        if word == "but":
            place = self.terms.skip(start + 1, ("were", "was", "are", "is", "that", "have", "has", "had"))
            return place + 1 if self._word(place) in NEGATIONS else None
        return start + 1 if word in NEGATIONS or word.endswith("n't") else None

    def _is_verb_of_noun(self, place: int) -> bool:
        """Say whether a word is a verb made of what a record is called: "booked" of bookings."""
        word = self._word(place)
        return word.endswith("ed") and not bases_of(word).isdisjoint(self.terms.vocabulary.nouns)

    def _word(self, place: int) -> str:
        return self.terms.word(place)
