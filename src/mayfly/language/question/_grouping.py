"""Read how records are told apart and put in order: groups, sorting, and each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mayfly.language.question._guessing import FEW, UNNAMED
from mayfly.language.question._operators import UNSURE
from mayfly.language.question._query import Column, Function, Missing, Not, columns_of, walk
from mayfly.language.question._segment import Segment
from mayfly.language.question._terms import Term
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import (
    ARTICLES,
    adjective_at,
    bases_of,
    in_class,
    is_glue,
    phrase_at,
    phrases_at,
)

# What may stand between "by" and a column's name.
_BEFORE_KEYS = ("the", "a", "an", "each", "every", "different", "value", "values", "of")
_SORTED = ("by", "on", "the", "them", "it", "rows", "records", "lines", "in", "order", "of")


def read_groups(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "by host", "per day and city", "for each paid order", "monthly"."""
    for phrase in phrases_at(wording.tokens, start, "group"):
        place = wording.skip(phrase.end, _BEFORE_KEYS)
        yield from _read_groups_of_some(wording, start, place)
        yield from _guess_groups(wording, start, place)
        for terms in wording.several(place):
            if wording.word(wording.skip(terms[-1].end, ("only", "just"))) == "once":
                continue  # "each owner once"
            cost = _cost_of_groups(wording, start, terms)
            word = wording.word(start)
            yield Segment(kind="group", start=start, end=terms[-1].end, terms=terms, cost=cost, word=word)
            if _is_narrowed(wording, start, terms):
                yield Segment(kind="glue", start=start, end=terms[-1].end, word="by", cost=terms[0].cost)
    for phrase in phrases_at(wording.tokens, start, "parts") if wording.word(start).endswith("ly") else ():
        for term in wording.terms.at(start):
            yield Segment(kind="group", start=start, end=phrase.end, terms=(term,), cost=term.cost, word="by")


def _cost_of_groups(wording: Wording, start: int, terms: tuple[Term, ...]) -> float:
    """Return how far words are from groups: by their columns, and by what else they could be there for."""
    end = terms[-1].end
    # A list that goes on is not broken off without need.
    more = wording.word(end) in ("and", ",") and bool(wording.terms.at(wording.skip(end + 1, ARTICLES)))
    cost = sum(term.cost for term in terms) + 0.5 * more
    # "who come by bus" says how they come.
    word = wording.word(start)
    cost += UNSURE * (word == "by" and in_class(wording.word(start - 1), "happened") and start > 0)
    cost += UNSURE * _is_narrowed(wording, start, terms)
    # "pull out every address" takes them all and groups nothing.
    cost += 0.6 * (word in ("each", "every") and start > 0 and wording.is_opening(start))
    return cost


def _read_groups_of_some(wording: Wording, start: int, place: int) -> Iterator[Segment]:
    """Read groups of which only some are meant: "each paid order", "per student rider"."""
    if wording.word(start) in ("each", "every") and wording.is_opening(start):
        return  # "list every forced opening" groups nothing.
    for read in wording.conditions.at(place):
        for term in wording.terms.at(read.end) if read.cost < UNSURE else ():
            yield Segment(
                kind="group",
                start=start,
                end=term.end,
                terms=(term,),
                condition=read.condition,
                cost=read.cost + term.cost + 0.1,
                word=wording.word(start),
            )


def _guess_groups(wording: Wording, start: int, place: int) -> Iterator[Segment]:
    """Offer the columns that an unknown word behind "by" may stand for."""
    token = wording.tokens[place] if place < len(wording.tokens) else None
    known = token is None or token.kind != "word" or is_glue(token.plain) or wording.terms.at(place)
    if token is None or known or wording.conditions.at(place):
        return
    if wording.word(start) in ("each", "every") and wording.is_opening(start):
        return  # "show me every reading"
    for column in wording.vocabulary.columns:
        term = Term(Column(name=column.name), column, place + 1, UNNAMED)
        if column.kind in ("text", "bool") and column.complete and 1 < len(column.values) <= FEW:
            yield Segment(
                kind="group",
                start=start,
                end=place + 1,
                terms=(term,),
                cost=term.cost,
                word=wording.word(start),
                guess=token.text,
            )


def _is_narrowed(wording: Wording, start: int, terms: tuple[Term, ...]) -> bool:
    """Say whether "by" tells whose records are meant, and groups nothing: "by authors from Ireland"."""
    end = terms[-1].end
    if wording.word(start) != "by" or len(terms) > 1:
        return False
    if wording.word(end) not in ("from", "in", "with", "called", "named"):
        return False
    own = {part.name.split(".")[0] for part in walk(terms[0].of) if isinstance(part, Column)}
    return any(
        own & {name.split(".")[0] for name in columns_of(read.condition)}
        for read in wording.conditions.at(wording.skip(end + 1, ARTICLES))
    )


def read_kinds(wording: Wording, start: int) -> Iterator[Segment]:
    """Read a column by whose values things are told apart: "events of each kind", "exceptions by type"."""
    group = phrase_at(wording.tokens, start + 1, "group")
    if group is None or wording.terms.at(group.end):
        return
    if bases_of(wording.word(group.end)).isdisjoint(("kind", "type", "sort")):
        return
    for term in wording.terms.at(start):
        if term.end == start + 1 and term.info is not None and term.info.kind == "text":
            yield Segment(
                kind="group",
                start=start,
                end=group.end + 1,
                terms=(term,),
                cost=term.cost,
                word="by",
                condition=Not(of=Missing(of=term.of)) if term.info.optional else None,
            )


def read_once(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "each owner once", and "each" where it only points back: "how often each occurred"."""
    if wording.word(start) not in ("each", "every"):
        return
    for term in wording.terms.at(start + 1):
        after = wording.skip(term.end, ("only", "just"))
        if wording.word(after) == "once":
            yield Segment(kind="unique", start=start, end=start + 1)
    ends = start + 2 >= len(wording.tokens) or wording.tokens[start + 2].kind == "sign"
    happened = in_class(wording.word(start + 1), "happened") and ends
    if phrase_at(wording.tokens, start - 2, "measures", "often") or happened:
        yield Segment(kind="glue", start=start, end=start + 1, word="each")


def read_sorting(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "sorted by amount", "descending", "newest first"."""
    if phrase := phrase_at(wording.tokens, start, "order", "sort"):
        place = wording.skip(phrase.end, _SORTED)
        found = list(_read_sorted_by(wording, start, place)) or list(_read_sorted_by_measure(wording, start, place))
        yield from found
        if not found:
            yield Segment(kind="sort", start=start, end=phrase.end)
    for way, descending in (("down", True), ("up", False)):
        if phrase := phrase_at(wording.tokens, start, "order", way):
            yield Segment(kind="way", start=start, end=phrase.end, descending=descending)
    adjective = adjective_at(wording.tokens, start)
    if adjective and adjective[0].superlative and wording.word(adjective[1]) == "first":
        towards, end = adjective
        yield Segment(kind="way", start=start, end=end + 1, descending=towards.descending, adjective=towards)


def _read_sorted_by(wording: Wording, start: int, place: int) -> Iterator[Segment]:
    """Read what is sorted by, each with its own way: "by country, then by amount descending"."""
    for term in wording.terms.at(place):
        way = phrase_at(wording.tokens, wording.skip(term.end, (",", "in")), "order")
        ends = [(term.end, "")]
        if way and way.meaning in ("up", "down"):
            ends.insert(0, (way.end, way.meaning))
        for end, meaning in ends:
            first = Segment(kind="sort", start=start, end=end, term=term, cost=term.cost, name=meaning)
            after = wording.skip(end, (",", "and", "then", "by", "the"))
            if after > end and wording.word(end) in (",", "and", "then"):
                for rest in _read_sorted_by(wording, end, after):
                    more = (first, *(rest.sorts or (rest,)))
                    yield replace(rest, start=start, sorts=more, cost=first.cost + rest.cost)
            yield replace(first, cost=first.cost + 0.5 * (after > end and bool(wording.terms.at(after))))


def _read_sorted_by_measure(wording: Wording, start: int, place: int) -> Iterator[Segment]:
    """Read "sorted by count", "ordered by average descending"."""
    measure = phrase_at(wording.tokens, place, "measures")
    if measure is None:
        return
    turned = phrase_at(wording.tokens, measure.end, "order")
    end, meaning = (turned.end, turned.meaning) if turned else (measure.end, "")
    function: Function = "count" if measure.meaning == "often" else measure.meaning  # type: ignore[assignment]
    yield Segment(kind="sort", start=start, end=end, function=function, name=meaning)
