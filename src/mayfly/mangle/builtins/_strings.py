"""Strings, names, and the texts of numbers and floats."""

from decimal import Decimal
from math import isfinite, isnan
from typing import Final

from mayfly.mangle._values import Float, Name, Value, make_list
from mayfly.mangle.builtins._arguments import as_name, as_number, as_string, unfit
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._limits import LARGEST_TEXT, check_text, text_size


def float_text(size: float) -> str:
    """Return the shortest decimal text that reads back as *size*, never with an exponent."""
    if not isfinite(size):
        return "NaN" if isnan(size) else "+Inf" if size > 0 else "-Inf"
    text = format(Decimal(repr(size)), "f")
    return text.removesuffix(".0")


def _number_to_string(value: Value) -> Value:
    return str(as_number("fn:number:to_string", value))


def _float_to_string(value: Value) -> Value:
    if not isinstance(value, Float):
        raise unfit("fn:float64:to_string", "a float", value)
    return float_text(value.held)


def _name_to_string(value: Value) -> Value:
    return as_name("fn:name:to_string", value)


def _name_root(value: Value) -> Value:
    text = as_name("fn:name:root", value)
    end = text.find("/", 1)
    return value if end == -1 else Name(text[:end])


def _name_tip(value: Value) -> Value:
    text = as_name("fn:name:tip", value)
    begin = text.rfind("/")
    return value if begin == 0 else Name(text[begin:])


def _name_list(value: Value) -> Value:
    return make_list(Name(f"/{part}") for part in as_name("fn:name:list", value)[1:].split("/"))


def _concat(*arguments: Value) -> Value:
    texts = [value if type(value) is str else _as_text(value) for value in arguments]
    if sum(map(len, texts)) > LARGEST_TEXT // 4:
        # A character has up to four bytes; only a text that may be too long is measured.
        check_text("fn:string:concat", sum(map(text_size, texts)))
    return "".join(texts)


def _as_text(value: Value) -> str:
    if isinstance(value, Name):
        return value.text
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Float):
        return float_text(value.held)
    raise unfit("fn:string:concat", "strings, names, numbers or floats", value)


def _replace(value: Value, old: Value, new: Value, count: Value) -> Value:
    builtin = "fn:string:replace"
    text, sought, put = (as_string(builtin, part) for part in (value, old, new))
    times = as_number(builtin, count)
    found = text.count(sought)
    changed = found if times < 0 else min(found, times)
    check_text(builtin, text_size(text) + changed * (text_size(put) - text_size(sought)))
    return text.replace(sought, put, changed)


STRING_FUNCTIONS: Final = (
    Function(
        name="fn:string:concat",
        arity=None,
        call=_concat,
        doc="All arguments as one string; they are strings, names, numbers or floats.",
    ),
    Function(
        name="fn:string:replace",
        arity=4,
        call=_replace,
        doc="A string in which the first so many places of a second are a third; below 0 means all places.",
    ),
    Function(name="fn:number:to_string", arity=1, call=_number_to_string, doc="The decimal text of a number."),
    Function(
        name="fn:float64:to_string",
        arity=1,
        call=_float_to_string,
        doc="The shortest decimal text of a float, never with an exponent.",
    ),
    Function(name="fn:name:to_string", arity=1, call=_name_to_string, doc="The text of a name, with its slashes."),
    Function(name="fn:name:root", arity=1, call=_name_root, doc="The first part of a name: /a of /a/b/c."),
    Function(name="fn:name:tip", arity=1, call=_name_tip, doc="The last part of a name: /c of /a/b/c."),
    Function(name="fn:name:list", arity=1, call=_name_list, doc="The parts of a name: [/a, /b, /c] of /a/b/c."),
)
