"""Numbers that are a multiple of a number in the inputs, perhaps with something added."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mayfly.core import same
from mayfly.synthesis.examples._enumerate import FAILED, Bank, Entry, evaluated
from mayfly.synthesis.examples._ops import call
from mayfly.synthesis.examples._search import Candidate
from mayfly.synthesis.examples._tree import Expr, Value
from mayfly.synthesis.examples._typed import ADD, DIVIDE, FLOOR_DIVIDE, MULTIPLY, SUBTRACT

_CHEAP = 1.8


def linear(bank: Bank, wanted: Sequence[Value]) -> list[Candidate]:
    """Return the wanted numbers as a multiple of a number in the inputs, perhaps with something added."""
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in wanted):
        return []
    found: list[Candidate] = []
    for entry in bank.all():
        if entry.kind in ("int", "float") and entry.cost < _CHEAP:
            expr = _line(entry, wanted, whole=all(isinstance(value, int) for value in wanted))
            values = evaluated(expr, bank.task.inputs) if expr is not None else ()
            if expr is not None and all(same(value, target) for value, target in zip(values, wanted, strict=False)):
                given = tuple(None if value is FAILED else value for value in values)
                found.append(Candidate(entry.cost + 3.2, expr, given))
    return found[:4]


def _line(entry: Entry, wanted: Sequence[Value], *, whole: bool) -> Expr | None:
    """Return the straight line through the examples, if its slope is a simple fraction."""
    pairs = [(Fraction(str(a)), Fraction(str(b))) for a, b in zip(entry.values, wanted, strict=False)]
    (x, y), (u, v) = pairs[0], next((pair for pair in pairs if pair[0] != pairs[0][0]), pairs[0])
    if x == u:
        return None
    slope = (v - y) / (u - x)
    offset = y - slope * x
    simple = slope.limit_denominator(1000)
    if not simple or abs(simple - slope) > Fraction(1, 10**9) or (offset and len(pairs) < 3) or simple == 1:
        return None
    before = (offset / simple).limit_denominator(100)
    inner = entry.expr if not offset else call(ADD if before > 0 else SUBTRACT, entry.expr, _number(abs(before)))
    scaled = inner if abs(simple.numerator) == simple.numerator == 1 else call(MULTIPLY, inner, simple.numerator)
    if simple.denominator == 1:
        return scaled
    return call(FLOOR_DIVIDE if whole and entry.kind == "int" else DIVIDE, scaled, simple.denominator)


def _number(value: Fraction) -> Value:
    return value.numerator if value.denominator == 1 else float(value)
