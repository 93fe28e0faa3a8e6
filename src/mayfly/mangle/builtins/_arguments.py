"""Take what a builtin was given as the kind it needs, or say in plain words what it got instead."""

from math import isnan, nan
from typing import Final

from mayfly.mangle._values import Duration, Float, List, Map, Name, Pair, Struct, Time, Value
from mayfly.mangle.builtins._error import BuiltinError

_LONGEST_SHOWN: Final = 40
_NAN: Final = Float(nan)
_KINDS: Final[dict[type, str]] = {
    Name: "the name",
    str: "the string",
    int: "the number",
    Float: "the float",
    bytes: "a byte string",
    Time: "a time",
    Duration: "a duration",
    List: "a list",
    Pair: "a pair",
    Map: "a map",
    Struct: "a struct",
}


def describe(value: Value) -> str:
    """Return a few words for *value*: its kind and, for the simple kinds, its beginning."""
    kind = _KINDS[type(value)]
    if isinstance(value, str):
        shown = value[:_LONGEST_SHOWN].replace("\n", " ")
        return f'{kind} "{shown}{"…" if len(value) > _LONGEST_SHOWN else ""}"'
    if isinstance(value, (Name, int)):
        return f"{kind} {value!r:.{_LONGEST_SHOWN}}"
    return f"{kind} {value.held!r}" if isinstance(value, Float) else kind


def unfit(builtin: str, wanted: str, value: Value) -> BuiltinError:
    """Return the error for an argument of the wrong kind."""
    return BuiltinError(f"{builtin} needs {wanted}, got {describe(value)}")


def as_number(builtin: str, value: Value) -> int:
    """Return the integer, or raise."""
    if type(value) is int:
        return value
    raise unfit(builtin, "a number", value)


def as_float(builtin: str, value: Value) -> float:
    """Return the size of a float or a number, or raise."""
    if type(value) is Float:
        return value.held
    if type(value) is int:
        return float(value)
    raise unfit(builtin, "a float or a number", value)


def as_string(builtin: str, value: Value) -> str:
    """Return the string, or raise."""
    if type(value) is str:
        return value
    raise unfit(builtin, "a string", value)


def as_name(builtin: str, value: Value) -> str:
    """Return the text of the name, or raise."""
    if type(value) is Name:
        return value.text
    raise unfit(builtin, "a name", value)


def as_list(builtin: str, value: Value) -> tuple[Value, ...]:
    """Return the items of the list, or raise."""
    if type(value) is List:
        return value.held
    raise unfit(builtin, "a list", value)


def as_pair(builtin: str, value: Value) -> tuple[Value, Value]:
    """Return the two parts of the pair, or raise."""
    if type(value) is Pair:
        return value.held
    raise unfit(builtin, "a pair", value)


def as_time(builtin: str, value: Value) -> int:
    """Return the nanoseconds of the instant, or raise."""
    if type(value) is Time:
        return value.held
    raise unfit(builtin, "a time", value)


def as_duration(builtin: str, value: Value) -> int:
    """Return the nanoseconds of the duration, or raise."""
    if type(value) is Duration:
        return value.held
    raise unfit(builtin, "a duration", value)


def make_float(size: float) -> Float:
    """Return the float of a size; there is one object for "not a number", which is equal to nothing but itself.

    A rule that computes it again and again must find the fact it has already.
    """
    return _NAN if isnan(size) else Float(size)
