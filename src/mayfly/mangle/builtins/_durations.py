"""Durations, and intervals as pairs of times."""

import re
from functools import partial
from math import isfinite
from operator import add, itemgetter, mul
from typing import Final

from mayfly.mangle._calendar import HOUR, MINUTE, SECOND
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Value
from mayfly.mangle.builtins._entries import (
    DURATION,
    FLOAT,
    FLOAT_OR_NUMBER,
    NUMBER,
    PAIR,
    STRING,
    TIME,
    by_name,
    function,
    reader,
)
from mayfly.mangle.builtins._limits import BuiltinError

_UNITS: Final = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": SECOND, "m": MINUTE, "h": HOUR}
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]+)")
_OVER: Final = 2**63


def _count(nanoseconds: int, unit: int) -> float:
    """Measure a duration in a unit."""
    sign = -1 if nanoseconds < 0 else 1
    whole, rest = divmod(abs(nanoseconds), unit)
    return float(sign * whole) + float(sign * rest) / float(unit)


def _of_units(count: float, unit: int) -> int:
    nanoseconds = count * float(unit)
    # What does not fit becomes the smallest number, whatever its sign: so does the processor.
    if not isfinite(nanoseconds) or not SMALLEST_NUMBER <= int(nanoseconds) <= LARGEST_NUMBER:
        return SMALLEST_NUMBER
    return int(nanoseconds)


def _parse(written: str) -> int:
    negative, rest = written.startswith("-"), written[1:] if written[:1] in ("-", "+") else written
    if rest == "0":
        return 0
    total, place = 0, 0
    while place < len(rest):
        part = _PART.match(rest, place)
        if part is None:
            raise _unreadable(written)
        total += _nanoseconds(written, part)
        _check_range(written, total, _OVER)
        place = part.end()
    if not rest:
        raise _unreadable(written)
    _check_range(written, total, _OVER if negative else LARGEST_NUMBER)
    return -total if negative else total


def _nanoseconds(written: str, part: "re.Match[str]") -> int:
    nanoseconds = _UNITS.get(part[3])
    if nanoseconds is None or not (part[1] or part[2]):
        raise _unreadable(written)
    _check_range(written, len(part[1].lstrip("0")), 19)
    count = int(part[1] or 0)
    _check_range(written, count, _OVER // nanoseconds)
    digits, places = _fraction(part[2] or "")
    # Nanoseconds of a fraction are computed in floats, as the reference does: "1.1h" is not exact either way.
    return count * nanoseconds + (int(float(digits) * (float(nanoseconds) / float(10**places))) if digits else 0)


def _fraction(text: str) -> tuple[int, int]:
    """Return the digits that are counted, as a number, and how many they are; digits beyond 64 bits are dropped."""
    digits = places = 0
    for digit in text[:64]:
        if digits > LARGEST_NUMBER // 10 or digits * 10 + int(digit) > _OVER:
            break
        digits, places = digits * 10 + int(digit), places + 1
    return digits, places


def _check_range(written: str, size: int, largest: int) -> None:
    if size > largest:
        raise BuiltinError(f'fn:duration:parse: "{written[:40]}" is longer than a duration can be')


def _unreadable(written: str) -> BuiltinError:
    return BuiltinError(
        f'fn:duration:parse cannot read "{written[:40]}" as a duration; write it like 1h30m, 1.5s or 500ms'
    )


def _length(interval: tuple[Value, Value]) -> int:
    start, end = map(_instant, interval)
    if start == SMALLEST_NUMBER or end == LARGEST_NUMBER:
        raise BuiltinError("fn:interval:duration: an interval that is open on one side has no duration")
    length: int = end - start
    return length


_instant = reader("fn:interval:duration", TIME)

DURATION_FUNCTIONS: Final = by_name(
    function("fn:duration:add", "The sum of two durations.", add, DURATION, DURATION, DURATION),
    function("fn:duration:mult", "A duration taken a number of times.", mul, DURATION, DURATION, NUMBER),
    function("fn:duration:nanos", "A duration in nanoseconds, a number.", int, NUMBER, DURATION),
    function("fn:duration:from_nanos", "The duration of so many nanoseconds.", int, DURATION, NUMBER),
    *(
        made
        for plural, unit in (("hours", HOUR), ("minutes", MINUTE), ("seconds", SECOND))
        for made in (
            function(
                f"fn:duration:{plural}",
                f"A duration in {plural}, a float.",
                *(partial(_count, unit=unit), FLOAT, DURATION),
            ),
            function(
                f"fn:duration:from_{plural}",
                f"The duration of so many {plural}, a float or number.",
                *(partial(_of_units, unit=unit), DURATION, FLOAT_OR_NUMBER),
            ),
        )
    ),
    function("fn:duration:parse", 'The duration of a text such as "1h30m" or "500ms".', _parse, DURATION, STRING),
    function("fn:interval:start", "The first part of an interval, a pair of times.", itemgetter(0), "X", PAIR),
    function("fn:interval:end", "The second part of an interval, a pair of times.", itemgetter(1), "Y", PAIR),
    function(
        "fn:interval:duration",
        "The duration of an interval, a pair of times.",
        *(_length, DURATION, ("fn:Pair", TIME, TIME)),
    ),
)
