"""The segments of one cut by what they say, as everything that makes queries of them looks at them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from typing import NamedTuple

from mayfly.language.question._query import Column, Expression, PartOf, Query
from mayfly.language.question._segment import Segment
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import ColumnInfo, Vocabulary

# A reading that is less likely than its rivals by so much is not offered beside them.
LESS = 0.6
_JOINTS = ("glue", "ask", "unknown")
# Moments at which something ends: nothing is as old as they say.
_ENDS = frozenset(("expires", "expiry", "expire", "due", "next", "until", "end", "ends", "ended", "valid", "closed"))


class Composed(NamedTuple):
    """A query, and how much less likely it is than others from the same segments.

    Of a share, *base* is how many of its conditions say of what it is a share, where that was said.
    """

    query: Query
    cost: float = 0.0
    base: int | None = None


class Said:
    """Hold the segments of one cut, what stands between them, and what is known of the table."""

    def __init__(self, segments: Sequence[Segment], vocabulary: Vocabulary, moments: Sequence[ColumnInfo]) -> None:
        self.segments, self.vocabulary = segments, vocabulary
        # The columns of moments that can be meant where none is named.
        self.moments = moments
        # The segments that say something, and before each of them the words that only join.
        self.all = [one for one in segments if one.kind not in _JOINTS]
        self.joints = list(_joints(segments))
        self.lines = any(one.kind == "noun" and one.word in ("line", "lines") for one in segments)

    def without(self, chosen: Collection[Segment]) -> Said:
        """Return what is said without some segments."""
        rest = copy(self)
        rest.all = [one for one in self.all if one not in chosen]
        rest.joints = [joint for one, joint in zip(self.all, self.joints, strict=True) if one not in chosen]
        return rest

    def of(self, *kinds: str) -> list[Segment]:
        """Return the segments of some kinds."""
        return [one for one in self.all if one.kind in kinds]

    def after(self, place: int) -> Segment | None:
        """Return the segment behind the one at a place."""
        return self.all[place + 1] if place + 1 < len(self.all) else None

    def passes(self, *words: str, within: int | None = None) -> bool:
        """Say whether one of some words was passed over, among so many segments at the beginning."""
        return any(one.kind == "glue" and one.word in words for one in self.segments[:within])

    def terms(self) -> list[Term]:
        """Return the expressions that are named and belong to nothing else."""
        return [one.term for one in self.of("term") if one.term]

    def keys(self) -> tuple[Expression, ...]:
        """Return what groups are made by, each once."""
        keys = dict.fromkeys(term.of for one in self.of("group") for term in one.terms)
        # "per week by borrowed_on" names the moment of which the week is meant.
        parts = [one.of for one in keys if isinstance(one, PartOf)]
        return tuple(one for one in keys if one not in parts)

    def own_moments(self) -> list[Expression]:
        """Return the column of moments, where there is one: the first record may be the earliest."""
        found = [Column(name=one.name) for one in self.moments]
        return list(found) if len(found) == 1 and not self.lines else []

    def spoken_of(self, segment: Segment) -> list[Expression]:
        """Return the columns that an adjective speaks of by itself: moments for "newest", durations for "slowest"."""
        for role in segment.adjective.roles if segment.adjective else ():
            columns = [one for one in self.vocabulary.with_role(role) if one.numeric or one.kind == "time"]
            if role == "timestamp":
                columns = self._beginnings()
            if columns:
                return [Column(name=one.name) for one in columns]
        return []

    def _beginnings(self) -> list[ColumnInfo]:
        """Return what tells how old something is: the moment with which it begins, or a year; not when it ends."""
        begun = [one for one in self.moments if _ENDS.isdisjoint(one.words)]
        return [*([one for one in begun if one.first] or begun), *filter(_is_year, self.vocabulary.columns)]


def _is_year(column: ColumnInfo) -> bool:
    """Say whether whole numbers are years: of a building, a book, a harvest."""
    named = not {"year", "built", "founded", "made"}.isdisjoint(column.words)
    held = [value for value in column.values if isinstance(value, int)]
    return named and column.kind == "int" and bool(held) and min(held) > 999 and max(held) < 2101


def _joints(segments: Sequence[Segment]) -> Iterator[frozenset[str]]:
    held: set[str] = set()
    for one in segments:
        if one.kind in _JOINTS:
            held.add(one.word)
        else:
            yield frozenset(held)
            held.clear()
