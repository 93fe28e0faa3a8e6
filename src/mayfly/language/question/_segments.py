"""Cut a question into segments, each with what it says; every word belongs to exactly one of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from mayfly.language._tokens import Token
from mayfly.language.question._changing import read_changes
from mayfly.language.question._grouping import read_groups, read_kinds, read_once, read_sorting
from mayfly.language.question._guessing import guess_word
from mayfly.language.question._joining import read_joins
from mayfly.language.question._limiting import read_limits, read_superlatives
from mayfly.language.question._measuring import read_havings, read_measures
from mayfly.language.question._naming import read_conditions, read_names
from mayfly.language.question._passed import pass_besides, pass_otherwise
from mayfly.language.question._segment import Segment
from mayfly.language.question._spot import Spot
from mayfly.language.question._vocabulary import Vocabulary
from mayfly.language.question._wording import Wording

# A little for each segment, so that of equal readings the one with longer segments comes first.
_STEP = 0.001
# Long questions have thousands of cuts; the ones that come later are too dear to be readings anybody takes.
_MOST_CUTS, _MOST_STEPS = 80, 6000
# What reads words that say something; of segments that cost the same those that are read first come first.
_READERS = (
    read_joins,
    read_havings,
    read_changes,
    read_groups,
    read_sorting,
    read_limits,
    read_superlatives,
    read_measures,
    read_conditions,
    read_names,
    read_once,
    read_kinds,
)


class Cutter:
    """Find every way to cut one question into segments, the likeliest first."""

    def __init__(self, text: str, tokens: list[Token], vocabulary: Vocabulary) -> None:
        self.wording = Wording(text, tokens, vocabulary)
        self._known: dict[int, list[Segment]] = {}

    def cuts(self) -> Iterator[tuple[float, tuple[Segment, ...]]]:
        """Yield ways to cut the whole question with their costs, cheapest first, up to a bound."""
        order, steps = count(), 0
        heap: list[tuple[float, int, int, tuple[Segment, ...]]] = [(0.0, next(order), 0, ())]
        found = 0
        while heap and found < _MOST_CUTS and steps < _MOST_STEPS:
            cost, _, place, cut = heapq.heappop(heap)
            steps += 1
            if place == len(self.wording.tokens):
                found += 1
                yield cost, cut
                continue
            for segment in self.at(place):
                heapq.heappush(heap, (cost + segment.cost + _STEP, next(order), segment.end, (*cut, segment)))

    def at(self, start: int) -> list[Segment]:
        """Return the segments that begin at a place, each once."""
        if start not in self._known:
            self._known[start] = list(dict.fromkeys(self._read(start)))
        return self._known[start]

    def _read(self, start: int) -> Iterator[Segment]:
        """Read the words at a place: what they say, whether they may be passed over, else what they could be."""
        found = [segment for read in _READERS for segment in read(self.wording, start)]
        yield from found
        spot = Spot(self.wording, start, bool(found))
        yield from pass_besides(spot)
        if spot.word == "or":
            yield Segment(kind="or", start=start, end=start + 1)
        elif self._is_minus(start):
            yield from guess_word(self.wording, start, known=True)  # Nobody may pass over that.
        elif (passed := pass_otherwise(spot)) is not None:
            yield passed
        else:
            yield from guess_word(self.wording, start, known=bool(found))

    def _is_minus(self, start: int) -> bool:
        """Say whether a sign takes one number from another."""
        if self.wording.tokens[start].text != "-" or not start:
            return False
        return bool(self.wording.terms.at(start + 1)) or self.wording.is_measure(start + 1)
