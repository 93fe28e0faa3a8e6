"""Durations, and intervals as pairs of times."""

import re
from collections.abc import Callable
from math import isfinite
from typing import Final

from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Float, Value, wrap
from mayfly.mangle.builtins._arguments import (
    as_duration,
    as_float,
    as_number,
    as_pair,
    as_string,
    as_time,
)
from mayfly.mangle.builtins._civil import HOUR, MINUTE, SECOND
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._error import BuiltinError

_UNITS: Final = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": SECOND, "m": MINUTE, "h": HOUR}
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]+)")
_OVER: Final = 2**63


def _add(duration: Value, other: Value) -> Value:
    return Duration(wrap(as_duration("fn:duration:add", duration) + as_duration("fn:duration:add", other)))


def _mult(duration: Value, number: Value) -> Value:
    return Duration(wrap(as_duration("fn:duration:mult", duration) * as_number("fn:duration:mult", number)))


def _nanos(duration: Value) -> Value:
    return as_duration("fn:duration:nanos", duration)


def _from_nanos(number: Value) -> Value:
    return Duration(as_number("fn:duration:from_nanos", number))


def _measured(name: str, unit: int) -> Callable[[Value], Value]:
    def measure(duration: Value) -> Value:
        nanoseconds = as_duration(name, duration)
        sign = -1 if nanoseconds < 0 else 1
        whole, rest = divmod(abs(nanoseconds), unit)
        return Float(float(sign * whole) + float(sign * rest) / float(unit))

    return measure


def _made(name: str, unit: int) -> Callable[[Value], Value]:
    def make(count: Value) -> Value:
        nanoseconds = as_float(name, count) * float(unit)
        # What does not fit becomes the smallest number, whatever its sign: so does the processor.
        if not isfinite(nanoseconds) or not SMALLEST_NUMBER <= int(nanoseconds) <= LARGEST_NUMBER:
            return Duration(SMALLEST_NUMBER)
        return Duration(int(nanoseconds))

    return make


def _parse(text: Value) -> Value:
    written = as_string("fn:duration:parse", text)
    negative, rest = written.startswith("-"), written[1:] if written[:1] in ("-", "+") else written
    if rest == "0":
        return Duration(0)
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
    return Duration(-total if negative else total)


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


def _start(interval: Value) -> Value:
    return as_pair("fn:interval:start", interval)[0]


def _end(interval: Value) -> Value:
    return as_pair("fn:interval:end", interval)[1]


def _length(interval: Value) -> Value:
    builtin = "fn:interval:duration"
    start, end = (as_time(builtin, part) for part in as_pair(builtin, interval))
    if start == SMALLEST_NUMBER or end == LARGEST_NUMBER:
        raise BuiltinError(f"{builtin}: an interval that is open on one side has no duration")
    return Duration(wrap(end - start))


DURATION_FUNCTIONS: Final = (
    Function(name="fn:duration:add", arity=2, call=_add, doc="The sum of two durations."),
    Function(name="fn:duration:mult", arity=2, call=_mult, doc="A duration taken a number of times."),
    Function(
        name="fn:duration:hours",
        arity=1,
        call=_measured("fn:duration:hours", HOUR),
        doc="A duration in hours, a float.",
    ),
    Function(
        name="fn:duration:minutes",
        arity=1,
        call=_measured("fn:duration:minutes", MINUTE),
        doc="A duration in minutes, a float.",
    ),
    Function(
        name="fn:duration:seconds",
        arity=1,
        call=_measured("fn:duration:seconds", SECOND),
        doc="A duration in seconds, a float.",
    ),
    Function(name="fn:duration:nanos", arity=1, call=_nanos, doc="A duration in nanoseconds, a number."),
    Function(name="fn:duration:from_nanos", arity=1, call=_from_nanos, doc="The duration of so many nanoseconds."),
    Function(
        name="fn:duration:from_hours",
        arity=1,
        call=_made("fn:duration:from_hours", HOUR),
        doc="The duration of so many hours, a float or number.",
    ),
    Function(
        name="fn:duration:from_minutes",
        arity=1,
        call=_made("fn:duration:from_minutes", MINUTE),
        doc="The duration of so many minutes, a float or number.",
    ),
    Function(
        name="fn:duration:from_seconds",
        arity=1,
        call=_made("fn:duration:from_seconds", SECOND),
        doc="The duration of so many seconds, a float or number.",
    ),
    Function(name="fn:duration:parse", arity=1, call=_parse, doc='The duration of a text such as "1h30m" or "500ms".'),
)

INTERVAL_FUNCTIONS: Final = (
    Function(name="fn:interval:start", arity=1, call=_start, doc="The first part of an interval, a pair of times."),
    Function(name="fn:interval:end", arity=1, call=_end, doc="The second part of an interval, a pair of times."),
    Function(name="fn:interval:duration", arity=1, call=_length, doc="The duration of an interval, a pair of times."),
)
