"""Instants: arithmetic, text, calendar fields and rounding down."""

from collections.abc import Callable
from time import time_ns
from typing import Final

from mayfly.mangle._values import Duration, Time, Value, wrap
from mayfly.mangle.builtins._arguments import as_duration, as_name, as_number, as_string, as_time
from mayfly.mangle.builtins._civil import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Civil,
    Zone,
    find_zone,
    from_civil,
    read_instant,
    read_local,
    to_civil,
)
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._error import BuiltinError

_UNITS: Final = {
    "/day": DAY,
    "/hour": HOUR,
    "/minute": MINUTE,
    "/second": SECOND,
    "/millisecond": 10**6,
    "/microsecond": 10**3,
    "/nanosecond": 1,
}


def _now() -> Value:
    return Time(time_ns())


def _add(time: Value, duration: Value) -> Value:
    return Time(wrap(as_time("fn:time:add", time) + as_duration("fn:time:add", duration)))


def _sub(time: Value, other: Value) -> Value:
    return Duration(wrap(as_time("fn:time:sub", time) - as_time("fn:time:sub", other)))


def _from_nanos(number: Value) -> Value:
    return Time(as_number("fn:time:from_unix_nanos", number))


def _to_nanos(time: Value) -> Value:
    return as_time("fn:time:to_unix_nanos", time)


def _format(time: Value, precision: Value) -> Value:
    builtin = "fn:time:format"
    return _shown(builtin, to_civil(as_time(builtin, time)), as_name(builtin, precision))


def _format_civil(time: Value, zone: Value, precision: Value) -> Value:
    builtin = "fn:time:format_civil"
    instant, place = as_time(builtin, time), as_string(builtin, zone)
    unit = as_name(builtin, precision)
    return _shown(builtin, to_civil(instant, find_zone(builtin, place)), unit)


def _shown(builtin: str, civil: Civil, precision: str) -> str:
    date = f"{civil.year:04}"
    if precision == "/year":
        return date
    date += f"-{civil.month:02}"
    if precision == "/month":
        return date
    date += f"-{civil.day:02}"
    if precision == "/day":
        return date
    clock, fraction = f"T{civil.hour:02}", f"{civil.nanosecond:09}"
    parts = {
        "/hour": "",
        "/minute": f":{civil.minute:02}",
        "/second": (seconds := f":{civil.minute:02}:{civil.second:02}"),
        "/millisecond": f"{seconds}.{fraction[:3]}",
        "/microsecond": f"{seconds}.{fraction[:6]}",
        "/nanosecond": seconds + f".{fraction}".rstrip("0").rstrip("."),
    }
    if precision not in parts:
        raise _unknown_unit(builtin, precision, ("/year", "/month", "/day", *parts))
    return date + clock + parts[precision] + _shown_offset(civil.offset)


def _shown_offset(seconds: int) -> str:
    if seconds == 0:
        return "Z"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds <= -60 else '+'}{hours:02}:{minutes:02}"


def _parse_rfc3339(text: Value) -> Value:
    builtin = "fn:time:parse_rfc3339"
    return Time(wrap(read_instant(builtin, as_string(builtin, text))))


def _parse_civil(text: Value, zone: Value) -> Value:
    builtin = "fn:time:parse_civil"
    written, place = as_string(builtin, text), as_string(builtin, zone)
    return Time(wrap(read_local(builtin, written, find_zone(builtin, place))))


def _trunc(time: Value, unit: Value) -> Value:
    builtin = "fn:time:trunc"
    instant, name = as_time(builtin, time), as_name(builtin, unit)
    if name not in _UNITS:
        raise _unknown_unit(builtin, name, tuple(_UNITS))
    return Time(wrap(instant - instant % _UNITS[name]))


def _trunc_civil(time: Value, zone: Value, unit: Value) -> Value:
    builtin = "fn:time:trunc_civil"
    instant, place = as_time(builtin, time), as_string(builtin, zone)
    name = as_name(builtin, unit)
    rules = find_zone(builtin, place)
    civil = to_civil(instant, rules)
    if name == "/year":
        return Time(wrap(from_civil(civil.year, 1, 1, 0, rules)))
    if name == "/month":
        return Time(wrap(from_civil(civil.year, civil.month, 1, 0, rules)))
    if name not in ("/week", "/day"):
        raise _unknown_unit(builtin, name, ("/year", "/month", "/week", "/day"))
    midnight = from_civil(civil.year, civil.month, civil.day, 0, rules)
    return Time(wrap(midnight if name == "/day" else _monday(midnight, rules)))


def _monday(midnight: int, zone: Zone) -> int:
    """Return the same time of day on the Monday before; where midnight is skipped, that is not midnight."""
    civil = to_civil(midnight, zone)
    seconds = (civil.hour * 60 + civil.minute) * 60 + civil.second
    return from_civil(civil.year, civil.month, civil.day - civil.weekday, seconds, zone)


def _unknown_unit(builtin: str, unit: str, known: tuple[str, ...]) -> BuiltinError:
    return BuiltinError(f"{builtin} knows no unit {unit[:40]}; it knows {', '.join(known)}")


def _field(name: str, field: Callable[[Civil], int]) -> Callable[[Value], Value]:
    def read(time: Value) -> Value:
        return field(to_civil(as_time(name, time)))

    return read


_FIELDS: Final[dict[str, tuple[Callable[[Civil], int], str]]] = {
    "fn:time:year": (lambda civil: civil.year, "The year of a time, in UTC."),
    "fn:time:month": (lambda civil: civil.month, "The month of a time, 1 to 12, in UTC."),
    "fn:time:day": (lambda civil: civil.day, "The day of the month of a time, in UTC."),
    "fn:time:hour": (lambda civil: civil.hour, "The hour of a time, 0 to 23, in UTC."),
    "fn:time:minute": (lambda civil: civil.minute, "The minute of a time, 0 to 59."),
    "fn:time:second": (lambda civil: civil.second, "The second of a time, 0 to 59."),
}

TIME_FUNCTIONS: Final = (
    Function(name="fn:time:now", arity=0, call=_now, doc="The time at which it is evaluated."),
    Function(name="fn:time:add", arity=2, call=_add, doc="A time moved by a duration."),
    Function(name="fn:time:sub", arity=2, call=_sub, doc="The duration from the second time to the first."),
    Function(
        name="fn:time:format",
        arity=2,
        call=_format,
        doc="The text of a time in UTC down to a unit: /year, /month, /day, /hour … /nanosecond.",
    ),
    Function(
        name="fn:time:format_civil",
        arity=3,
        call=_format_civil,
        doc="The text of a time in a time zone down to a unit: /year, /month, /day, /hour … /nanosecond.",
    ),
    Function(
        name="fn:time:parse_rfc3339",
        arity=1,
        call=_parse_rfc3339,
        doc='The time of a text such as "2024-05-01T10:00:00+02:00".',
    ),
    Function(
        name="fn:time:parse_civil",
        arity=2,
        call=_parse_civil,
        doc='The time of a text such as "2024-05-01T10:00:00" in a time zone such as "Europe/Rome".',
    ),
    Function(name="fn:time:from_unix_nanos", arity=1, call=_from_nanos, doc="The time so many nanoseconds after 1970."),
    Function(name="fn:time:to_unix_nanos", arity=1, call=_to_nanos, doc="The nanoseconds from 1970 to a time."),
    Function(
        name="fn:time:trunc",
        arity=2,
        call=_trunc,
        doc="A time rounded down, in UTC, to a unit: /day, /hour, /minute, /second … /nanosecond.",
    ),
    Function(
        name="fn:time:trunc_civil",
        arity=3,
        call=_trunc_civil,
        doc="A time rounded down, in a time zone, to a unit: /year, /month, /week (from Monday) or /day.",
    ),
    *(Function(name=name, arity=1, call=_field(name, field), doc=doc) for name, (field, doc) in _FIELDS.items()),
)
