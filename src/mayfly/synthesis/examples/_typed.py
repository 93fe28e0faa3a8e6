"""The typed operations on numbers, lists and records that the enumerator combines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mayfly.synthesis.examples._ops import (
    COUNT,
    JOIN,
    LENGTH,
    LOWER,
    REVERSE,
    STRIP,
    TITLE,
    UPPER,
    WORDS,
    helper,
    native,
)
from mayfly.synthesis.examples._tree import Apply, Expr, Item, Literal, Op, Value

_NUMBERS = ("int", "float")


class Rule(NamedTuple):
    """An operation with the types it takes and gives, constants that follow its arguments, and its cost."""

    op: Op
    takes: tuple[str, ...]
    gives: str
    cost: float = 1.0
    constants: tuple[Value, ...] = ()


class Loop(NamedTuple):
    """Something done to every element of a list, or a test of every element."""

    takes: str
    gives: str
    body: Expr
    test: Expr | None
    cost: float


def _op(name: str, template: str, returns: str, *, loose: bool = False, words: str = "") -> Op:
    return native(name, template, returns=returns, loose=loose, words=words or name + " of {0}")


_FIRST = _op("the first", "{0}[0]", "element")
_LAST = _op("the last", "{0}[-1]", "element")
_AT = _op("element", "{0}[{1}]", "element", words="element {1} of {0}")
_SUM = _op("the sum", "sum({0})", "element")
_MAX = _op("the largest", "max({0})", "element")
_MIN = _op("the smallest", "min({0})", "element")
_SORTED = _op("sorted", "sorted({0})", "same", words="{0} in order")
_FALLING = _op("falling", "sorted({0}, reverse=True)", "same", words="{0} in falling order")
_BACKWARDS = _op("backwards", "{0}[::-1]", "same", words="{0} backwards")
_LISTS: tuple[Op, ...] = (
    _op("all but the first", "{0}[1:]", "same"),
    _op("all but the last", "{0}[:-1]", "same"),
    _op("every second", "{0}[::2]", "same"),
    _op("every other second", "{0}[1::2]", "same"),
)
_TAKE = _op("the first few", "{0}[:{1}]", "same", words="the first {1} of {0}")
_DROP = _op("all but the first few", "{0}[{1}:]", "same", words="{0} without the first {1}")
_LAST_FEW = _op("the last few", "{0}[-{1}:]", "same", words="the last {1} of {0}")
ADD = _op("plus", "{0} + {1}", "same", loose=True, words="{0} plus {1}")
SUBTRACT = _op("minus", "{0} - {1}", "same", loose=True, words="{0} minus {1}")
MULTIPLY = _op("times", "{0} * {1}", "same", loose=True, words="{0} times {1}")
DIVIDE = _op("divided", "{0} / {1}", "float", loose=True, words="{0} divided by {1}")
FLOOR_DIVIDE = _op("whole division", "{0} // {1}", "same", loose=True, words="{0} divided by {1}, rounded down")
_REST = _op("rest", "{0} % {1}", "same", loose=True, words="the rest of {0} divided by {1}")
_LARGER = _op("the larger", "max({0}, {1})", "same", words="the larger of {0} and {1}")
_SMALLER = _op("the smaller", "min({0}, {1})", "same", words="the smaller of {0} and {1}")
_NEGATIVE = _op("negative", "-{0}", "same", loose=True, words="minus {0}")
_ABSOLUTE = _op("absolute", "abs({0})", "same", words="{0} without its sign")
_ROUND = _op("rounded", "round({0}, {1})", "float", words="{0} rounded to {1} places")
_TO_INT = _op("rounded", "round({0})", "int", words="{0} rounded")
_CUT = _op("cut off", "int({0})", "int", words="{0} cut off")
_FLOOR = _op("rounded down", "math.floor({0})", "int", words="{0} rounded down")
_CEIL = _op("rounded up", "math.ceil({0})", "int", words="{0} rounded up")
_LINES = _op("the lines", "{0}.splitlines()", "list[str]")
_CHARS = _op("the characters", "list({0})", "list[str]")
_INT = _op("the number", "int({0})", "int", words="{0} as a number")
_FLOAT = _op("the number", "float({0})", "float", words="{0} as a number")
_KEYS = _op("the keys", "list({0})", "list[str]")
_VALUES = _op("the values", "list({0}.values())", "list")


_TOTALS = helper("totals", "dict[str, float]", words="the totals of {1} for each of {0}")


def rules(numbers: tuple[Value, ...], texts: tuple[str, ...]) -> Iterator[Rule]:
    """Yield every rule; *numbers* and *texts* are the constants worth trying."""
    for kind in ("int", "float", "str", "list[int]", "list[str]", "dict[str, object]"):
        yield from _list_rules(kind)
    for kind in _NUMBERS:
        yield from _number_rules(kind, numbers)
    yield from _float_rules()
    yield from _text_rules(texts)


def _list_rules(kind: str) -> Iterator[Rule]:
    many = f"list[{kind}]"
    yield Rule(_FIRST, (many,), kind, 0.9)
    yield Rule(_LAST, (many,), kind, 0.9)
    yield Rule(LENGTH, (many,), "int", 0.9)
    yield Rule(_BACKWARDS, (many,), many)
    for op in _LISTS:
        yield Rule(op, (many,), many, 1.3)
    for size in (1, 2, 3, 4, 5):
        if size > 1:
            yield Rule(_TAKE, (many,), many, 1.4, (size,))
            yield Rule(_DROP, (many,), many, 1.5, (size,))
            yield Rule(_LAST_FEW, (many,), many, 1.6, (size,))
        yield Rule(_AT, (many,), kind, 1.3 + 0.1 * size, (size,))
    if kind in ("int", "float", "str"):
        yield Rule(_SORTED, (many,), many)
        yield Rule(_FALLING, (many,), many, 1.1)
        yield Rule(_MAX, (many,), kind, 0.9)
        yield Rule(_MIN, (many,), kind, 0.9)
    if kind in _NUMBERS:
        yield Rule(_SUM, (many,), kind, 0.8)
        yield Rule(helper("mean", "float", words="the mean of {0}"), (many,), "float", 1.2)
        yield Rule(helper("median", "float", words="the median of {0}"), (many,), "float", 1.5)
    if kind == "int":
        yield Rule(helper("unique_ints", "list[int]", words="{0} without repetitions"), (many,), many)
        yield Rule(helper("flat_ints", "list[int]", words="the elements of {0}"), ("list[list[int]]",), many)


def _number_rules(kind: str, numbers: tuple[Value, ...]) -> Iterator[Rule]:
    for op, cost in ((ADD, 0.8), (SUBTRACT, 0.9), (MULTIPLY, 0.9), (_LARGER, 1.3), (_SMALLER, 1.3)):
        yield Rule(op, (kind, kind), kind, cost)
    yield Rule(DIVIDE, (kind, kind), "float", 1.0)
    yield Rule(_NEGATIVE, (kind,), kind, 1.2)
    yield Rule(_ABSOLUTE, (kind,), kind, 1.1)
    yield Rule(_SQUARE, (kind,), kind, 1.3)
    for number in numbers:
        fits = isinstance(number, int) or kind == "float"
        if not fits or not isinstance(number, (int, float)):
            continue
        for op, cost in ((ADD, 1.2), (SUBTRACT, 1.2), (MULTIPLY, 1.2)) if number else ():
            yield Rule(op, (kind,), kind, cost + 0.05 * min(abs(number), 10), (number,))
        if number and isinstance(number, int):
            yield Rule(FLOOR_DIVIDE, (kind,), kind, 1.5, (number,))
            yield Rule(_REST, (kind,), kind, 1.5, (number,))
            yield Rule(DIVIDE, (kind,), "float", 1.4, (number,))


def _float_rules() -> Iterator[Rule]:
    for places in (2, 1, 3):
        yield Rule(_ROUND, ("float",), "float", 0.9 + 0.1 * places, (places,))
        yield Rule(
            helper("half_up", "float", words="{0} rounded to {1} places"),
            ("float",),
            "float",
            1.2 + 0.1 * places,
            (places,),
        )
    yield Rule(_TO_INT, ("float",), "int", 1.0)
    yield Rule(_CUT, ("float",), "int", 1.3)
    yield Rule(_FLOOR, ("float",), "int", 1.1)
    yield Rule(_CEIL, ("float",), "int", 1.2)


def _text_rules(texts: tuple[str, ...]) -> Iterator[Rule]:
    yield Rule(LENGTH, ("str",), "int", 1.0)
    yield Rule(WORDS, ("str",), "list[str]", 0.9)
    yield Rule(_LINES, ("str",), "list[str]", 1.1)
    yield Rule(_CHARS, ("str",), "list[str]", 1.4)
    yield Rule(_INT, ("str",), "int", 1.0)
    yield Rule(_FLOAT, ("str",), "float", 1.1)
    for op in (LOWER, UPPER, TITLE, STRIP, REVERSE):
        yield Rule(op, ("str",), "str", 1.1)
    for text in texts:
        yield Rule(helper("fields", "list[str]", words="the fields of {0}"), ("str",), "list[str]", 1.1, (text,))
        yield Rule(JOIN, ("list[str]",), "str", 1.0, (text,))
        yield Rule(COUNT, ("str",), "int", 1.4, (text,))
    yield Rule(helper("unique_texts", "list[str]", words="{0} without repetitions"), ("list[str]",), "list[str]")
    yield Rule(helper("flat_texts", "list[str]", words="the elements of {0}"), ("list[list[str]]",), "list[str]")
    yield Rule(
        helper("counts", "dict[str, int]", words="how often each of {0} occurs"), ("list[str]",), "dict[str, int]"
    )
    yield Rule(helper("most_common", words="the most common of {0}"), ("list[str]",), "str", 1.3)
    for kind in _NUMBERS:
        yield Rule(_TOTALS, ("list[str]", f"list[{kind}]"), "dict[str, float]", 1.2)
    yield Rule(helper("longest", words="the longest of {0}"), ("list[str]",), "str", 1.3)
    yield Rule(helper("shortest", words="the shortest of {0}"), ("list[str]",), "str", 1.4)
    yield Rule(helper("from_roman", "int", words="the Roman numeral {0}"), ("str",), "int", 1.2)
    yield Rule(_KEYS, ("dict[str, int]",), "list[str]", 1.3)


def loops(numbers: tuple[Value, ...]) -> Iterator[Loop]:
    """Yield what can be done to, or asked of, every element of a list of plain values."""
    item = Item()
    for kind in _NUMBERS:
        for number in numbers:
            if not isinstance(number, (int, float)) or (isinstance(number, float) and kind == "int"):
                continue
            for op in (ADD, SUBTRACT, MULTIPLY):
                yield Loop(kind, kind, _call(op, number), None, 1.4)
            for op in (_MORE, _LESS, _MORE_EQUAL, _LESS_EQUAL, _SAME, _OTHER):
                yield Loop(kind, kind, item, _call(op, number), 1.4)
        yield Loop(kind, kind, _call(_SQUARE), None, 1.4)
        yield Loop(kind, kind, _call(_NEGATIVE), None, 1.5)
        yield Loop(kind, kind, _call(_ABSOLUTE), None, 1.4)
        yield Loop(kind, "str", _call(_STR), None, 1.2)
    yield Loop("int", "int", item, _call(_EVEN), 1.2)
    yield Loop("int", "int", item, _call(_ODD), 1.2)
    for op in (LOWER, UPPER, TITLE, STRIP, REVERSE):
        yield Loop("str", "str", _call(op), None, 1.1)
    yield Loop("str", "int", _call(LENGTH), None, 1.1)
    yield Loop("str", "int", _call(_INT), None, 1.1)
    yield Loop("str", "float", _call(_FLOAT), None, 1.2)
    yield Loop("str", "str", item, item, 1.1)


def _call(op: Op, *args: Value) -> Expr:
    return Apply(op=op, args=(Item(), *(Literal(arg) for arg in args)))


_SQUARE = _op("square", "{0} ** 2", "same", loose=True)
_STR = _op("text", "str({0})", "str")
_EVEN = _op("even", "{0} % 2 == 0", "bool", loose=True, words="{0} is even")
_ODD = _op("odd", "{0} % 2 == 1", "bool", loose=True, words="{0} is odd")
_MORE = _op("more", "{0} > {1}", "bool", loose=True, words="{0} is more than {1}")
_LESS = _op("less", "{0} < {1}", "bool", loose=True, words="{0} is less than {1}")
_MORE_EQUAL = _op("at least", "{0} >= {1}", "bool", loose=True, words="{0} is at least {1}")
_LESS_EQUAL = _op("at most", "{0} <= {1}", "bool", loose=True, words="{0} is at most {1}")
_SAME = _op("equal", "{0} == {1}", "bool", loose=True, words="{0} is {1}")
_OTHER = _op("unequal", "{0} != {1}", "bool", loose=True, words="{0} is not {1}")
COMPARISONS = (_SAME, _MORE, _LESS, _MORE_EQUAL, _LESS_EQUAL, _OTHER)
