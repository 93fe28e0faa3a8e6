"""Tell on the host which rows a condition holds for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import cast

from mayfly.language.question import And, Column, Compare, Condition, Missing, Not, Or, Recent, Repeated
from mayfly.synthesis.records._values import Row, Values


class Matcher:
    """Test rows by the conditions of a query."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def filter(self, rows: Sequence[Row], where: Condition) -> list[Row]:
        """Return the rows for which a condition holds."""
        test = self.test(where, rows)
        return [row for row in rows if test(row)]

    def test(self, condition: Condition, rows: Sequence[Row]) -> Callable[[Row], bool]:
        """Return the test of a condition, which may look at all rows."""
        if isinstance(condition, And):
            every = [self.test(one, rows) for one in condition.of]
            return lambda row: all(test(row) for test in every)
        if isinstance(condition, Or):
            some = [self.test(one, rows) for one in condition.of]
            return lambda row: any(test(row) for test in some)
        if isinstance(condition, Not):
            inner = self.test(condition.of, rows)
            return lambda row: not inner(row)
        if isinstance(condition, Missing):
            of = condition.of
            return lambda row: self._values.of(of, row) in (None, "", [])
        if isinstance(condition, Recent):
            return self._recent(condition, rows)
        if isinstance(condition, Repeated):
            return self._repeated(condition, rows)
        return self._compare(condition)

    def _recent(self, condition: Recent, rows: Sequence[Row]) -> Callable[[Row], bool]:
        moments = [when for row in rows if (when := self._values.moment(condition.of, row))]
        since = max(moments) - timedelta(seconds=condition.seconds) if moments else datetime.max
        return lambda row: (when := self._values.moment(condition.of, row)) is not None and when >= since

    def _repeated(self, condition: Repeated, rows: Sequence[Row]) -> Callable[[Row], bool]:
        counts: dict[str, int] = {}

        def key(row: Row) -> str:
            held = [self._values.of(of, row) for of in condition.of] if condition.of else [_whole(row)]
            return json.dumps(held, sort_keys=True)

        for row in rows:
            counts[key(row)] = counts.get(key(row), 0) + 1
        given = condition.of or (Column(name=""),)

        def test(row: Row) -> bool:
            return counts[key(row)] > 1 and all(self._values.of(of, row) not in (None, "") for of in given)

        return test

    def _compare(self, condition: Compare) -> Callable[[Row], bool]:
        left, operator, value = condition.left, condition.operator, condition.value
        if operator == "during":
            start, end = cast("tuple[datetime, datetime]", value)
            return lambda row: (when := self._values.moment(left, row)) is not None and start <= when < end
        if isinstance(value, Column):
            other = value
            return lambda row: is_ordered(
                operator, self._values.comparable(left, row), self._values.comparable(other, row)
            )
        if operator in ("contains", "has word"):
            pattern = re.compile(re.escape(str(value)), re.IGNORECASE)
            return lambda row: _contains(pattern, self._values.of(left, row))
        if operator == "starts with":
            return lambda row: _text(self._values.of(left, row)).startswith(str(value))
        if operator == "ends with":
            return lambda row: _text(self._values.of(left, row)).endswith(str(value))
        if operator == "between":
            low, high = cast("tuple[float, float]", value)
            return lambda row: (
                is_ordered(">=", self._values.of(left, row), low) and is_ordered("<=", self._values.of(left, row), high)
            )
        if operator == "in":
            held = value if isinstance(value, tuple) else (value,)
            return lambda row: any(_same(self._values.of(left, row), one) for one in held)
        if operator == "=":
            return lambda row: _same(self._values.of(left, row), value)
        if operator == "!=":
            return lambda row: not _same(self._values.of(left, row), value)
        return lambda row: is_ordered(operator, self._values.of(left, row), value)


def _whole(row: Row) -> object:
    return {name: value for name, value in row.items() if name} or row.get("")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _same(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def is_ordered(operator: str, one: object, other: object) -> bool:
    """Compare two values by size; what cannot be compared is never so."""
    if one is None or other is None:
        return operator == "!=" and one is not other
    numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
    alike = numbers or (isinstance(one, str) and isinstance(other, str)) or type(one) is type(other)
    if not alike or isinstance(one, bool) or isinstance(other, bool):
        return operator == "!="
    tests: dict[str, bool] = {
        "=": one == other,
        "!=": one != other,
        "<": one < other,  # type: ignore[operator]
        "<=": one <= other,  # type: ignore[operator]
        ">": one > other,  # type: ignore[operator]
        ">=": one >= other,  # type: ignore[operator]
    }
    return tests[operator]


def _contains(pattern: re.Pattern[str], value: object) -> bool:
    if isinstance(value, list):
        return any(pattern.fullmatch(str(item)) for item in value)
    return value is not None and bool(pattern.search(str(value)))
