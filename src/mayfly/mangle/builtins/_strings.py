"""Strings, names, and the texts of numbers and floats."""

from typing import Final

from mayfly.mangle._show import show_float
from mayfly.mangle._values import Float, Name, Value, make_list
from mayfly.mangle.builtins._entries import FLOAT, NAME, NUMBER, STRING, Functions, unfit
from mayfly.mangle.builtins._limits import LARGEST_TEXT, check_text, text_size

STRING_FUNCTIONS: Final = Functions()


@STRING_FUNCTIONS.add("fn:number:to_string", "The decimal text of a number.", STRING, NUMBER)
def _number_to_string(number: int) -> Value:
    return str(number)


@STRING_FUNCTIONS.add(
    "fn:float64:to_string", "The shortest decimal text of a float, never with an exponent.", STRING, FLOAT
)
def _float_to_string(size: float) -> Value:
    return show_float(size)


@STRING_FUNCTIONS.add("fn:name:to_string", "The text of a name, with its slashes.", STRING, NAME)
def _name_to_string(name: str) -> Value:
    return name


@STRING_FUNCTIONS.add("fn:name:root", "The first part of a name: /a of /a/b/c.", NAME, NAME)
def _name_root(name: str) -> Value:
    return Name("/" + name[1:].partition("/")[0])


@STRING_FUNCTIONS.add("fn:name:tip", "The last part of a name: /c of /a/b/c.", NAME, NAME)
def _name_tip(name: str) -> Value:
    return Name("/" + name.rpartition("/")[2])


@STRING_FUNCTIONS.add("fn:name:list", "The parts of a name: [/a, /b, /c] of /a/b/c.", ("fn:List", NAME), NAME)
def _name_list(name: str) -> Value:
    return make_list(Name(f"/{part}") for part in name[1:].split("/"))


@STRING_FUNCTIONS.variadic(
    "fn:string:concat", "All arguments as one string; they are strings, names, numbers or floats.", STRING
)
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
        return show_float(value.held)
    raise unfit("fn:string:concat", "strings, names, numbers or floats", value)


@STRING_FUNCTIONS.add(
    "fn:string:replace",
    "A string in which the first so many places of a second are a third; below 0 means all places.",
    *(STRING, STRING, STRING, STRING, NUMBER),
)
def _replace(text: str, sought: str, put: str, times: int) -> Value:
    found = text.count(sought)
    changed = found if times < 0 else min(found, times)
    check_text("fn:string:replace", text_size(text) + changed * (text_size(put) - text_size(sought)))
    return text.replace(sought, put, changed)
