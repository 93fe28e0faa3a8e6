"""Instants: the calendar and clocks of time zones, and the functions of times.

Python's datetime has no year 0 and no nanoseconds, so days are counted here and datetime is only asked for the offset
of a zone.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import add, sub
from time import time_ns
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mayfly.mangle._calendar import DAY, HOUR, MINUTE, SECOND, date_of, days_of, is_date
from mayfly.mangle.builtins._entries import DURATION, NAME, NUMBER, STRING, TIME, Function, by_name, function
from mayfly.mangle.builtins._limits import BuiltinError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS: Final = 86_400
# A day short of what datetime holds, so that no zone's offset leads out of it.
_EARLIEST: Final = int((datetime(1, 1, 2, tzinfo=UTC) - _EPOCH).total_seconds())
_LATEST: Final = int((datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH).total_seconds())
_CLOCK: Final = r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})"
_INSTANT: Final = re.compile(_CLOCK + r"(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))")
# With exactly nine places a sign may stand in the first of them.
_LOCAL: Final = re.compile(_CLOCK + r"(?:[.,]([0-9]+|\+[0-9]{8}|-0{8}))?")


class Zone(NamedTuple):
    """A time zone; no rules means that of this machine."""

    rules: ZoneInfo | None

    def offset(self, seconds: int) -> int:
        """Return the seconds that the zone's clocks are ahead of UTC at an instant."""
        instant = _EPOCH + timedelta(seconds=min(max(seconds, _EARLIEST), _LATEST))
        ahead = instant.astimezone(self.rules).utcoffset()
        return 0 if ahead is None else int(ahead.total_seconds())


class Civil(NamedTuple):
    """What a calendar and a clock show; the weekday counts from Monday, 0."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    nanosecond: int
    offset: int
    weekday: int


@lru_cache(maxsize=128)
def find_zone(builtin: str, name: str) -> Zone:
    """Return the zone of an IANA name such as `Europe/Rome`; the empty name is UTC, `Local` is this machine's zone."""
    if name == "Local":
        return Zone(None)
    # A doubled slash is as good as one; a zone is never looked for above the directory of zones.
    key = re.sub(r"/(?:\.?/)+", "/", name)
    try:
        return Zone(ZoneInfo(key or "UTC"))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BuiltinError(f'{builtin} knows no time zone "{name[:40]}"') from error


def to_civil(nanoseconds: int, zone: Zone | None = None) -> Civil:
    """Return what calendar and clock show at an instant, in UTC unless a zone is given."""
    seconds, nanosecond = divmod(nanoseconds, SECOND)
    offset = 0 if zone is None else zone.offset(seconds)
    days, rest = divmod(seconds + offset, _DAY_SECONDS)
    year, month, day = date_of(days)
    hour, rest = divmod(rest, 3600)
    minute, second = divmod(rest, 60)
    return Civil(year, month, day, hour, minute, second, nanosecond, offset, (days + 3) % 7)


def from_civil(year: int, month: int, day: int, seconds: int = 0, zone: Zone | None = None) -> int:
    """Return the instant in nanoseconds at which a zone's calendar shows a date and its clock *seconds* past midnight.

    Where the clock shows it twice or never, the offset is the one that holds at the instant found with the offset that
    holds at the same time of day in UTC.
    """
    instant = (days_of(year, month, 1) + day - 1) * _DAY_SECONDS + seconds
    if zone is not None and (guess := zone.offset(instant)):
        instant -= zone.offset(instant - guess)
    return instant * SECOND


def read_instant(builtin: str, text: str) -> int:
    """Return the nanoseconds of an RFC 3339 time such as `2024-05-01T10:00:00.5+02:00`."""
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise _unreadable(builtin, text, "2024-05-01T10:00:00Z")
    date, seconds = _fields(builtin, text, found)
    hours, minutes = int(found[9] or 0), int(found[10] or 0)
    if hours > 24 or minutes > 60:
        raise _unreadable(builtin, text, "2024-05-01T10:00:00+02:00")
    ahead = (hours * 60 + minutes) * 60
    return from_civil(*date, seconds + ahead if found[8] == "-" else seconds - ahead) + _fraction(found[7])


def read_local(builtin: str, text: str, zone: Zone) -> int:
    """Return the nanoseconds at which the clocks of *zone* show a time such as `2024-05-01T10:00:00`."""
    found = _LOCAL.fullmatch(text)
    if found is None:
        raise _unreadable(builtin, text, "2024-05-01T10:00:00")
    date, seconds = _fields(builtin, text, found)
    return from_civil(*date, seconds, zone) + _fraction(found[7])


def _fields(builtin: str, text: str, found: "re.Match[str]") -> tuple[tuple[int, int, int], int]:
    year, month, day, hour, minute, second = (int(found[place]) for place in range(1, 7))
    if not is_date(year, month, day):
        raise BuiltinError(f'{builtin}: there is no such day as in "{text}"')
    if hour > 23 or minute > 59 or second > 59:
        raise BuiltinError(f'{builtin}: no clock shows the time in "{text}"')
    return (year, month, day), (hour * 60 + minute) * 60 + second


def _fraction(digits: str | None) -> int:
    return int(digits[:9].ljust(9, "0")) if digits else 0


def _unreadable(builtin: str, text: str, example: str) -> BuiltinError:
    return BuiltinError(f'{builtin} cannot read "{text[:40]}" as a time; write it like {example}')


_UNITS: Final = {
    "/day": DAY,
    "/hour": HOUR,
    "/minute": MINUTE,
    "/second": SECOND,
    "/millisecond": 10**6,
    "/microsecond": 10**3,
    "/nanosecond": 1,
}


def _format(builtin: str, civil: Civil, precision: str) -> str:
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
    return date + clock + parts[precision] + _format_offset(civil.offset)


def _format_offset(seconds: int) -> str:
    if seconds == 0:
        return "Z"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds <= -60 else '+'}{hours:02}:{minutes:02}"


def _format_civil(time: int, zone: str, precision: str) -> str:
    builtin = "fn:time:format_civil"
    return _format(builtin, to_civil(time, find_zone(builtin, zone)), precision)


def _parse_civil(text: str, zone: str) -> int:
    return read_local("fn:time:parse_civil", text, find_zone("fn:time:parse_civil", zone))


def _trunc(time: int, unit: str) -> int:
    if unit not in _UNITS:
        raise _unknown_unit("fn:time:trunc", unit, tuple(_UNITS))
    return time - time % _UNITS[unit]


def _trunc_civil(time: int, zone: str, unit: str) -> int:
    builtin = "fn:time:trunc_civil"
    rules = find_zone(builtin, zone)
    civil = to_civil(time, rules)
    if unit == "/year":
        return from_civil(civil.year, 1, 1, 0, rules)
    if unit == "/month":
        return from_civil(civil.year, civil.month, 1, 0, rules)
    if unit not in ("/week", "/day"):
        raise _unknown_unit(builtin, unit, ("/year", "/month", "/week", "/day"))
    midnight = from_civil(civil.year, civil.month, civil.day, 0, rules)
    return midnight if unit == "/day" else _monday(midnight, rules)


def _monday(midnight: int, zone: Zone) -> int:
    """Return the same time of day on the Monday before; where midnight is skipped, that is not midnight."""
    civil = to_civil(midnight, zone)
    seconds = (civil.hour * 60 + civil.minute) * 60 + civil.second
    return from_civil(civil.year, civil.month, civil.day - civil.weekday, seconds, zone)


def _unknown_unit(builtin: str, unit: str, known: tuple[str, ...]) -> BuiltinError:
    return BuiltinError(f"{builtin} knows no unit {unit[:40]}; it knows {', '.join(known)}")


def _field(name: str, doc: str) -> Function:
    return function(f"fn:time:{name}", doc, lambda time: getattr(to_civil(time), name), NUMBER, TIME)


TIME_FUNCTIONS: Final = by_name(
    function("fn:time:now", "The time at which it is evaluated.", time_ns, TIME),
    function("fn:time:add", "A time moved by a duration.", add, TIME, TIME, DURATION),
    function("fn:time:sub", "The duration from the second time to the first.", sub, DURATION, TIME, TIME),
    function("fn:time:from_unix_nanos", "The time so many nanoseconds after 1970.", int, TIME, NUMBER),
    function("fn:time:to_unix_nanos", "The nanoseconds from 1970 to a time.", int, NUMBER, TIME),
    function(
        "fn:time:format",
        "The text of a time in UTC down to a unit: /year, /month, /day, /hour … /nanosecond.",
        lambda time, precision: _format("fn:time:format", to_civil(time), precision),
        *(STRING, TIME, NAME),
    ),
    function(
        "fn:time:format_civil",
        "The text of a time in a time zone down to a unit: /year, /month, /day, /hour … /nanosecond.",
        *(_format_civil, STRING, TIME, STRING, NAME),
    ),
    function(
        "fn:time:parse_rfc3339",
        'The time of a text such as "2024-05-01T10:00:00+02:00".',
        lambda text: read_instant("fn:time:parse_rfc3339", text),
        *(TIME, STRING),
    ),
    function(
        "fn:time:parse_civil",
        'The time of a text such as "2024-05-01T10:00:00" in a time zone such as "Europe/Rome".',
        *(_parse_civil, TIME, STRING, STRING),
    ),
    function(
        "fn:time:trunc",
        "A time rounded down, in UTC, to a unit: /day, /hour, /minute, /second … /nanosecond.",
        *(_trunc, TIME, TIME, NAME),
    ),
    function(
        "fn:time:trunc_civil",
        "A time rounded down, in a time zone, to a unit: /year, /month, /week (from Monday) or /day.",
        *(_trunc_civil, TIME, TIME, STRING, NAME),
    ),
    _field("year", "The year of a time, in UTC."),
    _field("month", "The month of a time, 1 to 12, in UTC."),
    _field("day", "The day of the month of a time, in UTC."),
    _field("hour", "The hour of a time, 0 to 23, in UTC."),
    _field("minute", "The minute of a time, 0 to 59."),
    _field("second", "The second of a time, 0 to 59."),
)
