"""Write expressions and conditions of a query as SQL over the columns of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Literal, cast

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
from mayfly.synthesis.records._sql_source import Held
from mayfly.synthesis.records._sql_text import joined, literal

Sort = Literal["int", "float", "text", "bool", "list"]
_SORTS: dict[str, Sort] = {"int": "int", "float": "float", "epoch": "float", "bool": "bool", "list": "list"}
# How the spans are written in which moments lie; those that begin with a year are cut where there is none.
_SPANS = {
    "second": "%Y-%m-%d %H:%M:%S",
    "minute": "%Y-%m-%d %H:%M",
    "hour": "%Y-%m-%d %H:00",
    "date": "%Y-%m-%d",
    "month": "%Y-%m",
    "clock time": "%H:%M:%S",
    "week": "%G-W%V",
    "year": "%Y",
}
_NUMBERS = {"hour of day": "hour", "day of month": "day", "month of year": "month"}
LINE = Held(value="line", kind="text", empty=True)
_EDGES = {"starts with": "starts_with", "ends with": "ends_with"}
# The column that tells how often the same values are there.
TIMES = "times"


class Values:
    """Write what is asked of the rows of *table*."""

    def __init__(
        self, columns: Mapping[str, Held], fields: Mapping[str, Field], table: str, *, plain: bool = False
    ) -> None:
        self.columns, self.fields, self.table, self.plain = dict(columns), fields, table, plain

    # Expressions.

    def held(self, column: Column) -> Held:
        """Return a column; the whole line has no name."""
        return self.columns[column.name] if column.name else LINE

    def sort(self, of: Expression) -> Sort:
        """Return what kind of value an expression has."""
        if isinstance(of, Column):
            return _SORTS.get(self.held(of).kind, "text")
        if isinstance(of, Constant):
            return "int" if isinstance(of.value, int) else "float"
        if isinstance(of, PartOf):
            return "int" if of.part in ("length", "items", *_NUMBERS) else "text"
        whole = {self.sort(side) for side in (of.left, of.right)} == {"int"} and of.sign != "/"
        return "int" if whole and not self.is_moment(of.left) else "float"

    def is_moment(self, of: Expression) -> bool:
        """Say whether an expression is a column of moments."""
        return isinstance(of, Column) and bool(of.name) and self.fields[of.name].kind in ("time", "epoch")

    def moment(self, of: Expression) -> str:
        """Return the moment in a column."""
        assert isinstance(of, Column)
        return self.held(of).moment

    def rank(self, of: Expression) -> str:
        """Return what rows are sorted by: moments as such, anything else as it is."""
        return self.moment(of) if self.is_moment(of) else self.value(of)

    def value(self, of: Expression) -> str:
        """Return the value of an expression, NULL where there is none."""
        if isinstance(of, Column):
            return self.held(of).value
        if isinstance(of, Constant):
            return literal(of.value)
        if isinstance(of, PartOf):
            return self._part(of)
        if self.is_moment(of.left) and self.is_moment(of.right):
            return f"epoch({self.moment(of.left)}) - epoch({self.moment(of.right)})"
        left, right = self._operand(of.left), self._operand(of.right)
        return f"{left} {of.sign} {f'nullif({right}, 0)' if of.sign == '/' else right}"

    def _operand(self, of: Expression) -> str:
        return f"({self.value(of)})" if isinstance(of, Arithmetic) else self.value(of)

    def text(self, of: Expression) -> str:
        """Return the text of a value."""
        value = self.value(of)
        return value if self.sort(of) == "text" else f"CAST({value} AS VARCHAR)"

    def given(self, of: Expression) -> str:
        """Return a value; NULL also for an empty text, which only objects have."""
        value = self.value(of)
        empty = isinstance(of, Column) and self.held(of).empty and self.sort(of) == "text"
        return f"nullif({value}, '')" if empty else value

    def _part(self, of: PartOf) -> str:
        value = self.value(of.of)
        if of.part == "domain":
            return f"CASE WHEN contains({value}, '@') THEN lower(split_part({value}, '@', -1)) END"
        if of.part == "small letters":
            return f"lower({value})" if self.sort(of.of) == "text" else value
        if of.part == "length":
            return f"length({self.text(of.of)})"
        if of.part == "items":
            return f"len({value})" if self.sort(of.of) == "list" else "NULL"
        return self._span(of) if self.is_moment(of.of) else "NULL"

    def _span(self, of: PartOf) -> str:
        assert isinstance(of.of, Column)
        moment = self.moment(of.of)
        if of.part in _NUMBERS:
            return f"{_NUMBERS[of.part]}({moment})"
        if of.part == "weekday":
            return f"dayname({moment})"
        if of.part == "quarter":
            return f"year({moment}) || '-Q' || quarter({moment})"
        field, layout = self.fields[of.of.name], _SPANS[of.part]
        yearless = field.kind == "time" and not _times.has_year(field.layout) and of.part != "year"
        return f"strftime({moment}, '{layout.removeprefix('%Y-') if yearless else layout}')"

    # Conditions.

    def condition(self, condition: Condition) -> str:
        """Return a condition, which is true for the rows that it holds for."""
        if isinstance(condition, And):
            return joined("AND", [self._inner(one) for one in condition.of])
        if isinstance(condition, Or):
            return joined("OR", [self._inner(one) for one in condition.of])
        if isinstance(condition, Not):
            if isinstance(condition.of, Missing):
                return self._missing(condition.of.of, is_not=True)
            return f"({self.condition(condition.of)}) IS NOT TRUE"
        if isinstance(condition, Missing):
            return self._missing(condition.of)
        if isinstance(condition, Recent):
            newest = f"(SELECT max({self.moment(condition.of)}) FROM {self.table})"
            return f"{self.moment(condition.of)} >= {newest} - INTERVAL {condition.seconds} SECOND"
        if isinstance(condition, Repeated):
            held = [f"{self.given(of)} IS NOT NULL" for of in condition.of]
            line = ["line <> ''"] if not condition.of and self.plain else []
            return joined("AND", [f"{TIMES} > 1", *held, *line])
        return self._compare(condition)

    def _inner(self, condition: Condition) -> str:
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, (And, Or, Repeated)) or " AND " in text else text

    def _missing(self, of: Expression, *, is_not: bool = False) -> str:
        if self.sort(of) == "list":
            return f"coalesce(len({self.value(of)}), 0) {'>' if is_not else '='} 0"
        return f"{self.given(of)} IS {'NOT ' if is_not else ''}NULL"

    def _compare(self, condition: Compare) -> str:
        left, operator, value = condition.left, condition.operator, condition.value
        if operator == "during":
            return self._during(left, cast("tuple[datetime, datetime]", value))
        if isinstance(value, Column):
            return self._two_columns(left, operator, value)
        if operator in ("contains", "has word"):
            return self._contains(left, str(value).lower())
        if operator in ("starts with", "ends with"):
            return f"{_EDGES[operator]}({self.text(left)}, {literal(value)})"
        if operator == "between":
            low, high = cast("tuple[object, object]", value)
            return self._typed(left, low, lambda one: f"{one} BETWEEN {literal(low)} AND {literal(high)}")
        if operator == "in":
            return self._among(left, value if isinstance(value, tuple) else (value,))
        if operator == "!=":
            return self._typed(left, value, lambda one: f"{one} IS DISTINCT FROM {literal(value)}", other="true")
        return self._typed(left, value, lambda one: f"{one} {operator} {literal(value)}")

    def _typed(self, of: Expression, value: object, test: Callable[[str], str], other: str = "false") -> str:
        """Return a test of an expression that is of the kind of *value*; *other* where it is of another kind."""
        sort = self.sort(of)
        if isinstance(value, bool) or sort == "bool":
            return test(self.value(of)) if isinstance(value, bool) and sort == "bool" else other
        if isinstance(value, (int, float)):
            if sort == "text" and isinstance(of, Column) and self.held(of).json:
                return test(f"TRY_CAST({self.value(of)} AS DOUBLE)")
            return test(self.value(of)) if sort in ("int", "float") else other
        return test(self.value(of)) if sort == "text" and isinstance(value, str) else other

    def _among(self, of: Expression, values: tuple[object, ...]) -> str:
        kinds = {"bool": bool, "int": (int, float), "float": (int, float)}.get(self.sort(of), str)
        fitting = [one for one in values if isinstance(one, kinds)]  # type: ignore[arg-type]
        return self._typed(of, (*fitting, None)[0], lambda one: f"{one} IN ({', '.join(map(literal, fitting))})")

    def _contains(self, of: Expression, wanted: str) -> str:
        if self.sort(of) == "list":
            return f"list_contains(list_transform({self.value(of)}, lambda one: lower(one)), {literal(wanted)})"
        return f"contains(lower({self.text(of)}), {literal(wanted)})"

    def _two_columns(self, left: Expression, operator: str, right: Column) -> str:
        sign = "IS DISTINCT FROM" if operator == "!=" else operator
        numbers = [self.sort(of) in ("int", "float") for of in (left, right)]
        if self.is_moment(left) != self.is_moment(right) or numbers[0] != numbers[1]:
            return "true" if operator == "!=" else "false"
        return f"{self.rank(left)} {sign} {self.rank(right)}"

    def _during(self, of: Expression, span: tuple[datetime, datetime]) -> str:
        moment = self.moment(of)
        # Before year 2 and from 9999 on a span is open.
        tests = [
            f"{moment} {sign} {literal(bound)}"
            for sign, bound in zip((">=", "<"), span, strict=True)
            if 1 < bound.year < 9999
        ]
        return " AND ".join(tests) or f"{moment} IS NOT NULL"
