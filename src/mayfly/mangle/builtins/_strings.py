"""Strings, names, and the texts of numbers and floats."""

from typing import Final

from mayfly.mangle._show import show_float
from mayfly.mangle._values import Float, Name, Value
from mayfly.mangle.builtins._entries import FLOAT, NAME, NUMBER, STRING, by_name, function, unfit, variadic
from mayfly.mangle.builtins._limits import LARGEST_TEXT, check_text, text_size


def _concat(*arguments: Value) -> str:
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
        return show_float(value.held)
    raise unfit("fn:string:concat", "strings, names, numbers or floats", value)


def _replace(text: str, sought: str, put: str, times: int) -> str:
    found = text.count(sought)
    changed = found if times < 0 else min(found, times)
    check_text("fn:string:replace", text_size(text) + changed * (text_size(put) - text_size(sought)))
    return text.replace(sought, put, changed)


STRING_FUNCTIONS: Final = by_name(
    function("fn:number:to_string", "The decimal text of a number.", str, STRING, NUMBER),
    function(
        "fn:float64:to_string",
        "The shortest decimal text of a float, never with an exponent.",
        show_float,
        STRING,
        FLOAT,
    ),
    function("fn:name:to_string", "The text of a name, with its slashes.", str, STRING, NAME),
    function(
        "fn:name:root",
        "The first part of a name: /a of /a/b/c.",
        lambda name: "/" + name[1:].partition("/")[0],
        *(NAME, NAME),
    ),
    function(
        "fn:name:tip", "The last part of a name: /c of /a/b/c.", lambda name: "/" + name.rpartition("/")[2], NAME, NAME
    ),
    function(
        "fn:name:list",
        "The parts of a name: [/a, /b, /c] of /a/b/c.",
        lambda name: [Name(f"/{part}") for part in name[1:].split("/")],
        *(("fn:List", NAME), NAME),
    ),
    variadic(
        "fn:string:concat",
        "All arguments as one string; they are strings, names, numbers or floats.",
        *(_concat, STRING),
    ),
    function(
        "fn:string:replace",
        "A string in which the first so many places of a second are a third; below 0 means all places.",
        *(_replace, STRING),
        *(STRING, STRING, STRING, NUMBER),
    ),
)
