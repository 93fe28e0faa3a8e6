"""Find in a program the numbers after which it may stop: a limit that no trial reached would not be seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mayfly.core import parse_python

_TAKING = frozenset({"islice", "nlargest", "nsmallest", "most_common", "range", "take", "head", "first", "limit"})


def constants(source: str) -> list[int]:
    """Return every whole number above 1 that *source* writes out."""
    return [
        node.value
        for node in ast.walk(parse_python(source))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1
    ]


def limits_of(source: str) -> list[int]:
    """Return the numbers that *source* cuts, takes or breaks off at."""
    tree = parse_python(source)
    named = _named(tree)
    return [number for node in _bounds(tree) for number in _numbers(node, named)]


def _named(tree: ast.AST) -> dict[str, list[int]]:
    """Return the numbers that names and parameters stand for."""
    found: dict[str, list[int]] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            for argument, default in zip(
                positional[len(positional) - len(node.defaults) :], node.defaults, strict=True
            ):
                found.setdefault(argument.arg, []).extend(_written(default))
            continue
        else:
            continue
        for target in targets:
            name = (
                target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
            )
            if name and node.value is not None:
                found.setdefault(name, []).extend(_written(node.value))
    return found


def _written(node: ast.AST) -> list[int]:
    return [node.value] if isinstance(node, ast.Constant) and type(node.value) is int else []


def _numbers(node: ast.AST, named: dict[str, list[int]]) -> list[int]:
    numbers: list[int] = []
    for inner in ast.walk(node):
        numbers += _written(inner)
        if isinstance(inner, ast.Name):
            numbers += named.get(inner.id, [])
        elif isinstance(inner, ast.Attribute):
            numbers += named.get(inner.attr, [])
    return [number for number in numbers if number > 0]


def _bounds(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that may hold a limit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Slice):
            yield from (bound for bound in (node.lower, node.upper) if bound is not None)
        elif isinstance(node, ast.Call) and _called(node.func) in _TAKING:
            yield from (*node.args, *(keyword.value for keyword in node.keywords))
        elif isinstance(node, ast.Compare) and any(_is_length(side) for side in (node.left, *node.comparators)):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.While):
            yield node.test
        elif isinstance(node, ast.For):
            yield from _breaks(node)


def _breaks(loop: ast.For) -> Iterator[ast.AST]:
    for node in ast.walk(loop):
        if isinstance(node, ast.If) and any(isinstance(inner, (ast.Break, ast.Return)) for inner in node.body):
            yield node.test


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node.func) == "len"
