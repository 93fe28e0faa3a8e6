"""Recognise how moments are written: one table of layouts gives the patterns, and how each is read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from mayfly.synthesis.records._text import escape

_REGEX = {
    "Y": "[0-9]{4}",
    "m": "[0-9]{2}",
    "N": "[0-9]{1,2}",
    "d": "[0-9]{2}",
    "D": " ?[0-9]{1,2}",
    "h": "[0-9]{1,2}",
    "I": "[0-9]{1,2}",
    "H": "[0-9]{2}",
    "M": "[0-9]{2}",
    "S": "[0-9]{2}",
    "b": "[A-Z][a-z]{2}",
    "B": "[A-Z][a-z]{2,8}",
    "a": "[A-Z][a-z]{2}",
    "p": "[AaPp][Mm]",
    "F": "(?:[.,][0-9]{1,9})?",
    "z": "[+-][0-9]{2}:?[0-9]{2}",
    "Z": "(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
}
_STRPTIME = {"N": "%m", "D": "%d", "h": "%H", "I": "%I", "F": "", "Z": ""}
# So many of the texts of a column have to be moments; what the others hold is told, not guessed.
ENOUGH = 0.95
# So many different texts tell how a column writes its moments.
LOOKED_AT = 400


class Layout(NamedTuple):
    """How moments are written; a trouble says why that cannot be told, though they are moments."""

    layout: str = ""
    trouble: str = ""


@cache
def layouts() -> tuple[str, ...]:
    """Return every known layout, the more telling ones first."""
    table = tomllib.loads(files(__package__).joinpath("times.toml").read_text(encoding="utf-8"))
    return tuple(str(layout) for layout in table["layouts"])


def pieces(layout: str) -> list[str]:
    """Split a layout into codes, written with their percent sign, and single characters."""
    return re.findall(r"%[A-Za-z]|.", layout)


@cache
def regex(layout: str) -> str:
    """Return the pattern of a layout."""
    return "".join(_REGEX[piece[1]] if piece[0] == "%" else escape(piece) for piece in pieces(layout))


@cache
def compiled(layout: str) -> re.Pattern[str]:
    """Return the compiled pattern of a layout."""
    return re.compile(regex(layout))


def fits(layout: str, text: str, *, more: bool = False) -> bool:
    """Whether *text* is a moment that exists, written in *layout*; *more* may follow, such as a time behind a date."""
    pattern = compiled(layout)
    return bool(pattern.match(text) if more else pattern.fullmatch(text)) and moment(layout, text) is not None


def guess(texts: Iterable[str]) -> Layout:
    """Return the layout that nearly all texts have, or nothing; two that fit all of them are a trouble."""
    distinct = list(dict.fromkeys(texts))
    found = distinct[:: max(1, len(distinct) // LOOKED_AT)]
    if not any(re.search("[0-9]", text[:40]) for text in found):
        return Layout()
    needed = len(found) * ENOUGH
    scores = {
        layout: count for layout in _possible(found) if (count := sum(fits(layout, text) for text in found)) >= needed
    }
    if not scores:
        return Layout()
    best = max(scores, key=lambda layout: scores[layout])
    other = next((one for one in scores if one == swapped(best) and scores[one] == scores[best] and one != best), "")
    shown = next((text for text in found if other and moment(best, text) != moment(other, text)), "")
    if shown:
        return Layout(best, f"nobody can tell which part of {shown!r} is the day and which the month")
    return Layout(best)


def _possible(texts: list[str]) -> list[str]:
    """Return the layouts that one of a few texts has, in their order."""
    probe = texts[:: max(1, len(texts) // 8)]
    return [layout for layout in layouts() if any(compiled(layout).fullmatch(text) for text in probe)]


def swapped(layout: str) -> str:
    """Return the layout with day and month the other way round."""
    if "%D/%N" in layout:
        return layout.replace("%D/%N", "%N/%D")
    return layout.replace("%N/%D", "%D/%N")


def is_iso(layout: str) -> bool:
    """Whether `datetime.fromisoformat` reads the layout."""
    return layout.startswith(("%Y-%m-%d", "%Y%m%dT")) and "%z" not in layout


def has_year(layout: str) -> bool:
    """Whether the layout says which year it is."""
    return "%Y" in layout


def has_date(layout: str) -> bool:
    """Whether the layout says which day it is."""
    return "%d" in layout or "%D" in layout


def strptime_format(layout: str) -> str:
    """Return the format for `datetime.strptime`; the fraction has to be cut off first."""
    return "".join(_STRPTIME.get(piece[1], piece) if piece[0] == "%" else piece for piece in pieces(layout))


def moment(layout: str, text: str) -> datetime | None:
    """Read *text*; None if it names no moment."""
    try:
        if is_iso(layout):
            return datetime.fromisoformat(text)
        plain = re.sub(r"(?<=:[0-9]{2})[.,][0-9]+", "", text) if "%F" in layout else text
        if not has_year(layout) and has_date(layout):
            return datetime.strptime(f"2000 {plain}", f"%Y {strptime_format(layout)}")
        return datetime.strptime(plain, strptime_format(layout))
    except ValueError:
        return None
