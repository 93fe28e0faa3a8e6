"""Write the conditions of a program as functions that say which rows are wanted."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from mayfly.language.question import (
    And,
    Column,
    Compare,
    Condition,
    Expression,
    Missing,
    Not,
    Or,
    Recent,
    Repeated,
    walk,
)
from mayfly.synthesis.records._source import Source, literal
from mayfly.synthesis.records._write_values import ValueWriter

# A longer test is written with one line for each of its parts.
_LONGEST = 100


def needs_all(condition: Condition | None) -> bool:
    """Say whether a condition can be told only when all rows are there."""
    return any(isinstance(part, (Recent, Repeated)) for part in walk(condition))


class ConditionWriter:
    """Write tests of rows."""

    def __init__(self, source: Source, values: ValueWriter) -> None:
        self.source, self.values = source, values

    def write(self, name: str, condition: Condition, docstring: str, *more: str) -> None:
        """Write a function that says whether a condition holds for a row; it may take *more* than the row."""
        text = self._test(condition)
        parameters = ", ".join(("row: Row", *more))
        body = [f"return {text}"]
        if len(text) > _LONGEST and isinstance(condition, (And, Or)):
            joint = "and" if isinstance(condition, And) else "or"
            body = [
                "return (",
                *(f"    {joint + ' ' if at else ''}{self._inner(one)}" for at, one in enumerate(condition.of)),
                ")",
            ]
        self.source.function(f"def {name}({parameters}) -> bool:", docstring, body)

    def _inner(self, condition: Condition) -> str:
        text = self._test(condition)
        return f"({text})" if isinstance(condition, (And, Or)) or " and " in text else text

    def _test(self, condition: Condition) -> str:
        if isinstance(condition, And):
            return " and ".join(map(self._inner, condition.of))
        if isinstance(condition, Or):
            return " or ".join(map(self._inner, condition.of))
        if isinstance(condition, Not):
            return f"not ({self._test(condition.of)})"
        if isinstance(condition, Missing):
            self.values.use("missing")
            return f"missing({self.values.value(condition.of)})"
        if isinstance(condition, Recent):
            assert isinstance(condition.of, Column)
            return f"((when := {self.values.moment(condition.of)}) is not None and when >= since)"
        if isinstance(condition, Repeated):
            given = condition.of or (Column(name=""),)
            return "counts[identity(row)] > 1" + "".join(f" and not missing({self.values.value(of)})" for of in given)
        return self._comparison(condition)

    def _comparison(self, condition: Compare) -> str:
        left, operator, value = condition.left, condition.operator, condition.value
        if operator == "during":
            return self._during(condition)
        if isinstance(value, Column):
            return self._two_columns(left, operator, value)
        if operator in ("contains", "has word"):
            self.values.use("contains")
            held = self.values.text(left) if isinstance(left, Column) and not left.name else self.values.value(left)
            return f"contains({held}, {literal(str(value).lower())})"
        if operator in ("starts with", "ends with"):
            method = "startswith" if operator == "starts with" else "endswith"
            return f"{self.values.text(left)}.{method}({literal(str(value))})"
        if operator == "between" and isinstance(value, tuple):
            self.values.use("compare")
            held = self.values.number(left)
            return f'compare({held}, ">=", {literal(value[0])}) and compare({held}, "<=", {literal(value[1])})'
        if operator == "in" and isinstance(value, tuple):
            return f"{self.values.value(left)} in {literal(value)}"
        if isinstance(value, bool):
            return (
                f"{self.values.value(left)} is {value}"
                if operator == "="
                else f"{self.values.value(left)} is not {value}"
            )
        if operator in ("=", "!="):
            return f"{self.values.value(left)} {'==' if operator == '=' else '!='} {literal(value)}"
        if isinstance(value, str):
            # Texts that sort as what they stand for; nothing comes before all of them and is none of them.
            held = f'({self.values.value(left)} or "")'
            return f"{'' if operator.startswith('>') else chr(34) * 2 + ' < '}{held} {operator} {literal(value)}"
        self.values.use("compare")
        return f'compare({self.values.number(left)}, "{operator}", {literal(value)})'

    def _two_columns(self, left: Expression, operator: str, right: Column) -> str:
        sign = {"=": "==", "!=": "!="}.get(operator, operator)
        if self.values.is_moment(left):
            held = self.values.rank(left), self.values.rank(right)
            return (
                f'({held[0]} or "") {sign} ({held[1]} or "")'
                if sign in ("==", "!=")
                else f'"" < ({held[0]} or "") {sign} ({held[1]} or "")'
                if operator.startswith("<")
                else f'({held[0]} or "") {sign} ({held[1]} or "") > ""'
            )
        self.values.use("compare")
        return f'compare({self.values.number(left)}, "{operator}", {self.values.number(right)})'

    def _during(self, condition: Compare) -> str:
        assert isinstance(condition.left, Column)
        start, end = cast("tuple[datetime, datetime]", condition.value)
        tests = []
        moment = self.values.moment(condition.left)
        for sign, bound in ((">=", start), ("<", end)):
            if 1 < bound.year < 9999:
                tests.append(f"when {sign} {_moment_literal(bound)}")
        return f"((when := {moment}) is not None and {' and '.join(tests)})"


def _moment_literal(when: datetime) -> str:
    held = [when.year, when.month, when.day, when.hour, when.minute, when.second]
    while len(held) > 3 and not held[-1]:
        held.pop()
    return f"datetime({', '.join(map(str, held))})"
