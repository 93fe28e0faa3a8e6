"""A place in a question, and a reason to pass over the words that stand there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import EXACT
from mayfly.language.question._wording import Wording


class Spot(NamedTuple):
    """A place in a question, and whether the words that begin there say something."""

    wording: Wording
    start: int
    known: bool

    @property
    def word(self) -> str:
        """The word that stands there."""
        return self.wording.word(self.start)

    def ahead(self, number: int) -> str:
        """Return the word so many places further on; before it where the number is negative."""
        return self.wording.word(self.start + number)


class Rule(NamedTuple):
    """A reason to pass over words: *count* tells how many there are, none where the reason is not given."""

    count: Callable[[Spot], int]
    cost: float = EXACT
    # Units belong to a span that has to be named elsewhere; the composer sees to that.
    name: Literal["", "unit"] = ""
    kind: Literal["glue", "ask"] = "glue"

    def segment(self, spot: Spot) -> Segment | None:
        """Return the words of a place as a segment that says nothing; None where the rule does not hold."""
        if not (words := int(self.count(spot))):
            return None
        end = spot.start + words
        return Segment(kind=self.kind, start=spot.start, end=end, word=spot.word, cost=self.cost, name=self.name)
