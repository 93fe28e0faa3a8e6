"""Cut an intent into words, numbers with their units, moments, quoted texts and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from mayfly.synthesis.records import _lexicon

TokenKind = Literal["word", "number", "quoted", "time", "clock", "class", "sign", "address", "path"]
_MONTH = (
    "(?i:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
_WRITTEN_UNITS = (
    "ms|milliseconds?|millis|µs|us|microseconds?|s|secs?|seconds?|mins?|minutes?|hours?|h|[kKmMgG]i?[bB]|bytes?|B|%|k|M"
)


def _clock_pattern(prefix: str) -> str:
    return rf"(?P<{prefix}h>[0-9]{{1,2}}):(?P<{prefix}m>[0-9]{{2}})(?::(?P<{prefix}s>[0-9]{{2}}))?"


_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<quoted>\"[^\"]+\"|“[^”]+”|‘[^’]+’|`[^`]+`|(?<![\w])'[^']+'(?!\w))",
            r"(?P<path>(?<!\w)[a-z][a-z0-9+.-]*://[^\s\"']+|(?<!\w)/[\w./%?&=*-]*)",
            r"(?P<iso>(?P<y>[0-9]{4})[-/](?P<mo>[0-9]{2})"
            rf"(?:[-/](?P<d>[0-9]{{2}})(?:[T ]{_clock_pattern('')})?)?"
            r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)(?![\w/])",
            rf"(?P<clf>(?P<xd>[0-9]{{1,2}})[/ -](?P<xm>{_MONTH})[,/ -]+(?P<xy>[0-9]{{4}})(?::{_clock_pattern('c')})?)",
            rf"(?P<long>(?<!\w)(?P<lm>{_MONTH})\.?(?: (?P<ld>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9]),?)?"
            r"(?: (?P<ly>[0-9]{4}))?(?!\w))",
            r"(?P<address>(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\w)"
            r"|(?<![\w:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4}(?![\w:]))",
            rf"(?P<clock>{_clock_pattern('k')})(?!\w)",
            r"(?P<class>(?<!\w)[1-5][xX]{2}(?!\w))",
            r"(?P<number>(?<![\w.])[-$€£]?[0-9][0-9,_]*(?:\.[0-9]+)?(?:e[0-9]+)?)"
            rf"(?P<unit> ?(?:{_WRITTEN_UNITS})(?![\w]))?",
            r"(?P<sign>>=|<=|!=|<>|==|=>|=<|=|>|<|:)",
            r"(?P<word>@?[A-Za-z_][\w.@-]*[A-Za-z0-9_]|[A-Za-z])(?:'s\b|n't\b)?",
            r"(?P<comma>[,;])",
        )
    )
)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_UNITS = {
    "ms": "ms",
    "millisecond": "ms",
    "milli": "ms",
    "µs": "us",
    "us": "us",
    "microsecond": "us",
    "s": "s",
    "sec": "s",
}
_UNITS |= {"second": "s", "min": "min", "minute": "min", "hour": "h", "h": "h", "kb": "KB", "kib": "KB", "mb": "MB"}
_UNITS |= {"mib": "MB", "gb": "GB", "gib": "GB", "byte": "B", "b": "B", "%": "%", "k": "k", "m": "M"}


@dataclass(frozen=True, kw_only=True)
class Token:
    """Hold one piece of an intent; *plain* is its word in the singular, *value* what it stands for."""

    kind: TokenKind
    text: str
    plain: str = ""
    value: object = None
    unit: str = ""


def tokens(intent: str) -> list[Token]:
    """Return the pieces of an intent; a comma becomes the word it stands for in a list."""
    return list(_tokens(re.sub(r"(?i)\bnon-", "non ", intent)))


def _tokens(intent: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(intent):
        kind = str(found.lastgroup)
        text = found[0]
        if found["quoted"]:
            yield Token(kind="quoted", text=text[1:-1], value=text[1:-1])
        elif found["iso"] or found["clf"] or found["long"]:
            yield from _moment(found)
        elif found["clock"]:
            yield Token(kind="clock", text=text, value=_clock(found))
        elif found["address"] or found["path"]:
            yield Token(kind="address" if found["address"] else "path", text=text, value=text)
        elif found["number"]:
            yield _number(found)
        elif found["class"]:
            yield Token(kind="class", text=text, value=int(text[0]))
        elif found["sign"]:
            yield Token(kind="sign", text=text, plain=text)
        elif found["comma"]:
            yield Token(kind="sign", text=",", plain=",")
        elif kind:
            word = found["word"] or text
            if word.lower() in _NUMBERS:
                yield Token(kind="number", text=word, value=_NUMBERS.index(word.lower()) + 2)
                continue
            yield Token(
                kind="word", text=word, plain=_lexicon.singular(word.replace("-", " ") if word.count("-") else word)
            )


def _clock(found: re.Match[str]) -> tuple[str, str]:
    start = f"{int(found['kh']):02}:{found['km']}:{found['ks'] or '00'}"
    seconds = int(start[:2]) * 3600 + int(start[3:5]) * 60 + int(start[6:]) + 1
    return start, f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _number(found: re.Match[str]) -> Token:
    digits = found["number"].lstrip("$€£").replace(",", "").replace("_", "")
    value = float(digits) if "." in digits or "e" in digits else int(digits or 0)
    written = (found["unit"] or "").strip()
    unit = _UNITS.get(_lexicon.singular(written), "") if written else ""
    return Token(kind="number", text=found[0].strip(), value=value, unit=unit)


def _month(name: str) -> int:
    return ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].index(
        name.lower()[:3]
    ) + 1


def _moment(found: re.Match[str]) -> Iterator[Token]:
    """Yield a moment as the time from its start to its end: a second, a day, a month."""
    if found["long"] and not found["ld"] and not found["ly"]:
        yield Token(kind="word", text=found[0], plain=found[0].lower())
        return
    try:
        span = _span(found)
    except ValueError:
        yield Token(kind="word", text=found[0], plain=found[0].lower())
        return
    yield Token(
        kind="time",
        text=found[0],
        value=span,
        unit="noyear" if found["long"] and not found["ly"] else found["zone"] or "",
    )


def _span(found: re.Match[str]) -> tuple[datetime, datetime]:
    if found["iso"]:
        year, month, day = int(found["y"]), int(found["mo"]), found["d"]
        clock = (found["h"], found["m"], found["s"])
    elif found["clf"]:
        year, month, day = int(found["xy"]), _month(found["xm"]), found["xd"]
        clock = (found["ch"], found["cm"], found["cs"])
    else:
        year, month, day = int(found["ly"] or 2000), _month(found["lm"]), found["ld"]
        clock = (None, None, None)
    if day is None:
        start = datetime(year, month, 1)
        return start, datetime(year + month // 12, month % 12 + 1, 1)
    start = datetime(year, month, int(day))
    if clock[0] is None:
        return start, start + timedelta(days=1)
    start = start.replace(hour=int(clock[0]), minute=int(clock[1] or 0), second=int(clock[2] or 0))
    return start, start + timedelta(seconds=1)


def year(token: Token) -> Token | None:
    """Return the year a bare number can stand for, as a time."""
    if token.kind != "number" or token.unit or not isinstance(token.value, int) or not 1970 <= token.value <= 2100:
        return None
    span = datetime(token.value, 1, 1), datetime(token.value + 1, 1, 1)
    return Token(kind="time", text=token.text, value=span)
