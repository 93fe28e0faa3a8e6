"""Read conditions about moments: dates, spans, times of day, weekdays, and what was lately."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import cast

from mayfly.language._moments import Span, month_number
from mayfly.language.question._combine import both
from mayfly.language.question._dates import spans_at
from mayfly.language.question._operators import Read
from mayfly.language.question._query import Column, Compare, Condition, Expression, Operator, Or, PartOf, Recent
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._words import ARTICLES, bases_of, phrases_at

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_WAYS = {"=": "during", ">": "after", ">=": "since", "<": "before", "<=": "until"}


def read_times(terms: Terms, start: int) -> Iterator[Read]:
    """Read "in March 2026", "since Monday", "December bookings" where no column of moments is named."""
    for column, cost in terms.moments():
        term = Term(Column(name=column.name), column, start, cost)
        yield from (read for read in _read_moments(terms, term, start) if not _compares_columns(read.condition))
        if _is_only_year(terms, start):
            for span, end in spans_at(terms, start):
                yield from _read_since(terms, term, "during", span, end + (terms.word(end) == "only"))
        # "December bookings": a month right before what it is said of.
        if month_number(terms.word(start)):
            for span, end in spans_at(terms, start):
                yield from _read_since(terms, term, "during", span, end)


def _is_only_year(terms: Terms, start: int) -> bool:
    """Say whether a year stands alone and can be nothing else: "2025 only", ", only 2025"."""
    token = terms.tokens[start]
    alone = terms.word(start + 1) == "only" or (start > 0 and terms.word(start - 1) == "only")
    return alone and token.kind == "number" and len(token.text) == 4 and bool(spans_at(terms, start))


def read_times_of(terms: Terms, term: Term) -> Iterator[Read]:
    """Read what a column of moments is compared with: "created before 2024", "signed up in March 2026"."""
    if term.moment:
        yield from _read_moments(terms, term, terms.skip(term.end, ("is", "are", "was", "were", "up")))


def _read_moments(terms: Terms, term: Term, place: int) -> Iterator[Read]:
    for phrase in phrases_at(terms.tokens, place, "time"):
        after = terms.skip(phrase.end, ARTICLES)
        if phrase.meaning == "last":
            yield from _read_recent(terms, term, phrase.end)
        for span, end in spans_at(terms, after):
            yield from _read_since(terms, term, phrase.meaning, span, end)
        yield from _read_clocks(terms, term, phrase.meaning, after)
        if phrase.meaning in ("after", "before"):
            yield from _read_other_moments(terms, term, phrase.meaning, after)
        if phrase.meaning == "during":
            for again in phrases_at(terms.tokens, after, "time"):
                if again.meaning == "last":
                    yield from _read_recent(terms, term, again.end)
            yield from _read_weekdays(terms, term, after)
    for phrase in phrases_at(terms.tokens, place, "compare"):
        if phrase.meaning == "between":
            yield from _read_between(terms, term, phrase.end)
            yield from _read_clocks(terms, term, "since", phrase.end)
        elif phrase.meaning in _WAYS:
            for span, end in spans_at(terms, phrase.end):
                yield from _read_since(terms, term, _WAYS[phrase.meaning], span, end)
    if place < len(terms.tokens) and terms.tokens[place].kind == "moment":
        for span, end in spans_at(terms, place):
            yield from _read_since(terms, term, "during", span, end)


def _read_other_moments(terms: Terms, term: Term, way: str, place: int) -> Iterator[Read]:
    """Read "delivered after the due date"."""
    for other in terms.at(place):
        if other.moment and other.of != term.of and isinstance(other.of, Column):
            operator: Operator = ">" if way == "after" else "<"
            end = other.end + (terms.word(other.end) in ("date", "time", "day"))
            yield Read(Compare(left=term.of, operator=operator, value=other.of), end, term.cost + other.cost)


def _read_since(terms: Terms, term: Term, way: str, span: Span, end: int) -> Iterator[Read]:
    """Read "since March", "before 2024", "from March to May"."""
    if term.info is not None and term.info.tells == "clock":
        return  # A time of day lies in no month.
    if way in ("since", "during") and terms.word(end) in ("to", "until", "till", "through", "-"):
        ends = spans_at(terms, terms.skip(end + 1, ARTICLES))
        for last, stop in ends:
            yield Read(Compare(left=term.of, operator="during", value=Span(span.start, last.end)), stop, term.cost)
        if ends:
            return
    conditions: dict[str, Condition] = {
        "after": _from(term, span.end),
        "since": _from(term, span.start),
        "before": _up_to(term, span.start),
        "until": _up_to(term, span.end),
        "during": Compare(left=term.of, operator="during", value=span),
    }
    if way in conditions:
        yield Read(conditions[way], end, term.cost)


def _from(term: Term, when: datetime) -> Condition:
    """Ask for moments from one on; the far end of the span stands for for ever."""
    return Compare(left=term.of, operator="during", value=Span(when, datetime(9999, 12, 31)))


def _up_to(term: Term, when: datetime) -> Condition:
    """Ask for moments before one; the near end of the span stands for ever since."""
    return Compare(left=term.of, operator="during", value=Span(datetime(1, 1, 1), when))


def _read_between(terms: Terms, term: Term, place: int) -> Iterator[Read]:
    """Read "between 3 March and 5 May"."""
    for first, end in spans_at(terms, terms.skip(place, ARTICLES)):
        for last, stop in spans_at(terms, terms.skip(end + 1, ARTICLES)) if terms.word(end) in ("and", "to") else ():
            yield Read(Compare(left=term.of, operator="during", value=Span(first.start, last.end)), stop, term.cost)


def _read_recent(terms: Terms, term: Term, place: int) -> Iterator[Read]:
    """Read "last hour", "past 7 days": up to the newest moment of the data."""
    quantity = terms.number(place)
    number, after = (quantity.value, place + 1) if quantity else (1, place)
    unit = next((name for name in _SECONDS if name in bases_of(terms.word(after))), None)
    if unit and isinstance(number, int) and number > 0:
        yield Read(Recent(of=term.of, seconds=number * _SECONDS[unit]), after + 1, term.cost)


def _read_weekdays(terms: Terms, term: Term, place: int) -> Iterator[Read]:
    """Read "on Mondays", "at the weekend"."""
    left = PartOf(part="weekday", of=term.of)
    word = bases_of(terms.word(place))
    for day in WEEKDAYS:
        if word & {day.lower()}:
            yield Read(Compare(left=left, operator="=", value=day), place + 1, term.cost)
    if "weekend" in word:
        yield Read(Compare(left=left, operator="in", value=WEEKDAYS[5:]), place + 1, term.cost)
    if "weekday" in word:
        yield Read(Compare(left=left, operator="in", value=WEEKDAYS[:5]), place + 1, term.cost)


# Times of day.


def _read_clocks(terms: Terms, term: Term, way: str, place: int) -> Iterator[Read]:
    """Read times of the day: "after 18:00", "between 8am and 10am", "from 22:15 to 23:00"."""
    first = _clock_at(terms, place)
    if first is None or (term.info is not None and term.info.tells == "day"):
        return
    if way == "since" and terms.word(place + 1) in ("and", "to", "until", "till", "-"):
        behind = terms.skip(place + 2, ("before",))
        last = _clock_at(terms, behind)
        if last is not None and last != first:
            yield Read(_between_clocks(term.of, first, last), behind + 1, term.cost)
        return
    operators: dict[str, Operator] = {"after": ">=", "since": ">=", "before": "<", "until": "<"}
    if way in operators:
        yield Read(_compare_clock(term.of, operators[way], first), place + 1, term.cost)


def _clock_at(terms: Terms, place: int) -> int | None:
    """Return the second of the day at which a time of day begins."""
    token = terms.tokens[place] if place < len(terms.tokens) else None
    return cast("tuple[int, int]", token.value)[0] if token is not None and token.kind == "clock" else None


def _compare_clock(of: Expression, operator: Operator, second: int) -> Condition:
    """Compare the time of day of a moment: by its hour where that is enough, else as clocks show it."""
    if second % 3600 == 0:
        return Compare(left=PartOf(part="hour of day", of=of), operator=operator, value=second // 3600)
    shown = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return Compare(left=PartOf(part="clock time", of=of), operator=operator, value=shown)


def _between_clocks(of: Expression, first: int, last: int) -> Condition:
    """Ask that a time of day lies between two, the second of which is none of them any more."""
    if last < first:  # From 22:00 to 06:00 it is night.
        return Or(of=(_compare_clock(of, ">=", first), _compare_clock(of, "<", last)))
    if first % 3600 == 0 and last % 3600 == 0:
        hours = (first // 3600, last // 3600 - 1)
        return Compare(left=PartOf(part="hour of day", of=of), operator="between", value=hours)
    return both(_compare_clock(of, ">=", first), _compare_clock(of, "<", last))


def _compares_columns(condition: Condition) -> bool:
    return isinstance(condition, Compare) and isinstance(condition.value, Column)
