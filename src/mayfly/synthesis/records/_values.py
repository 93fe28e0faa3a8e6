"""What the expressions of a query give for rows in memory, and which rows its conditions hold for."""

from __future__ import annotations

import json
import operator as signs
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeGuard, cast

from mayfly.language.question import (
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Missing,
    Not,
    Or,
    PartOf,
    Recent,
    Repeated,
)
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Field

Row = Mapping[str, object]
# How many characters of an ISO moment name the span it lies in, and what `strftime` makes of other parts of it.
_CUTS = {"second": 19, "minute": 16, "hour": 13, "date": 10, "month": 7, "year": 4}
_WRITTEN = {"clock time": "%H:%M:%S", "week": "%G-W%V"}
_NUMBERS = {"hour of day": "hour", "day of month": "day", "month of year": "month"}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ORDERS: dict[str, Callable[[Any, Any], object]] = {
    "=": signs.eq,
    "<": signs.lt,
    "<=": signs.le,
    ">": signs.gt,
    ">=": signs.ge,
}
_WORKED = {"+": signs.add, "-": signs.sub, "*": signs.mul, "/": signs.truediv}


class Values:
    """Give values of expressions for single rows; how moments are written is known from the *fields*.

    Some conditions look at all *rows*: at the newest moment, or at how often the same is there.
    """

    def __init__(self, fields: Mapping[str, Field], rows: Sequence[Row] = ()) -> None:
        self.fields, self.rows = fields, rows
        self._moments: dict[tuple[str, object], datetime | None] = {}
        self._newest: dict[Expression, datetime | None] = {}
        self._counts: dict[Repeated, Counter[str]] = {}

    # Expressions.

    def value(self, of: Expression, row: Row) -> object:
        """Return the value of an expression for a row; None where there is none."""
        if isinstance(of, Column):
            return row.get(of.name)
        if isinstance(of, Constant):
            return of.value
        if isinstance(of, PartOf):
            return self._part(of, row)
        if self.is_moment(of.left) and self.is_moment(of.right):
            last, first = self.moment(of.left, row), self.moment(of.right, row)
            return (last - first).total_seconds() if last is not None and first is not None else None
        return _work(of, self.value(of.left, row), self.value(of.right, row))

    def rank(self, of: Expression, row: Row) -> object:
        """Return what a row is sorted by: moments as such, anything else as it is."""
        return self.moment(of, row) if self.is_moment(of) else self.value(of, row)

    def is_moment(self, of: Expression) -> bool:
        """Say whether an expression holds moments."""
        found = self.fields.get(of.name) if isinstance(of, Column) else None
        return found is not None and found.kind in ("time", "epoch")

    def moment(self, of: Expression, row: Row) -> datetime | None:
        """Return the moment that a column holds for a row, without its zone."""
        if not isinstance(of, Column):
            return None
        value = row.get(of.name)
        if not isinstance(value, (str, int, float)):
            return None
        key = of.name, value
        if key not in self._moments:
            self._moments[key] = _moment(self.fields[of.name], value)
        return self._moments[key]

    def _part(self, of: PartOf, row: Row) -> object:
        value = self.value(of.of, row)
        if of.part == "domain":
            return value.rpartition("@")[2].lower() if isinstance(value, str) and "@" in value else None
        if of.part == "small letters":
            return value.lower() if isinstance(value, str) else value
        if of.part == "length":
            return len(str(value)) if value is not None else None
        if of.part == "items":
            return len(value) if isinstance(value, list) else None
        when = self.moment(of.of, row)
        if when is None or not isinstance(of.of, Column):
            return None
        field = self.fields[of.of.name]
        return _part_of_moment(of.part, when, yearless=field.kind == "time" and not _times.has_year(field.layout))

    # Conditions.

    def holds(self, condition: Condition, row: Row) -> bool:
        """Say whether a condition holds for a row."""
        if isinstance(condition, And):
            return all(self.holds(one, row) for one in condition.of)
        if isinstance(condition, Or):
            return any(self.holds(one, row) for one in condition.of)
        if isinstance(condition, Not):
            return not self.holds(condition.of, row)
        if isinstance(condition, Missing):
            return self.value(condition.of, row) in (None, "", [])
        if isinstance(condition, Recent):
            return self._is_recent(condition, row)
        if isinstance(condition, Repeated):
            return self._is_repeated(condition, row)
        return self._passes(condition, row)

    def _is_recent(self, condition: Recent, row: Row) -> bool:
        if condition.of not in self._newest:
            moments = [when for one in self.rows if (when := self.moment(condition.of, one)) is not None]
            self._newest[condition.of] = max(moments, default=None)
        when, newest = self.moment(condition.of, row), self._newest[condition.of]
        return when is not None and newest is not None and when >= newest - timedelta(seconds=condition.seconds)

    def _is_repeated(self, condition: Repeated, row: Row) -> bool:
        if condition not in self._counts:
            self._counts[condition] = Counter(self._repeated(condition, one) for one in self.rows)
        given = condition.of or (Column(name=""),)
        return self._counts[condition][self._repeated(condition, row)] > 1 and all(
            self.value(of, row) not in (None, "") for of in given
        )

    def _repeated(self, condition: Repeated, row: Row) -> str:
        """Return what may be there again: some values, else those of all columns, else the line."""
        if condition.of:
            return identity([self.value(of, row) for of in condition.of])
        return identity({name: value for name, value in row.items() if name} or row.get(""))

    def _passes(self, condition: Compare, row: Row) -> bool:
        operator, wanted = condition.operator, condition.value
        if operator == "during":
            start, end = cast("tuple[datetime, datetime]", wanted)
            when = self.moment(condition.left, row)
            return when is not None and start <= when < end
        if isinstance(wanted, Column):
            return compared(self.rank(condition.left, row), operator, self.rank(wanted, row))
        value = self.value(condition.left, row)
        if operator in ("contains", "has word"):
            return _contains(value, str(wanted).lower())
        if operator == "starts with":
            return _text(value).startswith(str(wanted))
        if operator == "ends with":
            return _text(value).endswith(str(wanted))
        if operator == "between":
            low, high = cast("tuple[object, object]", wanted)
            return compared(value, ">=", low) and compared(value, "<=", high)
        if operator == "in":
            return any(compared(value, "=", one) for one in (wanted if isinstance(wanted, tuple) else (wanted,)))
        return compared(value, operator, wanted)


def compared(one: object, operator: str, other: object) -> bool:
    """Compare two values; what is missing or of another kind is different, and neither larger nor smaller."""
    alike = one is not None and other is not None and _kind(one) is _kind(other)
    if operator == "!=":
        return one != other if alike else one is not other
    return alike and bool(_ORDERS[operator](one, other))


def _kind(value: object) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _contains(value: object, wanted: str) -> bool:
    """Say whether a text is found in another, or among the items of a list; case does not count."""
    if isinstance(value, list):
        return any(str(item).lower() == wanted for item in value)
    return value is not None and wanted in str(value).lower()


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _moment(found: Field, value: str | float) -> datetime | None:
    if found.kind == "epoch" and not isinstance(value, str):
        return datetime(1970, 1, 1) + timedelta(seconds=value / (1000 if found.layout == "milliseconds" else 1))
    when = _times.moment(found.layout, value) if found.kind == "time" and isinstance(value, str) else None
    return when.replace(tzinfo=None) if when else None


def _part_of_moment(part: str, when: datetime, *, yearless: bool) -> str | int:
    """Return a part of a moment, or how the span that it lies in is written; without a year where there is none."""
    if part == "weekday":
        return _WEEKDAYS[when.weekday()]
    if part in _NUMBERS:
        return int(getattr(when, _NUMBERS[part]))
    if part in _WRITTEN:
        return when.strftime(_WRITTEN[part])
    if part == "quarter":
        return f"{when.year}-Q{(when.month + 2) // 3}"
    written = when.isoformat(" ", "seconds")[: _CUTS[part]] + (":00" if part == "hour" else "")
    return written[5:] if yearless and part != "year" else written


def _work(of: Arithmetic, left: object, right: object) -> int | float | None:
    """Work two numbers into one; nothing where one of them is none, or what is divided by is zero."""
    if not is_number(left) or not is_number(right) or (of.sign == "/" and not right):
        return None
    found: int | float = _WORKED[of.sign](left, right)
    return found


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a value is a number; a truth is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def identity(value: object) -> str:
    """Return a text that only equal values have."""
    return json.dumps(value, sort_keys=True)


def key_text(value: object) -> str:
    """Return a value as the key of an object: what is missing is a dash, whole numbers have no fraction."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    # Zero has no sign.
    return str(value or 0).removesuffix(".0") if isinstance(value, float) else str(value)


def sort_key(value: object) -> tuple[int, object]:
    """Sort what is missing last, numbers by size, anything else as text."""
    if value is None:
        return 3, ""
    if isinstance(value, (int, float)):
        return 0, value
    if isinstance(value, datetime):
        return 1, value
    return 2, str(value)
