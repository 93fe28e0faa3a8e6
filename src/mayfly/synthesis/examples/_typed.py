"""The typed operations on numbers, lists and records that the enumerator combines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mayfly.synthesis.examples._emit import element
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
from mayfly.synthesis.examples._tree import ApplyOperation, Expr, Literal, LoopItem, Op, Value

_NUMBERS = ("int", "float")


class TypedRule(NamedTuple):
    """An operation with the types it takes and gives, constants that follow its arguments, and its cost."""

    op: Op
    takes: tuple[str, ...]
    gives: str
    cost: float
    constants: tuple[Value, ...] = ()


class ElementLoop(NamedTuple):
    """Something done to every element of a list, or a test of every element."""

    takes: str
    gives: str
    body: Expr
    test: Expr | None
    cost: float


def _op(name: str, template: str, returns: str, *, loose: bool = False, words: str = "") -> Op:
    return native(name, template, returns=returns, loose=loose, words=words or name + " of {0}")


def _rule(op: Op, takes: str | tuple[str, ...], cost: float, *constants: Value) -> TypedRule:
    """Return a rule that gives what its operation does, for the first of the types it takes."""
    takes = (takes,) if isinstance(takes, str) else takes
    gives = {"same": takes[0], "element": element(takes[0])}.get(op.returns, op.returns)
    return TypedRule(op, takes, gives, cost, constants)


ADD = _op("plus", "{0} + {1}", "same", loose=True, words="{0} plus {1}")
SUBTRACT = _op("minus", "{0} - {1}", "same", loose=True, words="{0} minus {1}")
MULTIPLY = _op("times", "{0} * {1}", "same", loose=True, words="{0} times {1}")
DIVIDE = _op("divided", "{0} / {1}", "float", loose=True, words="{0} divided by {1}")
FLOOR_DIVIDE = _op("whole division", "{0} // {1}", "same", loose=True, words="{0} divided by {1}, rounded down")
_REST = _op("rest", "{0} % {1}", "same", loose=True, words="the rest of {0} divided by {1}")
_NEGATIVE = _op("negative", "-{0}", "same", loose=True, words="minus {0}")
_ABSOLUTE = _op("absolute", "abs({0})", "same", words="{0} without its sign")
_SQUARE = _op("square", "{0} ** 2", "same", loose=True)
_STR = _op("text", "str({0})", "str")
_INT = _op("the number", "int({0})", "int", words="{0} as a number")
_FLOAT = _op("the number", "float({0})", "float", words="{0} as a number")
_AT = _op("element", "{0}[{1}]", "element", words="element {1} of {0}")
# What is done to lists of anything, of what has an order, and of numbers, with its cost.
_OF_LISTS = (
    (_op("the first", "{0}[0]", "element"), 0.9),
    (_op("the last", "{0}[-1]", "element"), 0.9),
    (LENGTH, 0.9),
    (_op("backwards", "{0}[::-1]", "same", words="{0} backwards"), 1.0),
    (_op("all but the first", "{0}[1:]", "same"), 1.3),
    (_op("all but the last", "{0}[:-1]", "same"), 1.3),
    (_op("every second", "{0}[::2]", "same"), 1.3),
    (_op("every other second", "{0}[1::2]", "same"), 1.3),
)
_SIZED = (
    (_op("the first few", "{0}[:{1}]", "same", words="the first {1} of {0}"), 1.4),
    (_op("all but the first few", "{0}[{1}:]", "same", words="{0} without the first {1}"), 1.5),
    (_op("the last few", "{0}[-{1}:]", "same", words="the last {1} of {0}"), 1.6),
)
_OF_ORDERED = (
    (_op("sorted", "sorted({0})", "same", words="{0} in order"), 1.0),
    (_op("falling", "sorted({0}, reverse=True)", "same", words="{0} in falling order"), 1.1),
    (_op("the largest", "max({0})", "element"), 0.9),
    (_op("the smallest", "min({0})", "element"), 0.9),
)
_OF_NUMBERS = (
    (_op("the sum", "sum({0})", "element"), 0.8),
    (helper("mean", "float", words="the mean of {0}"), 1.2),
    (helper("median", "float", words="the median of {0}"), 1.5),
)
_OF_PAIRS = (
    (ADD, 0.8),
    (SUBTRACT, 0.9),
    (MULTIPLY, 0.9),
    (_op("the larger", "max({0}, {1})", "same", words="the larger of {0} and {1}"), 1.3),
    (_op("the smaller", "min({0}, {1})", "same", words="the smaller of {0} and {1}"), 1.3),
    (DIVIDE, 1.0),
)
_PLACED = (
    (_op("rounded", "round({0}, {1})", "float", words="{0} rounded to {1} places"), 0.9),
    (helper("half_up", "float", words="{0} rounded to {1} places"), 1.2),
)
_OF_FLOATS = (
    (_op("rounded", "round({0})", "int", words="{0} rounded"), 1.0),
    (_op("cut off", "int({0})", "int", words="{0} cut off"), 1.3),
    (_op("rounded down", "math.floor({0})", "int", words="{0} rounded down"), 1.1),
    (_op("rounded up", "math.ceil({0})", "int", words="{0} rounded up"), 1.2),
)
_OF_TEXTS = (
    (LENGTH, 1.0),
    (WORDS, 0.9),
    (_op("the lines", "{0}.splitlines()", "list[str]"), 1.1),
    (_op("the characters", "list({0})", "list[str]"), 1.4),
    (_INT, 1.0),
    (_FLOAT, 1.1),
    *((op, 1.1) for op in (LOWER, UPPER, TITLE, STRIP, REVERSE)),
)
# With a mark that the texts have.
_WITH_MARKS = (
    (helper("fields", "list[str]", words="the fields of {0}"), "str", 1.1),
    (JOIN, "list[str]", 1.0),
    (COUNT, "str", 1.4),
)
_TOTALS = helper("totals", "dict[str, float]", words="the totals of {1} for each of {0}")
_OTHERS: tuple[tuple[Op, str | tuple[str, ...], float], ...] = (
    (helper("unique_texts", "list[str]", words="{0} without repetitions"), "list[str]", 1.0),
    (helper("flat_texts", "list[str]", words="the elements of {0}"), "list[list[str]]", 1.0),
    (helper("counts", "dict[str, int]", words="how often each of {0} occurs"), "list[str]", 1.0),
    (helper("most_common", words="the most common of {0}"), "list[str]", 1.3),
    *((_TOTALS, ("list[str]", f"list[{kind}]"), 1.2) for kind in _NUMBERS),
    (helper("longest", words="the longest of {0}"), "list[str]", 1.3),
    (helper("shortest", words="the shortest of {0}"), "list[str]", 1.4),
    (helper("from_roman", "int", words="the Roman numeral {0}"), "str", 1.2),
    (_op("the keys", "list({0})", "list[str]"), "dict[str, int]", 1.3),
)


def rules(numbers: tuple[Value, ...], texts: tuple[str, ...]) -> Iterator[TypedRule]:
    """Yield every rule; *numbers* and *texts* are the constants worth trying."""
    for kind in ("int", "float", "str", "list[int]", "list[str]", "dict[str, object]"):
        yield from _list_rules(kind)
    for kind in _NUMBERS:
        yield from _number_rules(kind, numbers)
    yield from (_rule(op, "float", cost + 0.1 * places, places) for places in (2, 1, 3) for op, cost in _PLACED)
    yield from (_rule(op, "float", cost) for op, cost in _OF_FLOATS)
    yield from (_rule(op, "str", cost) for op, cost in _OF_TEXTS)
    yield from (_rule(op, takes, cost, text) for text in texts for op, takes, cost in _WITH_MARKS)
    yield from (_rule(op, takes, cost) for op, takes, cost in _OTHERS)


def _list_rules(kind: str) -> Iterator[TypedRule]:
    many = f"list[{kind}]"
    yield from (_rule(op, many, cost) for op, cost in _OF_LISTS)
    for size in (1, 2, 3, 4, 5):
        yield from (_rule(op, many, cost, size) for op, cost in _SIZED if size > 1)
        yield _rule(_AT, many, 1.3 + 0.1 * size, size)
    if kind in ("int", "float", "str"):
        yield from (_rule(op, many, cost) for op, cost in _OF_ORDERED)
    if kind in _NUMBERS:
        yield from (_rule(op, many, cost) for op, cost in _OF_NUMBERS)
    if kind == "int":
        yield _rule(helper("unique_ints", "list[int]", words="{0} without repetitions"), many, 1.0)
        yield _rule(helper("flat_ints", "list[int]", words="the elements of {0}"), "list[list[int]]", 1.0)


def _number_rules(kind: str, numbers: tuple[Value, ...]) -> Iterator[TypedRule]:
    yield from (_rule(op, (kind, kind), cost) for op, cost in _OF_PAIRS)
    yield from (_rule(op, kind, cost) for op, cost in ((_NEGATIVE, 1.2), (_ABSOLUTE, 1.1), (_SQUARE, 1.3)))
    for number in numbers:
        if not isinstance(number, (int, float)) or not number or (isinstance(number, float) and kind == "int"):
            continue
        for op in (ADD, SUBTRACT, MULTIPLY):
            yield _rule(op, kind, 1.2 + 0.05 * min(abs(number), 10), number)
        if isinstance(number, int):
            yield from (
                _rule(op, kind, cost, number) for op, cost in ((FLOOR_DIVIDE, 1.5), (_REST, 1.5), (DIVIDE, 1.4))
            )


def loops(numbers: tuple[Value, ...]) -> Iterator[ElementLoop]:
    """Yield what can be done to, or asked of, every element of a list of plain values."""
    item = LoopItem()
    for kind in _NUMBERS:
        for number in numbers:
            if not isinstance(number, (int, float)) or (isinstance(number, float) and kind == "int"):
                continue
            for op in (ADD, SUBTRACT, MULTIPLY):
                yield ElementLoop(kind, kind, _call(op, number), None, 1.4)
            for op in (_MORE, _LESS, _MORE_EQUAL, _LESS_EQUAL, _SAME, _OTHER):
                yield ElementLoop(kind, kind, item, _call(op, number), 1.4)
        yield ElementLoop(kind, kind, _call(_SQUARE), None, 1.4)
        yield ElementLoop(kind, kind, _call(_NEGATIVE), None, 1.5)
        yield ElementLoop(kind, kind, _call(_ABSOLUTE), None, 1.4)
        yield ElementLoop(kind, "str", _call(_STR), None, 1.2)
    yield ElementLoop("int", "int", item, _call(_EVEN), 1.2)
    yield ElementLoop("int", "int", item, _call(_ODD), 1.2)
    for op in (LOWER, UPPER, TITLE, STRIP, REVERSE):
        yield ElementLoop("str", "str", _call(op), None, 1.1)
    yield ElementLoop("str", "int", _call(LENGTH), None, 1.1)
    yield ElementLoop("str", "int", _call(_INT), None, 1.1)
    yield ElementLoop("str", "float", _call(_FLOAT), None, 1.2)
    yield ElementLoop("str", "str", item, item, 1.1)


def _call(op: Op, *args: Value) -> Expr:
    return ApplyOperation(op=op, args=(LoopItem(), *(Literal(arg) for arg in args)))


_EVEN = _op("even", "{0} % 2 == 0", "bool", loose=True, words="{0} is even")
_ODD = _op("odd", "{0} % 2 == 1", "bool", loose=True, words="{0} is odd")
_MORE = _op("more", "{0} > {1}", "bool", loose=True, words="{0} is more than {1}")
_LESS = _op("less", "{0} < {1}", "bool", loose=True, words="{0} is less than {1}")
_MORE_EQUAL = _op("at least", "{0} >= {1}", "bool", loose=True, words="{0} is at least {1}")
_LESS_EQUAL = _op("at most", "{0} <= {1}", "bool", loose=True, words="{0} is at most {1}")
_SAME = _op("equal", "{0} == {1}", "bool", loose=True, words="{0} is {1}")
_OTHER = _op("unequal", "{0} != {1}", "bool", loose=True, words="{0} is not {1}")
COMPARISONS = (_SAME, _MORE, _LESS, _MORE_EQUAL, _LESS_EQUAL, _OTHER)
