"""Read dates and spans of time as they are written: "March 2026", "5 March", "2026-03-05 14:00", "the 1990s"."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from mayfly.language._moments import Span, day_span, month_number, month_span, year_span
from mayfly.language.question._terms import Terms
from mayfly.language.question._vocabulary import EXACT, ColumnInfo

# Years without a century or beyond these two are no years but numbers.
_YEARS = range(1900, 2100)
# Longer data has every month more than once anyway.
_MOST_YEARS = 100


def spans_at(terms: Terms, place: int) -> list[tuple[Span, int]]:
    """Return the spans of time that are written at a place: a date, a month, a year, a date with a time of day."""
    if place >= len(terms.tokens):
        return []
    token = terms.tokens[place]
    if token.kind == "moment":
        spans = cast("tuple[Span, ...]", token.value)
        following = terms.tokens[place + 1] if place + 1 < len(terms.tokens) else None
        if following is not None and following.kind == "clock":
            begin, end = cast("tuple[int, int]", following.value)
            return [
                (Span(one.start + timedelta(seconds=begin), one.start + timedelta(seconds=end)), place + 2)
                for one in spans
            ]
        return [(one, place + 1) for one in spans]
    try:
        found = _written_date(terms, place)
    except ValueError:
        return []
    return [found] if found else []


def _written_date(terms: Terms, place: int) -> tuple[Span, int] | None:
    """Read "March 2026", "5 March 2026", "March 5, 2026", "March 5th", "2026"."""
    # "may" is a month where it is written as a name, or with its year.
    named = terms.word(place) != "may" or terms.tokens[place].text == "May" or _year_at(terms, place + 1)
    month = month_number(terms.word(place)) if named else 0
    day = _day_at(terms, place)
    if month:
        day = _day_at(terms, place + 1)
        comma = place + 2 + (terms.word(place + 2) == ",")
        if day and (year := _year_at(terms, comma)):
            return day_span(year, month, day), comma + 1
        if year := _year_at(terms, place + 1):
            return month_span(year, month), place + 2
        return _take_year(terms, month, day, place + 1 + bool(day))
    if day and (month := month_number(terms.word(place + 1 + (terms.word(place + 1) == "of")))):
        end = place + 2 + (terms.word(place + 1) == "of")
        if year := _year_at(terms, end):
            return day_span(year, month, day), end + 1
        return _take_year(terms, month, day, end)
    year = _year_at(terms, place)
    token = terms.tokens[place]
    if token.unit == "s" and token.text[:4].isdigit() and token.text[3] == "0" and isinstance(token.value, int):
        return Span(year_span(token.value).start, year_span(token.value + 9).end), place + 1  # "the 1990s"
    return (year_span(year), place + 1) if year else None


def _take_year(terms: Terms, month: int, day: int, end: int) -> tuple[Span, int] | None:
    """Take the only year in which the data has such a month."""
    found: set[Span] = set()
    for column in (column for column, cost in terms.moments() if cost == EXACT):
        first, last = _moments_of(column) or (datetime.min, datetime.min)
        for year in range(first.year, min(last.year, first.year + _MOST_YEARS) + 1):
            span = day_span(year, month, day) if day else month_span(year, month)
            found |= {span} if span.end > first and span.start <= last else set()
    return (found.pop(), end) if len(found) == 1 else None


def _year_at(terms: Terms, place: int) -> int:
    token = terms.tokens[place] if place < len(terms.tokens) else None
    value = token.value if token is not None and token.kind == "number" and not token.unit else None
    # Four digits in these two centuries, written without a separator.
    fits = isinstance(value, int) and value in _YEARS and token is not None and token.text.isdigit()
    return cast("int", value) if fits else 0


def _day_at(terms: Terms, place: int) -> int:
    token = terms.tokens[place] if place < len(terms.tokens) else None
    value = token.value if token is not None and token.kind == "number" else None
    fits = (
        isinstance(value, int) and 1 <= value <= 31 and token is not None and token.unit in ("", "st", "nd", "rd", "th")
    )
    return cast("int", value) if fits else 0


def _moments_of(column: ColumnInfo) -> list[datetime]:
    """Return the first and the last moment of a column of moments, which its values hold in ISO form."""
    if column.kind != "time":
        return []
    return [datetime.fromisoformat(str(value)) for value in column.values]
