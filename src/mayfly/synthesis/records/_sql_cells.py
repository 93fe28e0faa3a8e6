"""Write what the text of a cell stands for as SQL, by what its column holds: numbers, truths, moments."""

from __future__ import annotations

import re
from typing import NamedTuple

from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Field, Numeral
from mayfly.synthesis.records._numbers import CLOCK, CLOCKED, INTEGER, pattern_of
from mayfly.synthesis.records._sql_text import call, literal

# A number with groups of digits, as it stands before a unit.
_COUNT = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
# The codes of layouts in `strptime` of DuckDB, which takes one digit for two; a zone and a fraction are cut off before.
_CODES = {"N": "%m", "D": "%d", "h": "%H", "F": ""}
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "b": 3, "a": 3}


class Typed(NamedTuple):
    """What a cell stands for, NULL where it holds nothing; and whether a cell that holds something can stand for it."""

    value: str
    fits: str


def typed(one: Field, cell: str) -> Typed:
    """Return the value of a cell that is given as text."""
    if one.kind in ("int", "float", "epoch") or not one.numeral.bare:
        return _number(one, cell)
    value = moment_in(one, cell) if one.kind == "time" else f"TRY_CAST({cell} AS BOOLEAN)"
    return Typed(value, f"{value} IS NOT NULL")


def _number(one: Field, cell: str) -> Typed:
    numeral = one.numeral
    whole = one.kind == "int" or (one.kind == "epoch" and numeral.whole)
    kind = "BIGINT" if whole else "DOUBLE"
    if numeral.bare:
        value = f"TRY_CAST({cell} AS {kind})"
        # A cast would round what has a fraction.
        return Typed(value, _matches(cell, INTEGER) if kind == "BIGINT" else f"{value} IS NOT NULL")
    if numeral.scales == CLOCKED:
        return Typed(_clocked(cell), _matches(cell, CLOCK))
    if numeral.scales:
        return _scaled(numeral, cell)
    return Typed(f"{_sign(numeral, cell)}TRY_CAST({_digits(numeral, cell)} AS {kind})", _form(numeral, cell))


def _matches(cell: str, pattern: str) -> str:
    return call("regexp_full_match", [cell, literal(pattern)])


def _form(numeral: Numeral, cell: str) -> str:
    return _matches(cell, pattern_of(numeral, "(?:{})"))


def _sign(numeral: Numeral, cell: str) -> str:
    """Return the factor of a number that accountants write; any other one has its sign before it."""
    if not numeral.accounting:
        return ""
    return f"CASE WHEN regexp_matches({cell}, '^[^0-9]*[-−(]|-$') THEN -1 ELSE 1 END * "


def _digits(numeral: Numeral, cell: str) -> str:
    """Return the digits of a dressed number, with a point before its fraction."""
    bare = numeral.accounting or numeral.remark
    if bare:
        marks = "".join(dict.fromkeys(numeral.thousands + numeral.decimal))
        cell = f"regexp_extract({cell}, {literal(f'[.0-9][0-9{marks}]*')})"
    around = "" if bare else f"{numeral.prefix}{numeral.suffix}{' ' if numeral.prefix or numeral.suffix else ''}"
    removed = "".join(dict.fromkeys(around + numeral.thousands))
    if numeral.decimal == ",":
        return f"translate({cell}, {literal(f',{removed}')}, '.')"
    return f"translate({cell}, {literal(removed)}, '')" if removed else cell


def _scaled(numeral: Numeral, cell: str) -> Typed:
    """Return a number with units behind it in the smallest of them: 12K, 5h3m; the larger ones come first."""
    scales = sorted(numeral.scales, key=lambda scale: (-scale[1], not scale[0]))
    parts = [f"(?:{_COUNT} ?{re.escape(unit)} ?)?" if unit else f"(?:{_COUNT})?" for unit, _ in scales]
    form = _matches(cell, f"-?{''.join(parts)}")
    terms = []
    for unit, factor in scales:
        end = f"{re.escape(unit)}(?:[^A-Za-zµ]|$)" if unit else "$"
        found = f"regexp_extract({cell}, {literal(f'([0-9.,]+) ?{end}')}, 1)"
        number = f"coalesce(TRY_CAST(replace({found}, ',', '') AS DOUBLE), 0)"
        terms.append(number if factor == 1 else f"{int(factor) if factor == int(factor) else factor} * {number}")
    number = f"if({cell} LIKE '-%', -1, 1) * ({' + '.join(terms)})"
    return Typed(f"CASE WHEN regexp_matches({cell}, '[0-9]') AND {form} THEN {number} END", form)


def _clocked(cell: str) -> str:
    """Return days, hours, minutes and seconds as seconds."""
    parts = f"TRY_CAST(string_split(regexp_extract({cell}, '[^-]*$'), ':') AS DOUBLE[])"
    days = f"coalesce(TRY_CAST(regexp_extract({cell}, '^([0-9]+)-', 1) AS DOUBLE), 0)"
    return f"list_reduce({parts}, lambda total, part: total * 60 + part) + 86400 * {days}"


def moment_in(one: Field, cell: str) -> str:
    """Return the moment that a text tells, as the clock on the wall showed it; NULL where it tells none."""
    layout = one.layout
    if _times.is_iso(layout) and layout.startswith("%Y-"):
        return f"TRY_CAST({_pointed(layout, cell)} AS TIMESTAMP)"
    text, known = cell, re.sub(" ?%[zZ]$", "", layout)
    if "%F" in layout:
        text = f"regexp_replace({text}, '(:[0-9]{{2}})[.,][0-9]+', '\\1')"
    if known != layout:
        width = _width(known)
        zone = "' ?(Z|[+-][0-9]{2}:?[0-9]{2})$'"
        text = f"left({text}, {width})" if width else f"regexp_replace({text}, {zone}, '')"
    plain = "".join(_CODES.get(piece[1], piece) if piece[0] == "%" else piece for piece in _times.pieces(known))
    if not _times.has_year(layout) and _times.has_date(layout):
        text, plain = f"'2000 ' || {text}", f"%Y {plain}"
    return f"try_strptime({text}, {literal(plain)})"


def _width(layout: str) -> int:
    """Return how many characters a moment has; none where that differs."""
    widths = [_WIDTHS.get(piece[1], 0) if piece[0] == "%" else 1 for piece in _times.pieces(layout)]
    return sum(widths) if all(widths) else 0


def _pointed(layout: str, cell: str) -> str:
    return f"replace({cell}, ',', '.')" if "%F" in layout else cell
