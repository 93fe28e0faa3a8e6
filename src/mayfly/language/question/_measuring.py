"""Read what is made of records: counts, sums, percentiles, and measures that groups have to have."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language.question._query import Function
from mayfly.language.question._segment import Segment
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import PERCENTILE, phrase_at, phrases_at

_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_BY_SIZE = (">", ">=", "<", "<=")


def read_measures(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "how many", "average", "p95", "in percent of the total"."""
    word, after = wording.word(start), wording.word(start + 1)
    if word == "by" and wording.vocabulary.is_noun(after) and not wording.terms.at(start + 1):
        # "top 5 ips by requests"
        yield Segment(kind="measure", start=start, end=start + 2, function="count", word="by")
    named = start and any(term.end > start for term in wording.terms.at(start - 1))
    for phrase in phrases_at(wording.tokens, start, "measures", every=True):
        if named:
            continue  # "ring numbers", "the ring numbers of the birds" are rings.
        if phrase.meaning == "often":
            yield Segment(kind="measure", start=start, end=phrase.end, function="count", name="often")
            continue
        function: Function = phrase.meaning  # type: ignore[assignment]
        yield Segment(kind="measure", start=start, end=phrase.end, function=function, word=word)
    yield from _read_percentiles(wording, start)
    if of_total := phrase_at(wording.tokens, start, "lists", "of_total"):
        yield Segment(kind="of total", start=start, end=of_total.end)
    if any_case := phrase_at(wording.tokens, start, "lists", "any_case"):
        yield Segment(kind="any case", start=start, end=any_case.end)


def _read_percentiles(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "p95", "99th percentile"."""
    following = wording.word(start + 1)
    written = PERCENTILE.fullmatch(wording.tokens[start].text.lower())
    if written is None:
        return
    if written[1]:
        end = start + 1 + (following in ("percentile",))
        yield Segment(kind="measure", start=start, end=end, function="percentile", at=float(written[1]))
    elif following in ("percentile", "pct", "centile"):
        yield Segment(kind="measure", start=start, end=start + 2, function="percentile", at=float(written[2]))


def read_havings(wording: Wording, start: int) -> Iterator[Segment]:
    """Read a number of records that a group has: "more than 40 orders", "at least two visits", "more than once"."""
    for phrase in phrases_at(wording.tokens, start, "compare"):
        if phrase.meaning not in _BY_SIZE and wording.word(start) != "exactly":
            continue
        if wording.word(phrase.end) in _TIMES:
            at = float(_TIMES[wording.word(phrase.end)])
            yield Segment(kind="having", start=start, end=phrase.end + 1, name=phrase.meaning, at=at)
        number = wording.terms.number(phrase.end)
        if number is None or number.unit:
            continue
        at = float(number.value)
        if wording.word(number.end) == "times":
            yield Segment(kind="having", start=start, end=number.end + 1, name=phrase.meaning, at=at)
        for end in _ends_of_counted(wording, number.end):
            yield Segment(kind="having", start=start, end=end, name=phrase.meaning, at=at)
    yield from _read_times_or_more(wording, start)
    yield from _read_measured_havings(wording, start)


def _read_times_or_more(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "9 times or more"."""
    number = wording.terms.number(start)
    if number and wording.word(number.end) == "times" and wording.word(number.end + 1) == "or":
        way = {"more": ">=", "less": "<=", "fewer": "<="}.get(wording.word(number.end + 2))
        if way:
            yield Segment(kind="having", start=start, end=number.end + 3, name=way, at=float(number.value))


def _ends_of_counted(wording: Wording, place: int) -> list[int]:
    """Return where the words for what is counted end, each once: records, or things of several words."""
    found = [place + 1] if wording.vocabulary.is_noun(wording.word(place)) else []
    found += [term.end for term in wording.terms.at(place) if not term.numeric and wording.is_plural(term.end - 1)]
    return list(dict.fromkeys(found))


def _read_measured_havings(wording: Wording, start: int) -> Iterator[Segment]:
    """Read a measure that a group has: "whose average humidity is above 65"."""
    place = wording.skip(start, ("whose", "with", "where", "having", "the", "that", "have", "a", "an", "which"))
    for measure in phrases_at(wording.tokens, place, "measures") if place > start else ():
        if measure.meaning not in ("sum", "mean", "median", "min", "max"):
            continue
        function: Function = measure.meaning  # type: ignore[assignment]
        for term in wording.terms.at(wording.skip(measure.end, ("of", "the"))):
            after = wording.skip(term.end, ("is", "are", "was", "of"))
            for phrase in phrases_at(wording.tokens, after, "compare"):
                number = wording.terms.number(phrase.end)
                if phrase.meaning in _BY_SIZE and number and term.numeric:
                    yield Segment(
                        kind="having",
                        start=start,
                        end=number.end,
                        name=phrase.meaning,
                        at=float(number.value),
                        function=function,
                        term=term,
                        cost=term.cost,
                    )
