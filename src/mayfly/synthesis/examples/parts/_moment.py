"""Dates and times: found in text in many notations, rounded, and written part by part."""

import re
from datetime import date, datetime, timedelta

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def moment_in(text: str, patterns: tuple[str, ...]) -> datetime:
    """Return the date and time that the first fitting pattern finds; a missing part counts as its first value."""
    for pattern in patterns:
        match = re.search(pattern, text, re.IGNORECASE)
        if match is not None:
            return moment_of({name: part for name, part in match.groupdict().items() if part})
    raise ValueError(f"{text!r} holds no date or time in a known notation")


def moment_of(parts: dict[str, str]) -> datetime:
    """Put the parts that a pattern found together; a day that does not exist is an error."""
    hour = hour_of(int(parts.get("hour", "0")), parts.get("half", ""))
    clock = timedelta(hours=hour, minutes=int(parts.get("minute", "0")), seconds=int(parts.get("second", "0")))
    if "ordinal" in parts:
        start = datetime(int(parts["year"]), 1, 1)
        return start + timedelta(days=int(parts["ordinal"]) - 1) + clock
    month = month_of(parts["name"]) if "name" in parts else int(parts.get("month", "1"))
    return datetime(year_of(parts.get("year", "1900")), month, int(parts.get("day", "1"))) + clock


def hour_of(hour: int, half: str) -> int:
    """Return the hour of the day from an hour and, where it is given, AM or PM."""
    if hour > 24 or (half and not 0 < hour <= 12):
        raise ValueError(f"{hour} {half} is no hour")
    if not half:
        return hour
    return hour % 12 + (12 if half[:1].upper() == "P" else 0)


def year_of(text: str) -> int:
    """Return the year; two digits mean 1969 to 2068."""
    year = int(text)
    return year if len(text) > 2 else year + (1900 if year >= 69 else 2000)


def month_of(name: str) -> int:
    """Return the number of the month from its name or the first letters of it."""
    for number, month in enumerate(MONTHS, 1):
        if len(name) >= 3 and (month.lower().startswith(name.lower()) or name.lower() == "sept" == month.lower()[:4]):
            return number
    raise ValueError(f"{name!r} is no month")


def minutes_later(moment: datetime, minutes: int) -> datetime:
    """Move a moment by so many minutes."""
    return moment + timedelta(minutes=minutes)


def seconds_later(moment: datetime, seconds: int) -> datetime:
    """Move a moment by so many seconds."""
    return moment + timedelta(seconds=seconds)


def time_down(moment: datetime, minutes: int, offset: int) -> datetime:
    """Round a moment down to a multiple of so many minutes of its day, counted from the offset."""
    start = datetime(moment.year, moment.month, moment.day) + timedelta(minutes=offset)
    return start + (moment - start) // timedelta(minutes=minutes) * timedelta(minutes=minutes)


def time_nearest(moment: datetime, minutes: int, offset: int) -> datetime:
    """Round a moment to the nearest multiple of so many minutes of its day."""
    return time_down(moment + timedelta(minutes=minutes) / 2, minutes, offset)


def time_up(moment: datetime, minutes: int, offset: int) -> datetime:
    """Round a moment up to a multiple of so many minutes of its day."""
    down = time_down(moment, minutes, offset)
    return down if down == moment else down + timedelta(minutes=minutes)


def month_name(moment: datetime) -> str:
    """Return the English name of the month."""
    return MONTHS[moment.month - 1]


def weekday_name(moment: datetime) -> str:
    """Return the English name of the day of the week."""
    return WEEKDAYS[moment.weekday()]


def hour12(moment: datetime) -> int:
    """Return the hour as a clock with twelve hours shows it."""
    return moment.hour % 12 or 12


def half_day(moment: datetime) -> str:
    """Return AM or PM."""
    return "AM" if moment.hour < 12 else "PM"


def day_ending(moment: datetime) -> str:
    """Return the English ending of the day of the month: st, nd, rd or th."""
    if 10 < moment.day < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(moment.day % 10, "th")


def quarter(moment: datetime) -> int:
    """Return the quarter of the year."""
    return (moment.month + 2) // 3


def iso_week(moment: datetime) -> int:
    """Return the week of the year as ISO 8601 counts it."""
    return moment.isocalendar().week


def day_of_year(moment: datetime) -> int:
    """Return the day of the year, from 1."""
    return (date(moment.year, moment.month, moment.day) - date(moment.year, 1, 1)).days + 1


def days_between(first: datetime, second: datetime) -> int:
    """Return how many days lie between two dates."""
    return (second.date() - first.date()).days


def minutes_between(first: datetime, second: datetime) -> int:
    """Return how many whole minutes lie between two moments."""
    return int((second - first).total_seconds() // 60)
