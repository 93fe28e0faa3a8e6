"""Arithmetic on numbers (64 bits, wrapping around) and on floats."""

from functools import reduce
from math import copysign, nan, prod, sqrt
from operator import add
from typing import Final

from mayfly.mangle._values import Value, wrap
from mayfly.mangle.builtins._entries import (
    ANY,
    FLOAT,
    FLOAT_OR_NUMBER,
    NUMBER,
    by_name,
    function,
    reader,
    unfit,
    variadic,
)
from mayfly.mangle.builtins._limits import BuiltinError

_number = reader("fn:div", NUMBER)


def _plus(*arguments: Value) -> int:
    total = 0
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:plus", "numbers", value)
        total += value
    return wrap(total)


def _minus(first: int, *others: int) -> int:
    return first - sum(others) if others else -first


def _mult(*arguments: Value) -> int:
    product = 1
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:mult", "numbers", value)
        product = wrap(product * value)
    return product


def _div(first: Value, *others: Value) -> int:
    """Divide from left to right; alone, a number stands under 1, where everything but 1 itself gives 0."""
    result: int = _number(first)
    if not others and result != 0:
        return 1 if result == 1 else 0
    for value in others or (first,):
        divisor = _number(value)
        if divisor == 0:
            raise BuiltinError("fn:div: division by zero")
        size = abs(result) // abs(divisor)
        result = wrap(size if (result < 0) == (divisor < 0) else -size)
        if result == 0:
            # What follows a zero is not looked at.
            return 0
    return result


def _mod(over: int, under: int) -> int:
    if under == 0:
        raise BuiltinError("fn:mod: division by zero")
    size = abs(over) % abs(under)
    return size if over >= 0 else -size


def _float_div(*arguments: float) -> float:
    result, *divisors = arguments if len(arguments) > 1 else (1.0, *arguments)
    for divisor in divisors:
        if divisor == 0:
            raise BuiltinError("fn:float:div: division by zero")
        result /= divisor
    return result


NUMBER_FUNCTIONS: Final = by_name(
    variadic("fn:plus", "The sum of numbers; of none, 0.", _plus, NUMBER),
    variadic(
        "fn:minus", "The first number less all others; alone, its negative.", _minus, NUMBER, each=NUMBER, least=1
    ),
    variadic("fn:mult", "The product of numbers; of none, 1.", _mult, NUMBER),
    variadic(
        "fn:div",
        "The first number divided by all others in turn, each time cut off towards 0; alone, 1 divided by it.",
        *(_div, NUMBER),
        each=ANY,
        least=1,
    ),
    function(
        "fn:mod", "The remainder of a division; it has the sign of the first number.", _mod, NUMBER, NUMBER, NUMBER
    ),
    variadic(
        "fn:float:plus",
        "The sum of floats and numbers, as a float.",
        # Not `sum`, which from Python 3.12 on rounds otherwise.
        lambda *sizes: reduce(add, sizes, 0.0),
        FLOAT,
        each=FLOAT_OR_NUMBER,
    ),
    variadic(
        "fn:float:mult",
        "The product of floats and numbers, as a float.",
        lambda *sizes: prod(sizes, start=1.0),
        FLOAT,
        each=FLOAT_OR_NUMBER,
    ),
    variadic(
        "fn:float:div",
        "The first float or number divided by all others in turn; alone, 1 divided by it.",
        *(_float_div, FLOAT),
        each=FLOAT_OR_NUMBER,
        least=1,
    ),
    function(
        "fn:sqrt",
        "The square root of a float or number, as a float.",
        lambda size: nan if size < 0 else copysign(sqrt(size), size),
        *(FLOAT, FLOAT_OR_NUMBER),
    ),
)
