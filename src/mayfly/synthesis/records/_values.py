"""Work out parts of values on the host: moments as the clock on the wall shows them, domains, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mayfly.language.question import Arithmetic, Column, Constant, Expression, PartOf
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Field

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Row = Mapping[str, object]
# How many characters of an ISO moment name the span it lies in.
CUTS = {"second": 19, "minute": 16, "hour": 13, "date": 10, "month": 7, "year": 4}


@dataclass(kw_only=True)
class Values:
    """Read expressions of rows; what moments are written like is known from the fields."""

    fields: Mapping[str, Field]
    _moments: dict[tuple[str, object], datetime | None] = field(default_factory=dict)

    def of(self, expression: Expression, row: Row) -> object:
        """Return the value of an expression for a row; None where there is none."""
        if isinstance(expression, Column):
            return row.get(expression.name)
        if isinstance(expression, Constant):
            return expression.value
        if isinstance(expression, PartOf):
            return self._part(expression, row)
        if self.is_moment(expression.left) and self.is_moment(expression.right):
            last, first = self.moment(expression.left, row), self.moment(expression.right, row)
            return (last - first).total_seconds() if last is not None and first is not None else None
        return _work(expression, self.of(expression.left, row), self.of(expression.right, row))

    def moment(self, expression: Expression, row: Row) -> datetime | None:
        """Return the moment that a column holds for a row, without its zone."""
        if not isinstance(expression, Column):
            return None
        value = row.get(expression.name)
        key = expression.name, value if isinstance(value, (str, int, float)) else None
        if key not in self._moments:
            self._moments[key] = _moment(self.fields[expression.name], value)
        return self._moments[key]

    def _part(self, expression: PartOf, row: Row) -> object:
        value = self.of(expression.of, row)
        if expression.part == "domain":
            return value.rpartition("@")[2].lower() if isinstance(value, str) and "@" in value else None
        if expression.part == "small letters":
            return value.lower() if isinstance(value, str) else value
        if expression.part == "length":
            return len(str(value)) if value is not None else None
        if expression.part == "items":
            return len(value) if isinstance(value, list) else None
        when = self.moment(expression.of, row)
        if when is None or not isinstance(expression.of, Column):
            return None
        field = self.fields[expression.of.name]
        yearless = field.kind == "time" and not _times.has_year(field.layout)
        return span_text(expression.part, when, yearless=yearless)

    def comparable(self, expression: Expression, row: Row) -> object:
        """Return what a row is sorted by: moments as such, anything else as it is."""
        if isinstance(expression, Column) and self.is_moment(expression):
            return self.moment(expression, row)
        return self.of(expression, row)

    def is_moment(self, expression: Expression) -> bool:
        """Say whether an expression holds moments."""
        found = self.fields.get(expression.name) if isinstance(expression, Column) else None
        return found is not None and found.kind in ("time", "epoch")


def span_text(part: str, when: datetime, *, yearless: bool) -> str | int:
    """Return how the span that a moment lies in is written; without a year where there is none."""
    if part == "weekday":
        return WEEKDAYS[when.weekday()]
    if part in ("hour of day", "day of month", "month of year"):
        return {"hour of day": when.hour, "day of month": when.day, "month of year": when.month}[part]
    if part == "clock time":
        return when.strftime("%H:%M:%S")
    if part == "week":
        year, week, _ = when.isocalendar()
        return f"{year}-W{week:02}"
    if part == "quarter":
        return f"{when.year}-Q{(when.month + 2) // 3}"
    written = when.isoformat(" ", "seconds")[: CUTS[part]] + (":00" if part == "hour" else "")
    return written[5:] if yearless and part != "year" else written


def _moment(found: Field, value: object) -> datetime | None:
    if isinstance(value, bool) or value is None:
        return None
    if found.kind == "epoch" and isinstance(value, (int, float)):
        return datetime(1970, 1, 1) + timedelta(seconds=value / (1000 if found.layout == "milliseconds" else 1))
    if found.kind != "time" or not isinstance(value, str):
        return None
    when = _times.moment(found.layout, value)
    return when.replace(tzinfo=None) if when else None


def _work(expression: Arithmetic, left: object, right: object) -> int | float | None:
    if not _is_number(left) or not _is_number(right):
        return None
    assert isinstance(left, (int, float))
    assert isinstance(right, (int, float))
    if expression.sign == "+":
        return left + right
    if expression.sign == "-":
        return left - right
    if expression.sign == "*":
        return left * right
    return left / right if right else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


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
