"""Read what is changed in a table: doubles left out, columns renamed, added, dropped or chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mayfly.language.question._query import Column, Named
from mayfly.language.question._segment import Segment
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import ARTICLES, adjective_at, phrases_at


def read_changes(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "unique", "remove duplicates", "rename A to B", "add a column", "without the column", "only columns"."""
    for phrase in phrases_at(wording.tokens, start, "lists"):
        end = phrase.end
        if phrase.meaning == "unique":
            yield Segment(kind="unique", start=start, end=end)
        elif phrase.meaning == "dedupe":
            yield Segment(kind="dedupe", start=start, end=end)
        elif phrase.meaning == "repeated":
            yield Segment(kind="unique", start=start, end=end, word="repeated")
        elif phrase.meaning == "keep":
            yield from _read_keep(wording, start, end)
        elif phrase.meaning == "rename":
            yield from _read_renames(wording, start, end)
        elif phrase.meaning == "drop":
            yield from _read_dropped(wording, start, end)
        elif phrase.meaning == "add":
            yield from _read_added(wording, start, end)
        elif phrase.meaning == "columns":
            yield from _read_chosen(wording, start, end)


def _read_keep(wording: Wording, start: int, end: int) -> Iterator[Segment]:
    """Read "keep the newest", "keeping the first one"."""
    place = wording.skip(end, ("only", *ARTICLES))
    found = adjective_at(wording.tokens, place)
    word = wording.word(place)
    after = wording.skip(
        found[1] if found else place + 1, ("one", "record", "row", "entry", "occurrence", "of", "them", "each", "only")
    )
    if found and found[0].superlative:
        yield Segment(kind="keep", start=start, end=after, adjective=found[0])
    elif word in ("first", "last"):
        yield Segment(kind="keep", start=start, end=after, last=word == "last")


def _read_renames(wording: Wording, start: int, end: int) -> Iterator[Segment]:
    """Read "rename qty to amount and no to number"."""
    for term in wording.terms.at(wording.skip(end, ARTICLES)):
        place = term.end + 1
        if not isinstance(term.of, Column) or wording.word(term.end) not in ("to", "into", "as"):
            continue
        if not _is_new_name(wording, place):
            continue
        new = wording.tokens[place].text
        one = Segment(kind="rename", start=start, end=place + 1, term=term, name=new, cost=term.cost)
        after = wording.skip(place + 1, ("and", ","))
        for rest in _read_renames(wording, place + 1, after) if after > place + 1 else ():
            yield replace(rest, start=start, sorts=(one, *(rest.sorts or (rest,))), cost=one.cost + rest.cost)
        yield one


def _read_added(wording: Wording, start: int, end: int) -> Iterator[Segment]:
    """Read "add a column total = qty * price", "add a column total that is qty times price"."""
    place = wording.skip(end, ("called", "named"))
    if not _is_new_name(wording, place):
        return
    new = wording.tokens[place].text
    after = wording.skip(
        place + 1, ("=", "that", "which", "is", "as", "with", "of", "the", "being", ":", "equal", "to")
    )
    for term in wording.terms.at(after):
        yield Segment(kind="add", start=start, end=term.end, named=Named(name=new, of=term.of), cost=term.cost)


def _is_new_name(wording: Wording, place: int) -> bool:
    return place < len(wording.tokens) and wording.tokens[place].kind in ("word", "code", "quoted")


def _read_dropped(wording: Wording, start: int, end: int) -> Iterator[Segment]:
    """Read "drop the columns email and phone"."""
    for terms in wording.several(wording.skip(end, ARTICLES)):
        cost = sum(term.cost for term in terms)
        yield Segment(kind="drop", start=start, end=terms[-1].end, terms=terms, cost=cost)


def _read_chosen(wording: Wording, start: int, end: int) -> Iterator[Segment]:
    """Read "columns name, city", "only name and city"; one column alone has to be called a column."""
    for terms in wording.several(wording.skip(end, ("the", ":"))):
        if len(terms) > 1 or wording.word(start) in ("column", "field", "columns", "fields"):
            cost = sum(term.cost for term in terms)
            yield Segment(kind="columns", start=start, end=terms[-1].end, terms=terms, cost=cost)
