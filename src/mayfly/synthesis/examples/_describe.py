"""Say in plain words what a program does."""

from __future__ import annotations

import re

from mayfly.core import clipped
from mayfly.synthesis.examples._tree import (
    Apply,
    Choose,
    Concat,
    Each,
    Expr,
    Given,
    Item,
    Listing,
    Literal,
    Record,
    Value,
)

_LONGEST = 200
_COUNTED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def describe(expr: Expr) -> str:
    """Return a sentence about what the program gives."""
    text = words(expr)
    return f"Give {text}." if len(text) <= _LONGEST else f"Give {text[:_LONGEST]}..."


def words(expr: Expr) -> str:
    """Return an expression in words."""
    if isinstance(expr, Given):
        return "the input" if not expr.path else " of ".join(_step(step) for step in reversed(expr.path))
    if isinstance(expr, Item):
        return "each element"
    if isinstance(expr, Literal):
        return constant_words(expr.constant)
    if isinstance(expr, Concat):
        return ", then ".join(words(part) for part in expr.parts)
    if isinstance(expr, Choose):
        arms = [f"{words(result)} if {words(test)}" for test, result in expr.arms]
        return "; ".join([*arms, f"otherwise {words(expr.otherwise)}"])
    return _compound(expr)


def _compound(expr: Expr) -> str:
    if isinstance(expr, Apply):
        template = expr.op.words or expr.op.name + " of {0}"
        return re.sub(r"\{(\d)\}", lambda match: _argument(expr, int(match[1])), template)
    if isinstance(expr, Each):
        test = f" where {words(expr.test)}" if expr.test is not None else ""
        body = "" if isinstance(expr.body, Item) else f" as {words(expr.body)}"
        return f"every element of {words(expr.source)}{test}{body}"
    if isinstance(expr, Record):
        return "a record of " + ", ".join(f"{key} ({words(part)})" for key, part in expr.fields)
    if isinstance(expr, Listing):
        return "a list of " + ", ".join(words(part) for part in expr.elements)
    return "something"


def _argument(expr: Apply, place: int) -> str:
    if place >= len(expr.args):
        return ""
    argument = expr.args[place]
    if isinstance(argument, Literal) and expr.op.name in ("word", "field", "piece", "number_in", "element"):
        return _count(argument.constant)
    return words(argument)


def _count(value: Value) -> str:
    if not isinstance(value, int):
        return constant_words(value)
    if value >= 0:
        return f"number {value + 1}"
    return "the last one" if value == -1 else f"number {-value} from the end"


def _step(step: str | int) -> str:
    return (
        f"the field {step}"
        if isinstance(step, str)
        else f"the {_COUNTED[step] if step < len(_COUNTED) else step + 1} value"
    )


def constant_words(value: Value) -> str:
    """Return a constant for a reader, shortened."""
    if isinstance(value, dict):
        return "the table of known values"
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return clipped(text, 40, mark="...")
