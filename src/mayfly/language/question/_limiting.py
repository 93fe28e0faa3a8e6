"""Read how many are wanted and how they are shown: the first ten, the largest, lines 5 to 9, rounded, in MB."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mayfly.language.question._query import Function
from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import nouns_of
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import Adjective, adjective_at, bases_of, phrase_at, unit_of

_ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
# Whether a number behind the word is of the last records.
_ENDS = {"first": False, "head": False, "last": True, "tail": True, "final": True, "limit": False}
# A larger number behind "largest" is not how many somebody wants to see.
_MOST_WANTED = 10_000


def read_limits(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "first 10", "the last", "top 5", "tail -n 20", "lines 10 to 20", "the 3 most expensive"."""
    word = wording.word(start)
    if word in ("head", "tail"):
        yield from _read_shell_limit(wording, start)
    number = wording.terms.number(start + 1)
    whole = number.value if number and isinstance(number.value, int) and not number.unit else None
    if number and word in _ENDS and whole is not None and whole > 0:
        yield Segment(kind="limit", start=start, end=number.end, number=whole, last=_ENDS[word])
    yield from _read_edges(wording, start)
    if number and word in ("top", "bottom") and whole is not None:
        adjective = Adjective("large", word == "top", (), True)
        yield Segment(kind="superlative", start=start, end=number.end, number=whole, adjective=adjective, word=word)
    if word in ("line", "lines", "row", "rows", "record", "records"):
        yield from _read_range(wording, start)
    yield from _read_digits(wording, start)
    if word == "in" and (unit := unit_of(wording.word(start + 1))) and unit[0] in ("size", "duration"):
        yield Segment(kind="scale", start=start, end=start + 2, name=unit[1])
    yield from _read_bare_number(wording, start)


def _read_edges(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "for the first time", "the last entry"; "the last hour" is a time."""
    word, edge = wording.word(start), wording.word(start + 2)
    time = word == "for" and wording.word(start + 1) == "the" and wording.word(start + 3) == "time"
    if time and edge in ("first", "last"):
        yield Segment(kind="edge", start=start, end=start + 4, last=edge == "last")
    timed = phrase_at(wording.tokens, start + 1, "parts")
    if word in ("first", "last", "final") and not wording.terms.number(start + 1) and not timed:
        yield Segment(kind="edge", start=start, end=start + 1, last=word != "first")


def _read_shell_limit(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "head -5", "tail -n 20"."""
    place = start + 1 + (start + 1 < len(wording.tokens) and wording.tokens[start + 1].text == "-n")
    number = wording.terms.number(place)
    if number and isinstance(number.value, int) and number.value:
        last = wording.word(start) == "tail"
        yield Segment(kind="limit", start=start, end=number.end, number=abs(number.value), last=last)


def _read_range(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "lines 10 to 20", "lines 10-20", "row 5"."""
    place = wording.skip(start + 1, ("from", "between", "number", "numbers"))
    lines = wording.word(start).startswith("line")
    written = re.fullmatch(r"(\d+)[-–](\d+)", wording.tokens[place].text) if place < len(wording.tokens) else None
    if written and int(written[2]) >= int(written[1]) > 0:
        numbers = int(written[1]), int(written[2])
        yield Segment(kind="range", start=start, end=place + 1, number=numbers[0], second=numbers[1], plural=lines)
        return
    first = wording.terms.number(place)
    if not first or not isinstance(first.value, int) or first.value < 1:
        return
    goes_on = wording.word(first.end) in ("to", "through", "and", "until", "-")
    last = wording.terms.number(first.end + 1) if goes_on else None
    if last and isinstance(last.value, int) and last.value >= first.value:
        yield Segment(kind="range", start=start, end=last.end, number=first.value, second=last.value, plural=lines)
    elif not last:
        yield Segment(kind="range", start=start, end=first.end, number=first.value, second=first.value, plural=lines)


def _read_digits(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "rounded to whole numbers", "to 2 decimals"."""
    word = wording.word(start)
    if word in ("rounded", "round"):
        place = wording.skip(start + 1, ("to", "the", "off", "it", "them"))
        if wording.word(place) in ("whole", "nearest", "integer", "integers"):
            end = place + 1 + (wording.word(place) in ("whole", "nearest") and place + 1 < len(wording.tokens))
            yield Segment(kind="digits", start=start, end=end, number=0)
    decimals = wording.terms.number(start)
    if decimals and isinstance(decimals.value, int) and wording.word(decimals.end) in ("decimals", "digits"):
        yield Segment(kind="digits", start=start, end=decimals.end + 1, number=decimals.value)
    near = {base for place in range(start, start + 5) for base in bases_of(wording.word(place))}
    if word in ("rounded", "round", "to") and "decimal" in near:
        place = wording.skip(start, ("rounded", "round", "to", "it", "them", "off", "the", "result"))
        number = wording.terms.number(place)
        if number and isinstance(number.value, int):
            end = wording.skip(number.end, ("decimal", "decimals", "places", "digits", "place"))
            yield Segment(kind="digits", start=start, end=end, number=number.value)


def _read_bare_number(wording: Wording, start: int) -> Iterator[Segment]:
    """Read a number of what is wanted: "the 3 most expensive", "5 customers"."""
    number = wording.terms.number(start)
    if number and isinstance(number.value, int) and number.end == start + 1 and _is_counted(wording, start + 1):
        yield Segment(kind="limit", start=start, end=start + 1, number=number.value, word="number")


def _is_counted(wording: Wording, place: int) -> bool:
    """Say whether several of something may stand here: "most expensive", "orders", "customers"."""
    if adjective_at(wording.tokens, place) or wording.vocabulary.is_noun(wording.word(place)):
        return True
    if any(wording.is_plural(term.end - 1) and not term.numeric for term in wording.terms.at(place)):
        return True
    entity = bases_of(wording.word(place)) & nouns_of("entity") and wording.vocabulary.about_things
    return bool(entity) and wording.is_plural(place)


def read_superlatives(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "slowest", "most expensive 3", "second largest"."""
    ordinal = _ORDINALS.get(wording.word(start), 0)
    if ordinal and (nth := adjective_at(wording.tokens, start + 1)) and nth[0].superlative:
        word = wording.word(start + 1)
        yield Segment(kind="superlative", start=start, end=nth[1], adjective=nth[0], word=word, second=ordinal)
    found = adjective_at(wording.tokens, start)
    if found is None or not found[0].superlative:
        return
    adjective, end = found
    number = wording.terms.number(end)
    if number and isinstance(number.value, int) and not number.unit and number.value < _MOST_WANTED:
        yield Segment(kind="superlative", start=start, end=number.end, adjective=adjective, number=number.value)
    yield Segment(kind="superlative", start=start, end=end, adjective=adjective, word=wording.word(start))
    if adjective.name in ("large", "small") and wording.word(start) not in ("most", "least", "top", "bottom"):
        # "average, smallest and largest amount"
        extreme: Function = "max" if adjective.descending else "min"
        yield Segment(kind="measure", start=start, end=end, function=extreme, cost=0.05)
