"""Arithmetic on numbers (64 bits, wrapping around) and on floats."""

from math import copysign, nan, sqrt
from typing import Final

from mayfly.mangle._values import Value, wrap
from mayfly.mangle.builtins._arguments import as_float, as_number, make_float, unfit
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._error import BuiltinError


def _plus(*arguments: Value) -> Value:
    total = 0
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:plus", "numbers", value)
        total += value
    return wrap(total)


def _minus(*arguments: Value) -> Value:
    _need_one("fn:minus", arguments)
    first, *others = arguments
    result = as_number("fn:minus", first)
    if not others:
        return wrap(-result)
    for value in others:
        result -= as_number("fn:minus", value)
    return wrap(result)


def _mult(*arguments: Value) -> Value:
    product = 1
    for value in arguments:
        if type(value) is not int:
            raise unfit("fn:mult", "numbers", value)
        product = wrap(product * value)
    return product


def _div(*arguments: Value) -> Value:
    """Divide from left to right; alone, a number stands under 1, where everything but 1 itself gives 0."""
    _need_one("fn:div", arguments)
    first, *others = arguments
    result = as_number("fn:div", first)
    if not others:
        if result == 0:
            raise _division_by_zero("fn:div")
        return 1 if result == 1 else 0
    for value in others:
        divisor = as_number("fn:div", value)
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


def _mod(dividend: Value, divisor: Value) -> Value:
    over, under = as_number("fn:mod", dividend), as_number("fn:mod", divisor)
    if under == 0:
        raise _division_by_zero("fn:mod")
    size = abs(over) % abs(under)
    return size if over >= 0 else -size


def _float_plus(*arguments: Value) -> Value:
    total = 0.0
    for value in arguments:
        total += as_float("fn:float:plus", value)
    return make_float(total)


def _float_mult(*arguments: Value) -> Value:
    product = 1.0
    for value in arguments:
        product *= as_float("fn:float:mult", value)
    return make_float(product)


def _float_div(*arguments: Value) -> Value:
    _need_one("fn:float:div", arguments)
    sizes = (as_float("fn:float:div", value) for value in arguments)
    result = 1.0 if len(arguments) == 1 else next(sizes)
    for divisor in sizes:
        if divisor == 0:
            raise _division_by_zero("fn:float:div")
        result /= divisor
    return make_float(result)


def _sqrt(value: Value) -> Value:
    size = as_float("fn:sqrt", value)
    if size < 0:
        return make_float(nan)
    return make_float(copysign(sqrt(size), size))


def _need_one(builtin: str, arguments: tuple[Value, ...]) -> None:
    if not arguments:
        raise BuiltinError(f"{builtin} needs at least 1 argument")


def _division_by_zero(builtin: str) -> BuiltinError:
    return BuiltinError(f"{builtin}: division by zero")


NUMBER_FUNCTIONS: Final = (
    Function(name="fn:plus", arity=None, call=_plus, doc="The sum of numbers; of none, 0."),
    Function(name="fn:minus", arity=None, call=_minus, doc="The first number less all others; alone, its negative."),
    Function(name="fn:mult", arity=None, call=_mult, doc="The product of numbers; of none, 1."),
    Function(
        name="fn:div",
        arity=None,
        call=_div,
        doc="The first number divided by all others in turn, each time cut off towards 0; alone, 1 divided by it.",
    ),
    Function(
        name="fn:mod", arity=2, call=_mod, doc="The remainder of a division; it has the sign of the first number."
    ),
    Function(name="fn:sqrt", arity=1, call=_sqrt, doc="The square root of a float or number, as a float."),
    Function(name="fn:float:plus", arity=None, call=_float_plus, doc="The sum of floats and numbers, as a float."),
    Function(name="fn:float:mult", arity=None, call=_float_mult, doc="The product of floats and numbers, as a float."),
    Function(
        name="fn:float:div",
        arity=None,
        call=_float_div,
        doc="The first float or number divided by all others in turn; alone, 1 divided by it.",
    ),
)
