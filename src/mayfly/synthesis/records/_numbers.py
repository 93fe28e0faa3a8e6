"""Find out how the numbers of a column are written, and read them: one convention throughout, or none to be trusted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from mayfly.synthesis.records._model import Numeral
from mayfly.synthesis.records._text import escape

INTEGER = r"-?[0-9]{1,18}"
NUMBER = r"[-+]?(?:[0-9]{1,18}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?"
# So many of a column's cells have to be numbers; lines with others are not understood where the column is asked for.
ENOUGH = 0.95
# So few cells may be written in another way than the rest; more of them are a question.
MIXED = 0.01
# With fewer numbers than this a word between them is a value of its own, and no reason why there is none.
SOME = 0.6
# With fewer numbers than this the column is text, and nothing is said about it where numbers are asked for.
TOLD = 0.3
# Words for nothing, in a column of numbers or moments.
NOTHING = frozenset(
    [
        "na",
        "n.a.",
        "n/a",
        "nan",
        "nil",
        "none",
        "null",
        "void",
        "missing",
        "unknown",
        "undefined",
        "tbd",
        "tba",
        "tbc",
        "?",
        "??",
        "???",
        "--",
        "---",
        "–",
        "—",
        ".",
        "..",
        "x",
        "#n/a",
        "#na",
        "#null!",
        "\\n",
        "(null)",
        "<null>",
        "(none)",
        "(blank)",
        "blank",
        "empty",
        "inf",
        "not_available",
        "pending",
    ]
) | {"not available", "no data", "not applicable"}
CURRENCIES = (
    r"[$€£¥₹₽]|(?:US|CA|AU|NZ|HK|A|C|R)\$|USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|INR|CNY|BRL|MXN|ZAR"
)
_UNIT = r"[A-Za-zµμ°Ω][A-Za-zµμ°Ω/²³]{0,7}"
_CELL = re.compile(
    rf"(?P<open>\()?(?:[-+−] ?)?(?:(?P<pre>{CURRENCIES}) ?)?[-+−]?"
    r"(?P<digits>[0-9](?:[0-9.,'’ \u00a0\u202f]*[0-9])?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2}(?![0-9A-Za-z]))?"
    rf"(?P<suf> ?(?:%|{CURRENCIES}|{_UNIT}))?-?(?P<close>\))?(?P<remark> ?\([^()]*\))?"
)
_PLAIN = re.compile(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?|\.[0-9]{1,30}")
_COMMAS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_POINTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|(?:0|[1-9][0-9]{0,17}),[0-9]{1,30}")
_SPACES = re.compile(r"[0-9]{1,3}(?:([ '’\u00a0\u202f])[0-9]{3})+(?:[.,][0-9]+)?")
_BARE = re.compile(NUMBER)
_WORD = re.compile(r"[A-Za-z][A-Za-z -]{1,19}")
_WHOLE = re.compile(INTEGER)
_PADDED = re.compile(r"-?0[0-9]")
_SPAN = re.compile(r"([0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?) ?([A-Za-zµ]+|\Z) ?")
# Days stand before a dash: "2-12:19:06".
CLOCK = r"(?:[0-9]{1,5}-[0-9]{1,2}(?::[0-5][0-9]){2}|[0-9]{1,6}(?::[0-5][0-9]){1,2})(?:\.[0-9]+)?"
_CLOCK = re.compile(CLOCK)
# A time of day has two digits for its hour, or goes beyond nine; how long something took has one: "0:43:35".
_LAPSE = re.compile(r"[0-9](?::[0-5][0-9]){2}(?:\.[0-9]+)?")
SIZES = {"": 1, "B": 1, "BYTES": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4, "P": 1024**5}
SIZES |= {f"{letter}{end}": SIZES[letter] for letter in "KMGTP" for end in ("B", "I", "IB")}
DURATIONS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "m": 60.0, "min": 60.0}
DURATIONS |= {"mins": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0}
DURATIONS |= {"second": 1.0, "seconds": 1.0, "minute": 60.0, "minutes": 60.0, "hour": 3600.0, "hours": 3600.0}
DURATIONS |= {"day": 86400.0, "days": 86400.0, "milliseconds": 1e-3, "week": 604800.0, "weeks": 604800.0}
# One of them alone is a unit like any other; the others are read as seconds.
_OWN = frozenset({"ms", "s", "us", "µs", "ns", "sec", "secs", "seconds", "b", "bytes", "kb", "mb", "gb", "tb"})
# Minutes and seconds, as a clock that runs on shows them.
CLOCKED = ((":", 60.0),)


class Convention(NamedTuple):
    """How a column writes its numbers, and which of its words stand for nothing; or why nobody can tell."""

    numeral: Numeral = Numeral()
    absent: tuple[str, ...] = ()
    trouble: str = ""


def convention_of(cells: Iterable[str], *, span: bool = False, english: bool = False) -> Convention | None:
    """Return the convention of a column of numbers; None for a column of anything else.

    *span* says that these are durations by their name, so that an m is a minute; *english* that a comma parts
    thousands where nothing in the column tells.
    """
    counts = Counter(cells)
    total = sum(counts.values())
    if not total:
        return None
    if all(_BARE.fullmatch(cell) and not _PADDED.match(cell) for cell in counts):
        return Convention(Numeral(whole=all(_WHOLE.fullmatch(cell) for cell in counts)))
    absent = tuple(cell for cell in counts if cell.lower() in NOTHING)
    total -= sum(counts.pop(cell) for cell in absent)
    matches = ((cell, _CELL.fullmatch(cell)) for cell in counts)
    found = {cell: match for cell, match in matches if match and bool(match["open"]) == bool(match["close"])}
    number = sum(counts[cell] for cell in found)
    if any(_PADDED.match(match["digits"]) for match in found.values()) or not total:
        return None
    others = [cell for cell in counts if cell not in found]
    if number > total * SOME and is_reason(others, counts):
        absent, total = (*absent, others[0]), total - counts.pop(others[0])
    if number < total * ENOUGH:
        return _unusual(counts, total, number, absent, found)
    convention = _dressed(found, counts, number, span, english)
    return convention and convention._replace(absent=absent)


def is_reason(others: Sequence[str], counts: Counter[str]) -> bool:
    """Say whether one word again and again among other values says why there is none: "absent", "DNF", "never"."""
    return len(others) == 1 and counts[others[0]] > 1 and bool(_WORD.fullmatch(others[0]))


def _unusual(
    counts: Counter[str], total: int, number: int, absent: tuple[str, ...], found: dict[str, re.Match[str]]
) -> Convention | None:
    """Return the convention of durations in several units or on a clock; else tell of numbers among other things."""
    if all(_is_span(cell) for cell in counts):
        units = {unit for cell in counts for _, unit in _SPAN.findall(cell)}
        return Convention(Numeral(scales=_scales_of(units)), absent)
    if all(_CLOCK.fullmatch(cell) for cell in counts) and _runs_on(counts):
        return Convention(Numeral(scales=CLOCKED), absent)
    if number < max(total * TOLD, 4) or any(match["suf"] for match in found.values()):
        return None
    other = next(cell for cell in counts if cell not in found)
    return Convention(trouble=f"{total - number} of its {total} cells are no numbers, such as {other[:40]!r}")


def _runs_on(cells: Collection[str]) -> bool:
    """Say whether clocks tell how long something took: beyond a day, in days, or now with hours and now without."""
    if any("-" in cell or int(cell.partition(":")[0]) > 23 for cell in cells):
        return True
    # A time of day has no fraction of a minute.
    parts = {cell.count(":") for cell in cells}
    return (
        len(parts) > 1
        or (parts == {1} and any("." in cell for cell in cells))
        or all(_LAPSE.fullmatch(cell) for cell in cells)
    )


def _is_span(cell: str) -> bool:
    return not _SPAN.sub("", cell).strip("-") and all(unit in DURATIONS for _, unit in _SPAN.findall(cell))


def _shown_with(found: dict[str, re.Match[str]], signed: bool) -> str:
    """Return a cell that has a sign of a currency, or one that has none."""
    return next(
        cell
        for cell, match in found.items()
        if signed == bool(match["pre"] or re.fullmatch(CURRENCIES, (match["suf"] or "").strip()))
    )


def _dressed(
    found: dict[str, re.Match[str]], counts: Counter[str], total: int, span: bool, english: bool
) -> Convention | None:
    """Return the convention of numbers by what stands before and behind their digits."""
    prefixes, suffixes = _count_signs(found, counts)
    currencies = {one for one in (*prefixes, *suffixes) if one and re.fullmatch(CURRENCIES, one)}
    signed = sum(prefixes[one] + suffixes[one] for one in currencies)
    if trouble := _trouble_of_currencies(found, currencies, signed, total):
        return Convention(trouble=trouble)
    units = set(suffixes) - currencies
    scales = _scales_of(units) if _needs_scales(units, span) else ()
    named = units - {""}
    if not scales and (len(named) > 1 or (named and suffixes[""] > total * (1 - ENOUGH))):
        # A word behind some numbers only is no unit: then these are texts with numbers in them.
        shown = [_shown(found, suffix) for suffix, _ in suffixes.most_common(2)]
        return Convention(trouble=_several_ways(shown)) if named == {"%"} else None
    marks = _marks_of(Counter({cell: counts[cell] for cell in found}), found, english)
    if marks is None or marks.trouble:
        return marks
    currency = next(iter(currencies), "")
    suffix = next(iter(named), currency if suffixes[currency] and currency else "")
    return Convention(
        _with_signs(marks.numeral, found)._replace(prefix=currency, suffix="" if scales else suffix, scales=scales)
    )


def _count_signs(found: dict[str, re.Match[str]], counts: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    """Return how often each sign or unit stands before digits, and how often behind them."""
    prefixes: Counter[str] = Counter()
    suffixes: Counter[str] = Counter()
    for cell, match in found.items():
        prefixes[match["pre"] or ""] += counts[cell]
        suffixes[(match["suf"] or "").strip()] += counts[cell]
    return prefixes, suffixes


def _trouble_of_currencies(found: dict[str, re.Match[str]], currencies: set[str], signed: int, total: int) -> str:
    """Say what is wrong with the signs of currencies: there are several, or only some numbers have one."""
    if len(currencies) > 1:
        return f"its amounts are in more than one currency: {', '.join(sorted(currencies))}"
    if currencies and total - signed > total * MIXED and signed > total * MIXED:
        return _several_ways([_shown_with(found, with_sign) for with_sign in (True, False)])
    return ""


def _several_ways(cells: Sequence[str]) -> str:
    return f"its numbers are written in more than one way, such as {' and '.join(map(repr, cells))}"


def _with_signs(numeral: Numeral, found: dict[str, re.Match[str]]) -> Numeral:
    """Return a numeral with what else its cells have: remarks, the brackets of accountants, powers of ten."""
    powers = any(re.search("[0-9][eE]", cell) for cell in found)
    return numeral._replace(
        remark=any(match["remark"] for match in found.values()),
        accounting=any(cell[0] in "(−+" or cell.endswith("-") for cell in found),
        whole=numeral.whole and not powers,
    )


def _shown(found: dict[str, re.Match[str]], suffix: str) -> str:
    return next(cell for cell, match in found.items() if (match["suf"] or "").strip() == suffix)


def _needs_scales(units: set[str], span: bool) -> bool:
    named = units - {""}
    if named == {"m"}:
        return span
    if named in ({"g"}, {"t"}):
        return False  # Grams and tonnes; what is counted in gigabytes has other units beside it, or a G.
    return len(named) > 1 or any(unit.lower() not in _OWN for unit in named)


def _scales_of(units: set[str]) -> tuple[tuple[str, float], ...]:
    """Return the units where all of them are sizes, or all are durations."""
    if not units - {""}:
        return ()
    if units - {""} <= DURATIONS.keys():
        return tuple(sorted((one, DURATIONS.get(one, 1.0)) for one in units))
    # Miles are no mebibytes, whose letter is a capital one.
    if {one.upper() for one in units} <= SIZES.keys() and "mi" not in units:
        return tuple(sorted((one, float(SIZES[one.upper()])) for one in units))
    return ()


def _marks_of(cells: Counter[str], found: dict[str, re.Match[str]], in_english: bool) -> Convention | None:
    """Tell which signs stand between groups of digits and before fractions."""
    digits: Counter[str] = Counter()
    for cell, count in cells.items():
        digits[found[cell]["digits"]] += count
    needed = sum(digits.values()) * ENOUGH

    def fitting(*patterns: re.Pattern[str]) -> int:
        return sum(count for one, count in digits.items() if any(pattern.fullmatch(one) for pattern in patterns))

    if fitting(_PLAIN) >= needed:
        fraction = any("." in one for one in digits if _PLAIN.fullmatch(one))
        return Convention(Numeral(thousands="," if fitting(_COMMAS) else "", whole=not fraction))
    # A point in a number with commas for fractions parts thousands, so "1.5" is none of those.
    european = fitting(_POINTS) + sum(c for one, c in digits.items() if _PLAIN.fullmatch(one) and "." not in one)
    if fitting(_PLAIN, _COMMAS) >= needed and fitting(_COMMAS):
        told = in_english or any(match["pre"] for match in found.values())
        return _english(digits, told=told or european < needed)
    if european >= needed:
        whole = not any("," in one for one in digits)
        return Convention(Numeral(thousands=".", decimal=",", whole=whole))
    if fitting(_PLAIN, _COMMAS, _POINTS) >= needed:
        return Convention(trouble="its numbers use both points and commas for fractions")
    return _spaced(digits) if fitting(_PLAIN, _POINTS, _SPACES) >= needed else None


def _english(digits: Counter[str], *, told: bool) -> Convention:
    """Read commas as parting thousands; where nothing has *told* so and every number has one, nobody can know."""
    marked = [one for one in digits if "," in one]
    unclear = all(one.count(",") == 1 and "." not in one for one in marked) and len(marked) == len(digits)
    if unclear and not told:
        return Convention(trouble=f"nobody can tell whether {marked[0]!r} is a thousand or a fraction")
    return Convention(Numeral(thousands=",", whole=not any("." in one for one in digits)))


def _spaced(digits: Counter[str]) -> Convention | None:
    gaps = {match[1] for one in digits if (match := _SPACES.fullmatch(one))}
    if len(gaps) != 1:
        return None
    comma = any("," in one for one in digits)
    if comma and any("." in one for one in digits):
        return None
    whole = not any("," in one or "." in one for one in digits)
    return Convention(Numeral(thousands=gaps.pop(), decimal="," if comma else ".", whole=whole))


def pattern_of(numeral: Numeral, group: str = "(?P<digits>{})") -> str:
    """Return the pattern of a whole cell; *group* is what goes around the digits."""
    number = _number_pattern(numeral, group)
    around = rf"\(?{number}-?\)?" if numeral.accounting else number
    return around + (r"(?: ?\([^()]*\))?" if numeral.remark else "")


def _number_pattern(numeral: Numeral, group: str) -> str:
    """Return the pattern of a number with the signs and units that belong to it; *group* goes around its digits."""
    mark = re.escape(numeral.decimal)
    fraction = "" if numeral.whole else f"(?:{mark}[0-9]{{1,30}})?"
    digits = f"[0-9]{{1,18}}{fraction}"
    if numeral.thousands:
        digits = f"[0-9]{{1,3}}(?:{escape(numeral.thousands)}[0-9]{{3}}){{1,6}}{fraction}|{digits}"
    if not numeral.whole and numeral.decimal == ".":
        digits = f"{digits}|\\.[0-9]{{1,30}}"
    before = f"(?:{escape(numeral.prefix)} ?)?" if numeral.prefix else ""
    behind = f"(?: ?{escape(numeral.suffix)})?" if numeral.suffix else ""
    sign = "[-+−]" if numeral.accounting else "-"
    lead = f"(?:{sign} ?)?{before}{sign}?" if before or numeral.accounting else f"{sign}?"
    return lead + group.format(digits) + behind


class Reader:
    """Read the numbers of one column."""

    def __init__(self, numeral: Numeral, *, whole: bool) -> None:
        self.numeral, self.whole, self.bare = numeral, whole, numeral.bare
        plain = INTEGER if whole else NUMBER
        self.shape = re.compile(plain if self.bare else pattern_of(numeral))
        self.scales = dict(numeral.scales)

    def __call__(self, text: str) -> int | float:
        """Return the number a cell stands for; ValueError where it is none."""
        # The sum takes the sign from a zero, which would make two groups of one.
        return self._read(text) + 0

    def _read(self, text: str) -> int | float:
        if self.scales:
            return _clocked(text) if self.numeral.scales == CLOCKED else self._scaled(text)
        match = self.shape.fullmatch(text)
        if match is None:
            raise ValueError(text)
        if self.bare:
            return int(text) if self.whole else float(text)
        before, behind = text[: match.start("digits")], text[match.end("digits") :]
        digits = match["digits"]
        if self.numeral.thousands:
            digits = digits.replace(self.numeral.thousands, "")
        digits = digits.replace(self.numeral.decimal, ".")
        number = int(digits) if self.whole else float(digits)
        negative = any(sign in before for sign in "-−(") or behind.endswith("-")
        return -number if negative else number

    def _scaled(self, text: str) -> float:
        parts = _SPAN.findall(text)
        if not parts or _SPAN.sub("", text) not in ("", "-") or any(unit not in self.scales for _, unit in parts):
            raise ValueError(text)
        number = sum(float(digits.replace(",", "")) * self.scales[unit] for digits, unit in parts)
        return -number if text.startswith("-") else number


def _clocked(text: str) -> float:
    if not _CLOCK.fullmatch(text):
        raise ValueError(text)
    days, _, clock = text.rpartition("-")
    number = 0.0
    for part in clock.split(":"):
        number = number * 60 + float(part)
    return number + float(days or 0) * 86400
