"""Find out how the numbers of a column are written: one convention throughout, or none that can be trusted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

# So many of a column's cells have to follow a convention; the others are lines that were not understood.
ENOUGH = 0.99
_CELL = re.compile(
    r"(?P<pre>[$€£¥]|[A-Z]{3} )? ?(?P<digits>-?[0-9](?:[0-9.,' ]*[0-9])?)(?P<suf> ?(?:%|[$€£¥]|[A-Za-zµ]{1,5}))?"
)
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?|-?0\.[0-9]+")
_COMMAS = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_POINTS = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|-?(?:0|[1-9][0-9]{0,17}),[0-9]{1,18}")
SIZES = {"": 1, "B": 1, "K": 1024, "KB": 1024, "KIB": 1024, "M": 1024**2, "MB": 1024**2, "MIB": 1024**2, "G": 1024**3}
SIZES |= {
    "GB": 1024**3,
    "GIB": 1024**3,
    "T": 1024**4,
    "TB": 1024**4,
    "TIB": 1024**4,
    "KI": 1024,
    "MI": 1024**2,
    "GI": 1024**3,
}
DURATIONS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}


class Convention(NamedTuple):
    """How numbers are written: what stands around them, between their groups and before their fraction."""

    prefix: str = ""
    suffix: str = ""
    thousands: str = ""
    decimal: str = "."
    scales: tuple[tuple[str, float], ...] = ()
    whole: bool = False
    fits: float = 1.0


def convention_of(cells: Sequence[str]) -> Convention | str | None:
    """Return the convention of a column of numbers; a text says why there is none though all are numbers.

    None is a column of anything else.
    """
    found = [(cell, match) for cell in cells if (match := _CELL.fullmatch(cell))]
    if len(found) < len(cells) * ENOUGH or not found:
        return None
    dressed = Counter((match["pre"] or "", match["suf"] or "") for _, match in found)
    (prefix, suffix), count = dressed.most_common(1)[0]
    scales = _scales_of({suf for _, suf in dressed}) if len(dressed) > 1 and not prefix else ()
    if count < len(cells) * ENOUGH and not scales:
        shown = " and ".join(
            repr(next(c for c, m in found if (m["pre"] or "", m["suf"] or "") == dress))
            for dress, _ in dressed.most_common(2)
        )
        # A word behind some numbers only is no unit: then these are texts with numbers in them.
        alike = all(pre or not suf or suf.strip() in "%$€£¥" for pre, suf in dressed)
        return f"its numbers are written in more than one way, such as {shown}" if alike else None
    digits = [
        match["digits"] for _, match in found if scales or (match["pre"] or "", match["suf"] or "") == (prefix, suffix)
    ]
    marks = _marks_of(digits, len(cells))
    if not isinstance(marks, Convention):
        return marks
    return marks._replace(prefix=prefix, suffix="" if scales else suffix, scales=scales)


def _scales_of(suffixes: set[str]) -> tuple[tuple[str, float], ...]:
    """Return the units where all of them are sizes, or all are durations."""
    bare = {suffix.strip() for suffix in suffixes}
    if {one.upper() for one in bare} <= SIZES.keys() and len(bare - {""}) > 0:
        return tuple(sorted((one, float(SIZES[one.upper()])) for one in bare))
    if bare <= DURATIONS.keys():
        return tuple(sorted((one, DURATIONS[one]) for one in bare))
    return ()


def _marks_of(digits: Sequence[str], total: int) -> Convention | str | None:
    plain = [bool(_PLAIN.fullmatch(one)) for one in digits]
    commas = [bool(_COMMAS.fullmatch(one)) for one in digits]
    points = [bool(_POINTS.fullmatch(one)) for one in digits]
    if sum(plain) >= total * ENOUGH:
        whole = not any("." in one for one, fits in zip(digits, plain, strict=True) if fits)
        return Convention(whole=whole, fits=sum(plain) / total)
    english = sum(a or b for a, b in zip(plain, commas, strict=True))
    # A point in a number with commas for fractions parts thousands, so "1.5" is none of those.
    whole_or_points = sum(b or (a and "." not in one) for one, a, b in zip(digits, plain, points, strict=True))
    if english >= total * ENOUGH and any(commas):
        if whole_or_points >= total * ENOUGH and not any("." in one for one in digits):
            single = [one for one in digits if one.count(",") == 1 and len(one.rpartition(",")[2]) == 3]
            if len(single) == sum("," in one for one in digits) and not any("," not in one for one in digits):
                return f"nobody can tell whether {single[0]!r} is a thousand or a fraction"
        return Convention(thousands=",", whole=not any("." in one for one in digits), fits=english / total)
    if whole_or_points >= total * ENOUGH:
        return Convention(thousands=".", decimal=",", fits=whole_or_points / total)
    if sum(a or b or c for a, b, c in zip(plain, commas, points, strict=True)) >= total * ENOUGH:
        return "its numbers use both points and commas for fractions"
    return None
