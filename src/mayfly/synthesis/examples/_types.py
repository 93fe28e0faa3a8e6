"""Python types of example values and of expressions, as text for annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

_SCALARS = {str: "str", bool: "bool", int: "int", float: "float"}


def annotation(values: Sequence[Value]) -> str:
    """Return the narrowest annotation that all values have; unlike values in one container make it `object`."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return "float"
    if len(kinds) == 1 and (kind := next(iter(kinds))) in _SCALARS:
        return _SCALARS[kind]
    if values and all(isinstance(value, list) for value in values):
        return f"list[{_inner([inner for value in values if isinstance(value, list) for inner in value])}]"
    if values and all(isinstance(value, Mapping) for value in values):
        held = [inner for value in values if isinstance(value, Mapping) for inner in value.values()]
        return f"dict[str, {_inner(held)}]"
    return "object"


def _inner(values: Sequence[Value]) -> str:
    return annotation(values) if values else "object"


def element(container: str) -> str:
    """Return the type of what a container holds."""
    if container.startswith("list["):
        return container[5:-1]
    if container.startswith("dict[str, "):
        return container[10:-1]
    return "str" if container == "str" else "object"


def type_of(expr: Expr, given: str, item: str = "object") -> str:
    """Return the static type of an expression, where the input and the element at hand have the given types."""
    if isinstance(expr, Given):
        return _at(given, len(expr.path))
    if isinstance(expr, Item):
        return item
    if isinstance(expr, Apply):
        return _applied(expr, given, item)
    if isinstance(expr, Concat):
        return "str"
    if isinstance(expr, Literal):
        return "None" if expr.constant is None else annotation([expr.constant])
    if isinstance(expr, Choose):
        return joined([type_of(result, given, item) for result in (*[arm[1] for arm in expr.arms], expr.otherwise)])
    if isinstance(expr, Each):
        return f"list[{type_of(expr.body, given, element(type_of(expr.source, given, item)))}]"
    if isinstance(expr, Record):
        return "dict[str, object]"
    return "list[object]" if isinstance(expr, Listing) else "object"


def _at(given: str, depth: int) -> str:
    if depth == 0:
        return given
    return element(given) if depth == 1 else "object"


def _applied(expr: Apply, given: str, item: str) -> str:
    """Return the declared type; `same` and `element` follow the type of the first argument."""
    returns = expr.op.returns
    if returns == "same":
        return type_of(expr.args[0], given, item)
    if returns == "element":
        return element(type_of(expr.args[0], given, item))
    return returns


def joined(types: Sequence[str]) -> str:
    """Return the type of a value that has one of several types."""
    distinct = list(dict.fromkeys(types))
    if len(distinct) == 1:
        return distinct[0]
    if set(distinct) == {"int", "float"}:
        return "float"
    scalars = {"str", "int", "float", "bool", "None"}
    if set(distinct) <= scalars:
        return " | ".join(sorted(set(distinct), key=lambda name: (name == "None", name)))
    return "object"
