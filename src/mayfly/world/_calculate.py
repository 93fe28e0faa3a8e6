"""Arithmetic without a program: numbers and signs, exact as long as they can be, bounded in every direction."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation, localcontext
from fractions import Fraction

from mayfly.core import InputError, Invocation, LimitError, parse_python
from mayfly.world._declare import takes, tool

_LONGEST = 2_000
_DEEPEST = 100
# A number of this many bits has less than 4000 digits, which can still be written down.
_BITS = 13_000
_LARGEST_EXPONENT = 10_000
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})


def _expression(call: Invocation) -> str:
    text = str(call.arguments["expression"])
    return text.translate(_SIGNS).replace("^", "**").strip().rstrip("=?").strip()


def _tree(text: str) -> ast.expr:
    if not text or len(text) > _LONGEST:
        raise InputError("the expression is empty" if not text else f"the expression is longer than {_LONGEST}")
    try:
        return parse_python(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(f"{text[:80]!r} is not an arithmetic expression") from None


def _exact(node: ast.expr, depth: int) -> Fraction:
    if depth > _DEEPEST:
        raise LimitError("nesting of the expression", used=depth, limit=_DEEPEST)
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _literal(number)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
            value = _exact(operand, depth + 1)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _bounded(_power(_exact(left, depth + 1), _exact(right, depth + 1)))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
            return _bounded(_applied(_OPERATIONS[type(sign)], _exact(left, depth + 1), _exact(right, depth + 1)))
    raise InputError(f"{ast.unparse(node)[:80]!r} is not arithmetic", fix="use numbers, + - * / // % ** and ( )")


_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda one, other: Fraction(one // other),
    ast.Mod: operator.mod,
}


def _literal(number: float) -> Fraction:
    if not math.isfinite(number):
        raise InputError("a number of the expression is too large")
    # By its decimal form, so that 0.1 + 0.2 is 0.3 as it is said.
    return _bounded(Fraction(repr(number)) if isinstance(number, float) else Fraction(number))


def _applied(operation: Callable[[Fraction, Fraction], Fraction], one: Fraction, other: Fraction) -> Fraction:
    try:
        return operation(one, other)
    except ZeroDivisionError:
        raise InputError("the expression divides by zero") from None


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise LimitError("an exponent", used=float(min(abs(exponent), Fraction(10**300))), limit=_LARGEST_EXPONENT)
    if exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent.numerator)
        if bits > 2 * _BITS and abs(base) != 1:
            raise LimitError("bits of a power", used=bits, limit=_BITS)
        return _applied(lambda one, other: Fraction(one**other.numerator), base, exponent)
    try:
        value = float(base) ** float(exponent)
    except (OverflowError, ZeroDivisionError):
        raise InputError("a power of the expression is too large, or divides by zero") from None
    if isinstance(value, complex):
        raise InputError("a root of a negative number is not a number that can be said")
    return Fraction(value)


def _bounded(value: Fraction) -> Fraction:
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits > _BITS:
        raise LimitError("bits of a number", used=bits, limit=_BITS)
    return value


def _is_near(call: Invocation, value: object) -> bool:
    """Calculate again with decimal numbers, and allow for the rounding of the largest one on the way."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    digits = len(str(value)) + 40 if isinstance(value, int) else 50
    largest = [Decimal(1)]
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[InvalidOperation, DivisionByZero])):
        near = _decimal(_tree(_expression(call)), largest)
        allowed = largest[0].scaleb(20 - digits if isinstance(value, int) else -12)
        return abs(near - Decimal(value)) <= allowed


def _decimal(node: ast.expr, largest: list[Decimal]) -> Decimal:
    match node:
        case ast.BinOp(left=left, op=sign, right=right):
            found = _DECIMAL[type(sign)](_decimal(left, largest), _decimal(right, largest))
        case ast.UnaryOp(op=sign, operand=operand):
            inner = _decimal(operand, largest)
            found = -inner if isinstance(sign, ast.USub) else inner
        case ast.Constant(value=int() | float() as number):
            found = Decimal(repr(number))
        case _:
            raise InputError("it is not arithmetic")
    largest[0] = max(largest[0], abs(found))
    return found


def _floored(one: Decimal, other: Decimal) -> Decimal:
    return (one / other).to_integral_value(ROUND_FLOOR)


_DECIMAL: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: _floored,
    ast.Mod: lambda one, other: one - other * _floored(one, other),
    ast.Pow: operator.pow,
}


@tool(
    takes(
        "expression",
        expression={
            "type": ["string", "number"],
            "minLength": 1,
            "maxLength": _LONGEST,
            "format": "expression",
            "description": "2 * (3 + 4)",
        },
    ),
    output_schema={"type": "number"},
    does="calculate expression, calculate number",
    check=_is_near,
    proves="decimal arithmetic comes to the same number",
    quick=True,
    steady=True,
)
def calculate(call: Invocation) -> int | float:
    """Calculate an arithmetic expression of numbers."""
    value = _exact(_tree(_expression(call)), 0)
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        raise InputError("the result is too large for a number with a fraction") from None
