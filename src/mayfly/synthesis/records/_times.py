"""Recognise how moments are written: one table of layouts gives the patterns, the scanner and the code for each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from importlib.resources import files

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_REGEX = {
    "Y": "[0-9]{4}",
    "m": "[0-9]{2}",
    "d": "[0-9]{2}",
    "D": "[ 0-9]?[0-9]",
    "I": "[0-9]{1,2}",
    "H": "[0-9]{2}",
    "M": "[0-9]{2}",
    "S": "[0-9]{2}",
    "b": "[A-Z][a-z]{2}",
    "a": "[A-Z][a-z]{2}",
    "p": "[AaPp][Mm]",
    "F": "(?:[.,][0-9]{1,9})?",
    "z": "[+-][0-9]{2}:?[0-9]{2}",
    "Z": "(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
}
_STRPTIME = {"D": "%d", "I": "%I", "F": "", "Z": ""}


@cache
def layouts() -> tuple[str, ...]:
    """Return every known layout, the more telling ones first."""
    table = tomllib.loads(files(__package__).joinpath("times.toml").read_text(encoding="utf-8"))
    return tuple(str(layout) for layout in table["layouts"])


def pieces(layout: str) -> list[str]:
    """Split a layout into codes, written with their percent sign, and single characters."""
    return re.findall(r"%[A-Za-z]|.", layout)


def escape(text: str) -> str:
    """Return the pattern of a text, with a backslash only where one is needed."""
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


@cache
def regex(layout: str) -> str:
    """Return the pattern of a layout."""
    return "".join(_REGEX[piece[1]] if piece[0] == "%" else escape(piece) for piece in pieces(layout))


@cache
def compiled(layout: str) -> re.Pattern[str]:
    """Return the compiled pattern of a layout."""
    return re.compile(regex(layout))


def fits(layout: str, text: str) -> bool:
    """Whether *text* is a moment that exists, written in *layout*."""
    return bool(compiled(layout).fullmatch(text)) and moment(layout, text) is not None


def guess(texts: Iterable[str]) -> str:
    """Return the first layout that every text has, or nothing."""
    found = list(dict.fromkeys(texts))
    if not found or not any(character.isdigit() for character in found[0]):
        return ""
    return next((layout for layout in layouts() if all(fits(layout, text) for text in found)), "")


def is_iso(layout: str) -> bool:
    """Whether `datetime.fromisoformat` reads the layout."""
    return layout.startswith(("%Y-%m-%d", "%Y%m%dT")) and "%z" not in layout


def has_year(layout: str) -> bool:
    """Whether the layout says which year it is."""
    return "%Y" in layout


def has_date(layout: str) -> bool:
    """Whether the layout says which day it is."""
    return "%d" in layout or "%D" in layout


def has_zone(layout: str) -> bool:
    """Whether moments of this layout may say how far they are from UTC."""
    return "%z" in layout or "%Z" in layout


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


def places(layout: str) -> dict[str, tuple[int, int]]:
    """Return where the parts of a moment begin and end, for layouts in which they always stand in the same places.

    Nothing is returned for ISO layouts, which Python reads fast by itself.
    """
    widths = {"Y": 4, "m": 2, "d": 2, "b": 3, "H": 2, "M": 2, "S": 2}
    at, found = 0, dict[str, tuple[int, int]]()
    for piece in pieces(layout):
        code = piece[1:]
        if code in ("F", "z", "Z") and "S" in found:
            break
        if code and code not in widths:
            return {}
        end = at + widths.get(code, 1)
        found |= {code: (at, end)} if code else {}
        at = end
    return found if {"Y", "d"} <= found.keys() and not is_iso(layout) else {}


def write(layout: str, when: datetime) -> str:
    """Write a moment in a layout, without a fraction and as UTC."""
    shown = {"Y": f"{when.year:04}", "m": f"{when.month:02}", "d": f"{when.day:02}", "D": f"{when.day:2}", "F": ""}
    shown |= {
        "H": f"{when.hour:02}",
        "M": f"{when.minute:02}",
        "S": f"{when.second:02}",
        "I": f"{when.hour % 12 or 12}",
    }
    shown |= {"b": MONTHS[when.month - 1], "a": DAYS[when.weekday()], "p": "AM" if when.hour < 12 else "PM"}
    shown |= {"z": "+0000", "Z": ""}
    return "".join(shown[piece[1]] if piece[0] == "%" else piece for piece in pieces(layout))


class _Reader:
    """Walk along a text by hand: the twin of the patterns, which the tests of generated programs rely on."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.at, self.parts = text, start, dict[str, str]()

    def digits(self, low: int, high: int) -> str:
        end = self.at
        while end < len(self.text) and end - self.at < high and self.text[end] in "0123456789":
            end += 1
        taken = self.text[self.at : end]
        if len(taken) < low:
            raise ValueError
        self.at = end
        return taken

    def character(self, allowed: str) -> str:
        if self.at >= len(self.text) or self.text[self.at] not in allowed:
            raise ValueError
        self.at += 1
        return self.text[self.at - 1]

    def ahead(self, allowed: str) -> bool:
        return self.at < len(self.text) and self.text[self.at] in allowed

    def zone(self) -> str:
        sign = self.character("+-")
        hours = self.digits(2, 2)
        if self.ahead(":"):
            self.at += 1
        return f"{sign}{hours}{self.digits(2, 2)}"

    def name(self, names: tuple[str, ...]) -> str:
        taken = self.text[self.at : self.at + 3]
        shaped = len(taken) == 3 and taken.isascii() and taken.isalpha() and taken.istitle()
        if not shaped:
            raise ValueError
        self.at += 3
        return f"{names.index(taken) + 1:02}" if taken in names else "00"

    def take(self, code: str) -> str:
        """Read one code of a layout."""
        if code in "mdHMS":
            return self.digits(2, 2)
        if code in "ba":
            return self.name(MONTHS if code == "b" else DAYS)
        return _ODD[code](self)


def _day(reader: _Reader) -> str:
    if reader.ahead(" "):
        reader.at += 1
        return f"0{reader.digits(1, 1)}"
    return reader.digits(1, 2).zfill(2)


def _fraction(reader: _Reader) -> str:
    following = reader.text[reader.at + 1 : reader.at + 2]
    if not reader.ahead(".,") or following not in "0123456789" or not following:
        return ""
    reader.at += 1
    return reader.digits(1, 9)


def _maybe_zone(reader: _Reader) -> str:
    if reader.ahead("Z"):
        reader.at += 1
        return "+0000"
    if not reader.ahead("+-"):
        return ""
    start = reader.at
    try:
        return reader.zone()
    except ValueError:
        reader.at = start
        return ""


_ODD: dict[str, Callable[[_Reader], str]] = {
    "Y": lambda reader: reader.digits(4, 4),
    "D": _day,
    "I": lambda reader: reader.digits(1, 2).zfill(2),
    "F": _fraction,
    "z": _Reader.zone,
    "Z": _maybe_zone,
    "p": lambda reader: (reader.character("AaPp") + reader.character("Mm")).upper(),
}


def scan(layout: str, text: str, start: int = 0) -> tuple[int, dict[str, str]] | None:
    """Read a moment from *start* on by hand; return where it ends and its parts by code, or None."""
    reader = _Reader(text, start)
    try:
        for piece in pieces(layout):
            if piece[0] == "%":
                reader.parts[piece[1]] = reader.take(piece[1])
            else:
                reader.character(piece)
    except ValueError:
        return None
    return reader.at, reader.parts


def wall(parts: dict[str, str], year: str = "2000") -> str:
    """Write scanned parts as a text that sorts as the clock on the wall does."""
    hour = int(parts.get("H", parts.get("I", "0")))
    if "p" in parts:
        hour = hour % 12 + (12 if parts["p"] == "PM" else 0)
    month, day = parts.get("m", parts.get("b", "01")), parts.get("d", parts.get("D", "01"))
    clock = f"{hour:02}:{parts.get('M', '00')}:{parts.get('S', '00')}"
    fraction = (parts.get("F", "") + "000000")[:6]
    return f"{parts.get('Y', year)}-{month}-{day} {clock}.{fraction}"
