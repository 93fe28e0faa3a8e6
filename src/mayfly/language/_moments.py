"""Moments as people write them: dates, months and times of day, each as the span of time it covers."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_CLOCK = r"(?P<h>[0-9]{1,2}):(?P<mi>[0-9]{2})(?::(?P<s>[0-9]{2}))?"
_ISO = re.compile(
    rf"(?P<y>[0-9]{{4}})[-/](?P<mo>[0-9]{{1,2}})(?:[-/](?P<d>[0-9]{{1,2}}))?(?:[T_ :]{_CLOCK})?"
    r"(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_NAMED = re.compile(rf"(?P<d>[0-9]{{1,2}})[-/](?P<mon>[A-Za-z]{{3,9}})[-/](?P<y>[0-9]{{4}})(?::{_CLOCK})?")
_NUMERIC = re.compile(r"(?P<a>[0-9]{1,2})(?P<sep>[./-])(?P<b>[0-9]{1,2})(?P=sep)(?P<y>[0-9]{4})")
_TIME_OF_DAY = re.compile(rf"(?:{_CLOCK}|(?P<hour>[0-9]{{1,2}}))(?P<half>am|pm|a\.m|p\.m)?", re.I)


class Span(NamedTuple):
    """Hold a stretch of time from its first instant up to, and not with, its end."""

    start: datetime
    end: datetime


def month_number(word: str) -> int:
    """Return 1 to 12 for the name of a month, whole or cut to three letters (or "sept"), else 0."""
    word = word.lower().rstrip(".")
    word = "sep" if word == "sept" else word
    return next((number for number, month in enumerate(_MONTHS, 1) if word in (month, month[:3])), 0)


def month_span(year: int, month: int) -> Span:
    """Return the whole of a month."""
    return Span(datetime(year, month, 1), datetime(year + month // 12, month % 12 + 1, 1))


def day_span(year: int, month: int, day: int) -> Span:
    """Return the whole of a day; raises ValueError where there is no such day."""
    start = datetime(year, month, day)
    return Span(start, start + timedelta(days=1))


def year_span(year: int) -> Span:
    """Return the whole of a year."""
    return Span(datetime(year, 1, 1), datetime(year + 1, 1, 1))


def read_moment(text: str) -> tuple[Span, ...]:
    """Return the spans a written date can mean: none for anything else, two where day and month can be exchanged."""
    for pattern in (_ISO, _NAMED, _NUMERIC):
        if found := pattern.fullmatch(text):
            try:
                return _spans(found)
            except ValueError:
                return ()
    return ()


def _spans(found: re.Match[str]) -> tuple[Span, ...]:
    held = found.groupdict()
    year = int(held["y"])
    if "a" in held:
        first, second = int(held["a"]), int(held["b"])
        if held["sep"] == ".":  # Points stand between day, month and year, in this order, wherever they are used.
            return (day_span(year, second, first),)
        written = [(second, first), (first, second)]
        return tuple(dict.fromkeys(day_span(year, month, day) for month, day in written if month <= 12))
    month = month_number(held["mon"]) if "mon" in held else int(held["mo"])
    if held["d"] is None:
        return (month_span(year, month),)
    day = day_span(year, month, int(held["d"]))
    if held["h"] is None:
        return (day,)
    start = day.start.replace(hour=int(held["h"]), minute=int(held["mi"]), second=int(held["s"] or 0))
    return (Span(start, start + timedelta(seconds=1 if held["s"] else 60)),)


def read_clock(text: str) -> tuple[int, int] | None:
    """Return the seconds of the day at which a time of day begins and ends: 14:30, 9:05:10, 3pm."""
    found = _TIME_OF_DAY.fullmatch(text)
    if not found or not (found["h"] or found["half"]):
        return None
    hour = int(found["h"] or found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].lower().startswith("p") else 0)
    minute, second = int(found["mi"] or 0), int(found["s"] or 0)
    if hour > 24 or minute > 59 or second > 59:
        return None
    start = hour * 3600 + minute * 60 + second
    return start, start + (1 if found["s"] else 60 if found["mi"] else 3600)
