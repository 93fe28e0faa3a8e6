"""JSON in and out of the sandbox, on the host's side: what comes back is data, checked before it is believed."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

_LONG_INTEGER = 100_000
_STEP = 4_000
_LARGE_EXPONENT = re.compile(rb"\d[eE]\+?\d{3}")


class BadValue(Exception):
    """The text is no value we accept; the message says why."""


def encode(argument: object) -> bytes:
    """Write the argument as JSON; what JSON cannot hold is a `BadValue` naming it."""
    try:
        return _dumps(argument).encode("ascii")
    except RecursionError:
        raise BadValue("the argument is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise BadValue(f"the argument is not JSON: {error}") from None


def decode(text: bytes, *, depth: int) -> object:
    """Read a result; nesting, constants outside JSON and endless integers are refused."""
    try:
        value: object = _loads(text.decode("utf-8"))
    except RecursionError:
        raise BadValue(f"the result is nested deeper than {depth}") from None
    except ValueError as error:
        if "digits" not in str(error):
            raise BadValue("the result is not JSON") from None
        value = json.loads(text, parse_constant=_refuse_constant, parse_int=_long_integer)
    if text.count(b"[") + text.count(b"{") > depth:
        _check_depth(value, depth)
    if _LARGE_EXPONENT.search(text):
        json.loads(text, parse_float=_finite)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise BadValue(f"the result holds {name}, which is not JSON")


# Made once: the functions of the json module would make a new one for every call.
_dumps = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_loads = json.JSONDecoder(parse_constant=_refuse_constant).decode


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadValue(f"the result holds {text}, which no float can hold")
    return number


def _long_integer(digits: str) -> int:
    if len(digits) <= _STEP:
        return int(digits)
    if len(digits) > _LONG_INTEGER:
        raise BadValue(f"the result holds an integer of {len(digits)} digits; the limit is {_LONG_INTEGER}")
    sign, digits = (-1, digits[1:]) if digits[0] == "-" else (1, digits)
    number = 0
    for start in range(0, len(digits), _STEP):
        part = digits[start : start + _STEP]
        number = number * 10 ** len(part) + int(part)
    return sign * number


def _check_depth(value: object, depth: int) -> None:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            if isinstance(outer, (list, dict))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (list, dict))
        ]
        if not level:
            return
    raise BadValue(f"the result is nested deeper than {depth}")
