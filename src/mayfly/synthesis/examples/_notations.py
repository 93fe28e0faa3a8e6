"""Patterns for the notations of dates and times, in the order in which they are tried."""

from __future__ import annotations

_NAME = r"(?P<name>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])"
_YEAR = r"(?P<year>\d{4})"
_ANY_YEAR = r"(?P<year>\d{4}|\d{2})"
_ENDING = r"(?:st|nd|rd|th)?"
_CLOCK = (
    r"(?=\d{1,2}(?::\d\d|\s*[ap]\.?m))(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?!\d)"
)
_LATER = rf"(?:(?:[T,@\s]|\bat\b|-)+{_CLOCK})?"

_NUMERIC = {
    "ymd": rf"{_YEAR}[-/. ]+{_MONTH}[-/. ]+{_DAY}",
    "ydm": rf"{_YEAR}[-/. ]+{_DAY}[-/. ]+{_MONTH}",
    "mdy": rf"{_MONTH}[-/. ]+{_DAY}[-/. ]+{_ANY_YEAR}",
    "dmy": rf"{_DAY}[-/. ]+{_MONTH}[-/. ]+{_ANY_YEAR}",
}
_NAMED = (
    rf"{_DAY}{_ENDING}[-/., ]*(?:of )?{_NAME}[-/., ]*{_ANY_YEAR}",
    rf"{_NAME}[-/., ]*(?:the )?{_DAY}{_ENDING}[-/., ]+{_ANY_YEAR}",
    rf"{_YEAR}[-/., ]*{_NAME}[-/., ]*{_DAY}",
)
_COMPACT = {
    "ymd": r"(?P<year>(?:1[5-9]|2[0-3])\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    "ydm": r"(?P<year>(?:1[5-9]|2[0-3])\d\d)(?P<day>0[1-9]|[12]\d|3[01])(?P<month>0[1-9]|1[0-2])",
    "mdy": r"(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?P<year>\d{4})",
    "dmy": r"(?P<day>0[1-9]|[12]\d|3[01])(?P<month>0[1-9]|1[0-2])(?P<year>\d{4})",
}
_LOOSE = {
    "mdy": rf"{_MONTH}\D+{_DAY}\D+{_YEAR}",
    "dmy": rf"{_DAY}\D+{_MONTH}\D+{_YEAR}",
}
_SHORT = {"mdy": rf"{_MONTH}[-/.]{_DAY}", "dmy": rf"{_DAY}[-/.]{_MONTH}"}
_ORDERS = {"mdy": ("mdy", "dmy"), "dmy": ("dmy", "mdy")}


def patterns(order: str, year_first: str) -> tuple[str, ...]:
    """Return all patterns, where *order* and *year_first* say how ambiguous numbers are read."""
    return (*_full(order, year_first), *_partial(order))


def _full(order: str, year_first: str) -> list[str]:
    numeric = [_NUMERIC[year_first], *(_NUMERIC[each] for each in _ORDERS[order])]
    dates = [*numeric, *_NAMED, _COMPACT[year_first], *(_COMPACT[each] for each in _ORDERS[order])]
    before = rf"(?<!\d){_CLOCK}[,\s]+"
    timed = [rf"{before}{date}(?!\d)" for date in (*numeric[:2], *_NAMED[:2])]
    return [*timed, *(rf"(?<![\d]){date}(?!\d){_LATER}" for date in dates), rf"(?<!\d){_LOOSE[order]}(?!\d){_LATER}"]


def _partial(order: str) -> list[str]:
    return [
        rf"(?<!\d){_YEAR}[- ](?P<ordinal>[1-9]\d{{0,2}})(?!\d)",
        rf"\b{_NAME}[-/., ]+{_YEAR}(?!\d)",
        rf"(?<!\d){_DAY}{_ENDING}[-/., ]*(?:of )?{_NAME}\b",
        rf"\b{_NAME}[-/., ]+(?:the )?{_DAY}{_ENDING}\b",
        rf"(?<![\d/.:-]){_SHORT[order]}(?![\d/.:-])",
        rf"(?<!\d){_CLOCK}",
        rf"^\s*{_YEAR}\s*$",
        rf"^\s*{_NAME}\s*$",
    ]


COMPACT_CLOCK = (r"^\s*(?P<hour>\d{1,2})(?P<minute>[0-5]\d)\s*$",)
