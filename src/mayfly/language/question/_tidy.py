"""Tidy up segments before queries are made of them: what says the same twice is left in once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import NEAR


def tidy(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Return segments of which each says something of its own."""
    return _drop_counting(_drop_repeats(_drop_doubles(_count_records(segments))))


def _count_records(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Count the records where their name is one of a list of measures: "trips and total passengers per day"."""
    said = [one for one in segments if one.kind not in ("glue", "ask")]
    between = {one.end for one in segments if one.kind == "glue" and one.word in ("and", ",")}
    for one, following in pairwise(said):
        if one.kind == "noun" and following.kind == "measure" and following.start - 1 in {end - 1 for end in between}:
            counted = replace(one, kind="measure", function="count", word="", name="")
            return [counted if segment is one else segment for segment in segments]
    return segments


def _drop_doubles(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave out the first of two words that are parts of one column's name: "used the most kWh" with "kWh used"."""
    terms = [one for one in segments if one.kind == "term" and one.term is not None and one.term.cost == NEAR]
    for one, other in pairwise(terms):
        if one.term and other.term and one.term.of == other.term.of and one.word != other.word:
            return [segment for segment in segments if segment is not one]
    return segments


def _drop_repeats(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave out a second superlative that only says the first again: "top 5 bikes with the most faults"."""
    found = [one for one in segments if one.kind == "superlative" and one.adjective is not None]
    if len(found) != 2 or found[0].word not in ("top", "bottom") or found[1].number:
        return segments
    first, second = (one.adjective for one in found)
    again = first and second and second.name in ("large", "small") and first.descending == second.descending
    return [one for one in segments if one is not found[1]] if again else segments


def _drop_counting(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave "how many" out where a number follows of which something else is made: "how many minutes on average"."""
    said = [one for one in segments if one.kind not in ("glue", "ask")]
    measures = [one for one in said if one.kind == "measure"]
    if [one.function for one in measures] not in (["count", "mean"], ["mean", "count"]):
        return segments
    counted = next(one for one in measures if one.function == "count")
    other = next(one for one in measures if one is not counted)
    following = {id(one): after for one, after in pairwise(said)}
    number, own = following.get(id(counted)), following.get(id(other))
    if number is None or number.term is None or not number.term.numeric or (own is not None and own.kind == "term"):
        return segments if own is not counted else [one for one in segments if one is not counted]
    # What it is made of stands right behind the measure, as it would have been said otherwise.
    rest = [one for one in segments if one not in (counted, other)]
    place = rest.index(number)
    return [*rest[:place], other, *rest[place:]]
