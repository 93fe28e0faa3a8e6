"""Arithmetic on numbers (64 bits, wrapping around) and on floats."""

from math import copysign, nan, sqrt
from typing import Final

from mayfly.mangle._values import Value, wrap
from mayfly.mangle.builtins._entries import (
    FLOAT,
    FLOAT_OR_NUMBER,
    NUMBER,
    Functions,
    make_float,
    read_value,
    unfit,
)
from mayfly.mangle.builtins._limits import BuiltinError

NUMBER_FUNCTIONS: Final = Functions()


@NUMBER_FUNCTIONS.variadic("fn:plus", "The sum of numbers; of none, 0.", NUMBER)
def _plus(*arguments: Value) -> Value:
    total = 0
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:plus", "numbers", value)
        total += value
    return wrap(total)


@NUMBER_FUNCTIONS.variadic("fn:minus", "The first number less all others; alone, its negative.", NUMBER)
def _minus(*arguments: Value) -> Value:
    first, *others = _numbers("fn:minus", arguments)
    return wrap(first - sum(others)) if others else wrap(-first)


@NUMBER_FUNCTIONS.variadic("fn:mult", "The product of numbers; of none, 1.", NUMBER)
def _mult(*arguments: Value) -> Value:
    product = 1
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:mult", "numbers", value)
        product = wrap(product * value)
    return product


@NUMBER_FUNCTIONS.variadic(
    "fn:div",
    "The first number divided by all others in turn, each time cut off towards 0; alone, 1 divided by it.",
    NUMBER,
)
def _div(*arguments: Value) -> Value:
    """Divide from left to right; alone, a number stands under 1, where everything but 1 itself gives 0."""
    _need_one("fn:div", arguments)
    result = _number("fn:div", arguments[0])
    if len(arguments) == 1:
        if result == 0:
            raise _division_by_zero("fn:div")
        return 1 if result == 1 else 0
    for value in arguments[1:]:
        divisor = _number("fn:div", value)
        if divisor == 0:
            raise _division_by_zero("fn:div")
        result = wrap(_quotient(result, divisor))
        if result == 0:
            # What follows a zero is not looked at.
            return 0
    return result


def _quotient(dividend: int, divisor: int) -> int:
    size = abs(dividend) // abs(divisor)
    return size if (dividend < 0) == (divisor < 0) else -size


@NUMBER_FUNCTIONS.add(
    "fn:mod", "The remainder of a division; it has the sign of the first number.", NUMBER, NUMBER, NUMBER
)
def _mod(over: int, under: int) -> Value:
    if under == 0:
        raise _division_by_zero("fn:mod")
    size = abs(over) % abs(under)
    return size if over >= 0 else -size


@NUMBER_FUNCTIONS.variadic("fn:float:plus", "The sum of floats and numbers, as a float.", FLOAT)
def _float_plus(*arguments: Value) -> Value:
    total = 0.0
    for value in arguments:
        total += _float("fn:float:plus", value)
    return make_float(total)


@NUMBER_FUNCTIONS.variadic("fn:float:mult", "The product of floats and numbers, as a float.", FLOAT)
def _float_mult(*arguments: Value) -> Value:
    product = 1.0
    for value in arguments:
        product *= _float("fn:float:mult", value)
    return make_float(product)


@NUMBER_FUNCTIONS.variadic(
    "fn:float:div", "The first float or number divided by all others in turn; alone, 1 divided by it.", FLOAT
)
def _float_div(*arguments: Value) -> Value:
    _need_one("fn:float:div", arguments)
    sizes = (_float("fn:float:div", value) for value in arguments)
    result = 1.0 if len(arguments) == 1 else next(sizes)
    for divisor in sizes:
        if divisor == 0:
            raise _division_by_zero("fn:float:div")
        result /= divisor
    return make_float(result)


@NUMBER_FUNCTIONS.add("fn:sqrt", "The square root of a float or number, as a float.", FLOAT, FLOAT_OR_NUMBER)
def _sqrt(size: float) -> Value:
    return make_float(nan if size < 0 else copysign(sqrt(size), size))


def _numbers(builtin: str, arguments: tuple[Value, ...]) -> list[int]:
    _need_one(builtin, arguments)
    return [_number(builtin, value) for value in arguments]


def _number(builtin: str, value: Value) -> int:
    found: int = read_value(builtin, NUMBER, value)
    return found


def _float(builtin: str, value: Value) -> float:
    found: float = read_value(builtin, FLOAT_OR_NUMBER, value)
    return found


def _need_one(builtin: str, arguments: tuple[Value, ...]) -> None:
    if not arguments:
        raise BuiltinError(f"{builtin} needs at least 1 argument")


def _division_by_zero(builtin: str) -> BuiltinError:
    return BuiltinError(f"{builtin}: division by zero")
