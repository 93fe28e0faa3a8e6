"""Dates and times in the inputs, read in every notation that fits, and the parts of them that outputs can show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from mayfly.synthesis.examples._numbers import WHOLE, NumberSource
from mayfly.synthesis.examples._ops import FIRST, MOMENT_IN, STRING, ZFILL, call, helper, native
from mayfly.synthesis.examples._pieces import AtomPool
from mayfly.synthesis.examples._task import InputColumn, SearchTask, as_texts, computed
from mayfly.synthesis.examples._tree import Expr, Op, Value

_NAME = r"(?P<name>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.?"
_DAY_PART = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])"
_YEAR = r"(?P<year>\d{4})"
_ANY_YEAR = r"(?P<year>\d{4}|\d{2})"
_ENDING = r"(?:st|nd|rd|th)?"
_CLOCK_PART = (
    r"(?=\d{1,2}(?::\d\d|\s*[ap]\.?m))(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?!\d)"
)
_CLOCK_AFTER = rf"(?:(?:[T,@\s]|\bat\b|-)+{_CLOCK_PART})?"

_NUMERIC = {
    "ymd": rf"{_YEAR}[-/. ]+{_MONTH}[-/. ]+{_DAY_PART}",
    "ydm": rf"{_YEAR}[-/. ]+{_DAY_PART}[-/. ]+{_MONTH}",
    "mdy": rf"{_MONTH}[-/. ]+{_DAY_PART}[-/. ]+{_ANY_YEAR}",
    "dmy": rf"{_DAY_PART}[-/. ]+{_MONTH}[-/. ]+{_ANY_YEAR}",
}
_NAMED = (
    rf"{_DAY_PART}{_ENDING}[-/., ]*(?:of )?{_NAME}[-/., ]*{_ANY_YEAR}",
    rf"{_NAME}[-/., ]*(?:the )?{_DAY_PART}{_ENDING}[-/., ]+{_ANY_YEAR}",
    rf"{_YEAR}[-/., ]*{_NAME}[-/., ]*{_DAY_PART}",
)
_COMPACT = {
    "ymd": r"(?P<year>(?:1[5-9]|2[0-3])\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    "ydm": r"(?P<year>(?:1[5-9]|2[0-3])\d\d)(?P<day>0[1-9]|[12]\d|3[01])(?P<month>0[1-9]|1[0-2])",
    "mdy": r"(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?P<year>\d{4})",
    "dmy": r"(?P<day>0[1-9]|[12]\d|3[01])(?P<month>0[1-9]|1[0-2])(?P<year>\d{4})",
}
_LOOSE = {
    "mdy": rf"{_MONTH}\D+{_DAY_PART}\D+{_YEAR}",
    "dmy": rf"{_DAY_PART}\D+{_MONTH}\D+{_YEAR}",
}
_SHORT = {"mdy": rf"{_MONTH}[-/.]{_DAY_PART}", "dmy": rf"{_DAY_PART}[-/.]{_MONTH}"}
_ORDERS = {"mdy": ("mdy", "dmy"), "dmy": ("dmy", "mdy")}


def patterns(order: str, year_first: str) -> tuple[str, ...]:
    """Return all patterns, where *order* and *year_first* say how ambiguous numbers are read."""
    return (*_full(order, year_first), *_partial(order))


def _full(order: str, year_first: str) -> list[str]:
    numeric = [_NUMERIC[year_first], *(_NUMERIC[each] for each in _ORDERS[order])]
    dates = [*numeric, *_NAMED, _COMPACT[year_first], *(_COMPACT[each] for each in _ORDERS[order])]
    before = rf"(?<!\d){_CLOCK_PART}[,\s]+"
    timed = [rf"{before}{date}(?!\d)" for date in (*numeric[:2], *_NAMED[:2])]
    return [
        *timed,
        *(rf"(?<![\d]){date}(?!\d){_CLOCK_AFTER}" for date in dates),
        rf"(?<!\d){_LOOSE[order]}(?!\d){_CLOCK_AFTER}",
    ]


def _partial(order: str) -> list[str]:
    return [
        rf"(?<!\d){_YEAR}[- ](?P<ordinal>[1-9]\d{{0,2}})(?!\d)",
        rf"\b{_NAME}[-/., ]+{_YEAR}(?!\d)",
        rf"(?<!\d){_DAY_PART}{_ENDING}[-/., ]*(?:of )?{_NAME}\b",
        rf"\b{_NAME}[-/., ]+(?:the )?{_DAY_PART}{_ENDING}\b",
        rf"(?<![\d/.:-]){_SHORT[order]}(?![\d/.:-])",
        rf"(?<!\d){_CLOCK_PART}",
        rf"^\s*{_YEAR}\s*$",
        rf"^\s*{_NAME}\s*$",
    ]


COMPACT_CLOCK = (r"^\s*(?P<hour>\d{1,2})(?P<minute>[0-5]\d)\s*$",)


_CLOCK = re.compile(r"(?<![\d:])(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*([ap])?\.?(?:m\b)?", re.IGNORECASE)
_HALVED = re.compile(r"\d\s*[ap]\.?m?\b", re.IGNORECASE)
_PADDED = re.compile(r"(?<!\d)0\d")
_STEPS = (30, 15, 60, 120, 10, 5, 20, 240, 180, 360, 480, 720, 90, 45, 1)
_CLOCK_PARTS = frozenset({"hour", "minute", "second"})
_DAY = 24 * 60 * 60
_READINGS = ((patterns("mdy", "ymd"), 0.0), (patterns("dmy", "ymd"), 0.05), (patterns("dmy", "ydm"), 0.12))


def _attribute(name: str) -> Op:
    return native(name, f"{{0}}.{name}", returns="int", words=f"the {name} of {{0}}")


_YEAR2 = native("year2", "({0}.year % 100)", returns="int", words="the short year of {0}")
_INTS: tuple[tuple[Op, str, float, tuple[int, ...]], ...] = (
    (_attribute("year"), "year", 0.0, ()),
    (_YEAR2, "year", 0.3, (2,)),
    (_attribute("month"), "month", 0.0, (2,)),
    (_attribute("day"), "day", 0.0, (2,)),
    (_attribute("hour"), "hour", 0.0, (2,)),
    (helper("hour12", "int", words="the hour of {0}"), "hour", 0.1, (2,)),
    (_attribute("minute"), "minute", 0.0, (2,)),
    (_attribute("second"), "second", 0.0, (2,)),
    (helper("quarter", "int", words="the quarter of {0}"), "month", 0.2, ()),
    (helper("iso_week", "int", words="the ISO week of {0}"), "date", 0.8, (2,)),
    (helper("day_of_year", "int", words="the day of the year of {0}"), "date", 0.8, (3,)),
)
_TEXTS: tuple[tuple[Op, str, float, tuple[int, ...]], ...] = (
    (helper("month_name", words="the name of the month of {0}"), "month", 0.0, (3, 4, 1)),
    (helper("weekday_name", words="the day of the week of {0}"), "date", 0.1, (3, 2, 1)),
    (helper("half_day", words="AM or PM of {0}"), "hour", 0.0, (1,)),
    (helper("day_ending", words="the ending of the day of {0}"), "day", 0.3, ()),
)
_DOWN = helper("time_down", "datetime", words="{0} rounded down")
_ROUNDED = (
    _DOWN,
    helper("time_nearest", "datetime", words="{0} rounded"),
    helper("time_up", "datetime", words="{0} rounded up"),
)
_LATER = helper("seconds_later", "datetime", words="{0} a while later")
_MINUTES_LATER = helper("minutes_later", "datetime", words="{0} a while later")
_BETWEEN = (
    helper("days_between", "int", words="the days from {0} to {1}"),
    helper("minutes_between", "int", words="the minutes from {0} to {1}"),
)


class Moments(NamedTuple):
    """A date or time that the inputs give: its value for every input, and which parts of it are really there."""

    cost: float
    expr: Expr
    values: tuple[datetime | None, ...]
    parts: frozenset[str]


@lru_cache(maxsize=4096)
def _read(text: str, table: tuple[str, ...]) -> tuple[int, frozenset[str]] | None:
    """Return which pattern reads the text, and the parts that it finds."""
    for number, pattern in enumerate(table):
        match = re.search(pattern, text, re.IGNORECASE)
        if match is not None:
            return number, frozenset(name for name, part in match.groupdict().items() if part)
    return None


def moments(column: InputColumn, count: int, *, probed: bool) -> Iterator[Moments]:
    """Yield every way to read all texts of a column as dates or times."""
    seen: set[tuple[Value, ...]] = set()
    for table, cost in (*_READINGS, (COMPACT_CLOCK, 0.5)):
        read = [None if text is None else _read(text, table) for text in column.texts]
        if None in read[:count]:
            continue
        trusted = read if probed else read[:count]
        used = {found[0] for found in trusted if found is not None}
        chosen = _accepted(table, used)
        values = computed(lambda text, chosen=chosen: MOMENT_IN.run(text, chosen), column.texts)
        if None in values[:count] or values in seen:
            continue
        seen.add(values)
        parts = frozenset.intersection(*[_closed(found[1]) for found in read[:count] if found is not None])
        yield Moments(cost, call(MOMENT_IN, column.expr, chosen), values, parts)  # type: ignore[arg-type]


def _accepted(table: tuple[str, ...], used: set[int]) -> tuple[str, ...]:
    """Return the patterns to accept: one for one notation, all if they are mixed; names of months leave no doubt."""
    if len(used) > 1:
        return table
    number = next(iter(used))
    if "<name>" not in table[number] or "<day>" not in table[number] or "<year>" not in table[number]:
        return (table[number],)
    return tuple(pattern for pattern in table if "<name>" in pattern and "<day>" in pattern and "<year>" in pattern)


def _closed(parts: frozenset[str]) -> frozenset[str]:
    """Add the parts that follow from those found."""
    if "name" in parts:
        parts |= {"month"}
    if "ordinal" in parts:
        parts |= {"month", "day"}
    if {"year", "month", "day"} <= parts:
        parts |= {"date"}
    if "hour" in parts:
        parts |= {"minute", "second"}
    return parts


def add_dates(pool: AtomPool, task: SearchTask) -> list[NumberSource]:
    """Offer the parts of every date and time; return those parts that are numbers."""
    numbers: list[NumberSource] = []
    found = [moment for column in task.columns for moment in moments(column, task.count, probed=task.probed)]
    for family, moment in enumerate(found, 1):
        task.check_time()
        rounded = list(_rounded(moment, task)) if "hour" in moment.parts else []
        pool.group = (family, 0)
        numbers += _add_parts(pool, moment._replace(parts=moment.parts - _CLOCK_PARTS))
        clock = moment._replace(parts=moment.parts & _CLOCK_PARTS)
        for member, part in enumerate((clock, *rounded), 1):
            pool.group = (family, member)
            found_numbers = _add_parts(pool, part, more=0.6 if rounded and part is clock else 0.0)
            numbers += found_numbers if part is clock else []
    pool.group = (0, 0)
    numbers += _differences(found, task.count)
    return numbers


def date_numbers(task: SearchTask) -> list[NumberSource]:
    """Return the numbers that dates and times give, for programs whose output is a number."""
    found = [moment for column in task.columns for moment in moments(column, task.count, probed=task.probed)]
    numbers = list(_differences(found, task.count))
    for moment in found[:4]:
        for op, need, more, _ in _INTS:
            if need in moment.parts:
                values = computed(lambda value, op=op: (op.run(value), 0), moment.values)
                numbers.append(NumberSource(1.2 + moment.cost + more, call(WHOLE, call(op, moment.expr)), values))  # type: ignore[arg-type]
    return numbers


def _differences(found: Sequence[Moments], count: int) -> Iterator[NumberSource]:
    dated = [moment for moment in found if moment.parts & {"date", "hour"}][:4]
    for first in dated:
        for second in dated:
            op = _BETWEEN[0] if "date" in first.parts and "date" in second.parts else _BETWEEN[1]
            if first is not second:
                values = computed(lambda a, b, op=op: (op.run(a, b), 0), first.values, second.values)
                if None not in values[:count]:
                    yield NumberSource(0.8, call(WHOLE, call(op, first.expr, second.expr)), values)  # type: ignore[arg-type]


def _add_parts(pool: AtomPool, moment: Moments, *, more: float = 0.0) -> list[NumberSource]:
    """Offer every part of a moment that is really there; return those that are numbers."""
    numbers: list[NumberSource] = []
    base = 1.25 + moment.cost + more
    halved = all(_HALVED.search(output) for output in pool.task.outputs)
    padded_style = any(_PADDED.search(output) for output in pool.task.outputs)
    for op, need, more, widths in _INTS:
        if need not in moment.parts:
            continue
        if need == "hour":
            more = 0.0 if halved == (op.name == "hour12") else 0.4
        values = computed(op.run, moment.values)
        expr = call(op, moment.expr)
        numbers.append(NumberSource(base + more + 0.3, call(WHOLE, expr), computed(lambda value: (value, 0), values)))  # type: ignore[arg-type]
        plain = 0.4 if need in ("minute", "second") or (padded_style and widths) else 0.0
        if op is not _YEAR2:
            pool.offer(base + more + plain, call(STRING, expr), as_texts(values))
        more += 0.0 if plain else 0.1
        for width in widths:
            padded = computed(lambda value, width=width: str(value).zfill(width), values)
            pool.offer(base + more, call(ZFILL, call(STRING, expr), width), as_texts(padded))
    for op, need, more, sizes in _TEXTS:
        if need not in moment.parts:
            continue
        names = as_texts(computed(op.run, moment.values))
        pool.offer_cased(base + more, call(op, moment.expr), names)
        for size in sizes:
            short = tuple(None if name is None else name[:size] for name in names)
            pool.offer_cased(base + more + 0.1, call(FIRST, call(op, moment.expr), size), short)
    return numbers


def _rounded(moment: Moments, task: SearchTask) -> Iterator[Moments]:
    """Yield the moment rounded so that the times in the outputs come out, and the ends of ranges around it."""
    clocks = [_clocks(output) for output in task.outputs]
    sizes = {len(each) for each in clocks}
    if sizes == {1}:
        yield from _single(moment, [each[0] for each in clocks])
    elif sizes == {2}:
        yield from _ranged(moment, [each[0] for each in clocks], [each[1] for each in clocks])


def _clocks(output: str) -> list[int]:
    """Return the times of day in an output, in seconds."""
    found: list[int] = []
    for hour, minute, second, half in _CLOCK.findall(output):
        if (minute or half) and int(hour) <= 24:
            late = 12 if half.lower() == "p" else 0
            hours = int(hour) % 12 + late if half else int(hour)
            found.append(hours * 3600 + int(minute or 0) * 60 + int(second or 0))
    return found


def _single(moment: Moments, wanted: Sequence[int]) -> Iterator[Moments]:
    hours = [None if value is None else value.hour * 3600 for value in moment.values]
    if all(hour == target for hour, target in zip(hours, wanted, strict=False)):
        return
    for rank, step in enumerate(_STEPS):
        if any(target % (step * 60) for target in wanted):
            continue
        for more, op in enumerate(_ROUNDED):
            rounded = _applied(op, moment, step, 0, cost=0.5 + 0.05 * rank + 0.1 * more)
            if _agree(rounded, wanted) and rounded.values != moment.values:
                yield rounded


def _ranged(moment: Moments, lows: Sequence[int], highs: Sequence[int]) -> Iterator[Moments]:
    widths = {(high - low) % _DAY for low, high in zip(lows, highs, strict=True)}
    if len(widths) != 1:
        return
    width = widths.pop()
    for seconds in (width, width + 60, width + 1, width + 3600):
        step, rest = divmod(seconds, 60)
        if rest or not step:
            continue
        offset = lows[0] // 60 % step
        low = _applied(_DOWN, moment, step, offset, cost=0.3)
        if _agree(low, lows):
            yield low
            op, size = (_MINUTES_LATER, width // 60) if width % 60 == 0 else (_LATER, width)
            yield _applied(op, low, size, cost=0.05)
            return


def _applied(op: Op, moment: Moments, *args: int, cost: float) -> Moments:
    values = computed(lambda value: op.run(value, *args), moment.values)
    return Moments(moment.cost + cost, call(op, moment.expr, *args), values, moment.parts & _CLOCK_PARTS)  # type: ignore[arg-type]


def _agree(moment: Moments, wanted: Sequence[int]) -> bool:
    return all(
        value is not None and value.hour * 3600 + value.minute * 60 + value.second == target % _DAY
        for value, target in zip(moment.values, wanted, strict=False)
    )
