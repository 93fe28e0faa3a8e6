"""Print values and facts as Mangle source, in the form the reference engine prints them."""

import re
from decimal import Decimal
from typing import Final, NamedTuple

from mayfly.mangle._calendar import DAY, MINUTE, SECOND, date_of
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Duration, Float, List, Map, Name, Pair, Row, Struct, Time, Value

_ESCAPED: Final = re.compile(r"[\"'\\\n\t]|[^\x00-\x7f]")
_ESCAPES: Final = {'"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_ESCAPED_BYTES: Final = frozenset(b"\"'\\\n\t")
_BRACKETS: Final = {List: "[]", Pair: ("fn:pair(", ")"), Map: "[]", Struct: "{}"}


def show_value(value: Value) -> str:
    """Return a constant as source; the entries of maps and structs are sorted."""
    if not isinstance(value, (List, Pair, Map, Struct)):
        return _show_scalar(value)
    # Not by recursion: rules can build values that are nested deeper than Python's calls may be.
    shown: list[str] = []
    rest: list[Value | _Piece] = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, _Piece):
            shown.append(part.text)
        elif isinstance(part, (List, Pair, Map, Struct)):
            rest += reversed(_parts(part))
        else:
            shown.append(_show_scalar(part))
    return "".join(shown)


class _Piece(NamedTuple):
    """A text to be printed as it is, told apart from a string value."""

    text: str


_COMMA: Final = _Piece(", ")
_COLON: Final = _Piece(" : ")


def _parts(value: List | Pair | Map | Struct) -> list[Value | _Piece]:
    """Return what to print for a collection: its brackets, commas, colons and the values between them."""
    if isinstance(value, Map) and not value.held:
        return [_Piece("fn:map()")]
    opening, closing = _BRACKETS[type(value)]
    parts: list[Value | _Piece] = [_Piece(opening)]
    if isinstance(value, (Map, Struct)):
        for key, content in value.held:
            parts += (key, _COLON, content, _COMMA)
    else:
        for content in value.held:
            parts += (content, _COMMA)
    if len(parts) > 1:
        parts.pop()
    parts.append(_Piece(closing))
    return parts


def _show_scalar(value: Name | str | int | bytes | Float | Time | Duration) -> str:
    if isinstance(value, Name):
        return value.text
    if isinstance(value, str):
        return f'"{_ESCAPED.sub(_escape, value)}"'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return 'b"' + "".join(_show_byte(byte) for byte in value) + '"'
    if isinstance(value, Float):
        return show_float(value.held)
    if isinstance(value, Time):
        return f'fn:time:parse_rfc3339("{show_time(value.held)}")'
    return f'fn:duration:parse("{show_duration(value.held)}")'


def _escape(found: "re.Match[str]") -> str:
    return _ESCAPES.get(found[0]) or f"\\u{{{ord(found[0]):06x}}}"


def _show_byte(byte: int) -> str:
    return f"\\x{byte:02x}" if byte >= 0x80 or byte in _ESCAPED_BYTES else chr(byte)


def show_float(number: float) -> str:
    """Return the shortest digits that read back as the same float, without an exponent."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "+Inf" if number > 0 else "-Inf"
    text = format(Decimal(repr(number)), "f")
    return text.removesuffix(".0")


def show_time(nanoseconds: int) -> str:
    """Return an instant as RFC 3339 in UTC, with as many digits of the second as are not zero."""
    days, rest = divmod(nanoseconds, DAY)
    seconds, fraction = divmod(rest, SECOND)
    year, month, day = date_of(days)
    point = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{year:04d}-{month:02d}-{day:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{point}Z"


def show_duration(nanoseconds: int) -> str:
    """Return a duration as `1h30m5.5s`; below a second in the largest unit that keeps a digit before the point."""
    sign, size = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if not size:
        return "0s"
    if size < SECOND:
        unit, scale = ("ns", 1) if size < 1000 else ("µs", 1000) if size < 1_000_000 else ("ms", 1_000_000)
        return f"{sign}{_fixed(size, scale)}{unit}"
    minutes, rest = divmod(size, MINUTE)
    text = f"{_fixed(rest, SECOND)}s"
    if minutes:
        text = f"{minutes % 60}m{text}"
    if minutes >= 60:
        text = f"{minutes // 60}h{text}"
    return sign + text


def _fixed(size: int, scale: int) -> str:
    whole, fraction = divmod(size, scale)
    width = len(str(scale)) - 1
    return f"{whole}.{fraction:0{width}d}".rstrip("0") if fraction else str(whole)


def show_row(symbol: Symbol, row: Row) -> str:
    """Return one fact, such as `p(/a, 1)`."""
    return f"{symbol.name}({', '.join(map(show_value, row))})"
