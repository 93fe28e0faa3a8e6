"""Turn the text of a literal token into its value; what the token pattern lets through may still be out of range."""

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Float, Time, wrap

_ESCAPE: Final = re.compile(r"""\\(?:([nt"'\\\n])|x(..)|u\{([^}]*)\})""", re.DOTALL)
_SIMPLE: Final = {"n": "\n", "t": "\t"}
_DIGITS: Final = re.compile("[0-9]+")
_LAST_CODE_POINT: Final = 0x10FFFF
_SECOND: Final = 1_000_000_000
_UNITS: Final = {"ms": 1_000_000, "s": _SECOND, "m": 60 * _SECOND, "h": 3600 * _SECOND}
_DAY: Final = 24 * 3600 * _SECOND
_MOST_DIGITS: Final = 19
_EPOCH: Final = date(1970, 1, 1).toordinal()
# The calendar repeats every 400 years; Python has no year 0, Mangle's timestamps have.
_YEARS_CYCLE: Final = 400
_DAYS_CYCLE: Final = 146_097


def read_number(text: str) -> int:
    """Return the 64-bit number that *text* writes; a ValueError says why not."""
    digits = text.lstrip("-").lstrip("0") or "0"
    if len(digits) <= _MOST_DIGITS:
        number = -int(digits) if text[0] == "-" else int(digits)
        if SMALLEST_NUMBER <= number <= LARGEST_NUMBER:
            return number
    raise ValueError(f"a number must lie between {SMALLEST_NUMBER} and {LARGEST_NUMBER}")


def read_float(text: str) -> Float:
    """Return the float that *text* writes; one too large for 64 bits is a ValueError."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("the float is too large for 64 bits")
    return Float(number)


def read_string(text: str) -> str:
    """Return the string inside a quoted token: every line end is a newline, escapes are replaced."""
    inner = text[1:-1]
    if "\r" in inner:
        inner = inner.replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPE.sub(_text_of, inner) if "\\" in inner else inner


def read_bytes(text: str) -> bytes:
    """Return the bytes inside a `b"…"` token: characters are UTF-8, `\\x` is any byte."""
    inner, parts, end = text[2:-1], [], 0
    for escape in _ESCAPE.finditer(inner):
        parts.append(inner[end : escape.start()].encode())
        parts.append(bytes.fromhex(escape[2]) if escape[2] else _text_of(escape).encode())
        end = escape.end()
    parts.append(inner[end:].encode())
    return b"".join(parts)


def _text_of(escape: "re.Match[str]") -> str:
    simple, byte, code = escape.groups()
    if simple:
        return _SIMPLE.get(simple, simple)
    point = int(byte or code, 16)
    if byte and point >= 0x80:
        raise ValueError(f'\\x{byte} is no character of a string; write \\u{{00{byte}}}, or a byte string b"…"')
    if point > _LAST_CODE_POINT:
        raise ValueError(f"\\u{{{code}}} is no character: the last one is \\u{{10ffff}}")
    # Half of a surrogate pair is no character: as the language says, the replacement character stands for it.
    return "\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point)


def read_duration(text: str) -> Duration:
    """Return the duration that `7d`, `24h`, `30m`, `1s` or `500ms` writes."""
    found = _DIGITS.match(text)
    digits, unit = text[: found.end() if found else 0], text[found.end() if found else 0 :]
    if unit == "d":
        return Duration(wrap(read_number(digits) * _DAY))
    nanoseconds = read_number(digits) * _UNITS[unit]
    if nanoseconds > LARGEST_NUMBER:
        raise ValueError("the duration is longer than 292 years")
    return Duration(nanoseconds)


def read_time(text: str) -> Time:
    """Return the instant that `2024-01-15` or `2024-01-15T10:30:00.5Z` writes, in UTC."""
    day, _, clock = text.rstrip("Z").partition("T")
    year, month, day_number = (int(part) for part in day.split("-"))
    days = date(year or _YEARS_CYCLE, month, day_number).toordinal() - _EPOCH - (0 if year else _DAYS_CYCLE)
    seconds, fraction = 0, 0
    if clock:
        whole, _, part = clock.partition(".")
        hours, minutes, rest = (int(piece) for piece in whole.split(":"))
        _check_clock(hours, minutes, rest)
        seconds = hours * 3600 + minutes * 60 + rest
        fraction = int(part[:9].ljust(9, "0")) if part else 0
    return Time(wrap(days * _DAY + seconds * _SECOND + fraction))


def _check_clock(hours: int, minutes: int, seconds: int) -> None:
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("hour, minute or second out of range")


READERS: Final[dict[str, Callable[[str], int | Float | str | bytes]]] = {
    "NUMBER": read_number,
    "FLOAT": read_float,
    "STRING": read_string,
    "BYTES": read_bytes,
}
