"""Judge whether code is pleasant to use: it is quiet, and it does not hide that something went wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mayfly.gates.judge._signal import JOYFUL, Signal, signal
from mayfly.gates.stability import Scan

_BROAD = frozenset({"Exception", "BaseException"})

Found = list[tuple[int, str]]


def joy(tree: ast.Module, intent: str, scan: Scan) -> Iterator[Signal]:
    """Yield what would annoy whoever uses the code."""
    asked = "print" in intent.lower()
    noise = [] if asked else _prints(tree, scan)
    yield signal("printing", JOYFUL, noise, each=0.2, most=0.45, confidence=0.9)
    yield signal("hidden errors", JOYFUL, _hidden(scan), each=0.3, most=0.7, confidence=0.9)
    yield signal("undocumented entry", JOYFUL, _undocumented(tree), each=0.15, most=0.15, confidence=0.7)
    yield signal("vague errors", JOYFUL, _vague(scan), each=0.1, most=0.2, confidence=0.6)


def _prints(tree: ast.Module, scan: Scan) -> Found:
    """Find prints that would run whenever the code does; those under a main guard run only for whoever wants them."""
    guards = [node for node in tree.body if _is_main_guard(node)]
    guarded = {id(inner) for node in guards for inner in ast.walk(node)}
    uses = (use.node for use in scan.names if use.node.id == "print" and id(use.node) not in guarded)
    return [(node.lineno, "it prints, where a result should be returned") for node in uses]


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _hidden(scan: Scan) -> Found:
    found: Found = []
    for node in scan.of(ast.ExceptHandler):
        if node.type is None:
            found.append((node.lineno, "a bare except hides every error"))
        elif _names(node.type) & _BROAD and all(_is_nothing(statement) for statement in node.body):
            found.append((node.lineno, f"except {ast.unparse(node.type)} with nothing done hides every error"))
    return found


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_nothing(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, (ast.Pass, ast.Continue))


def _undocumented(tree: ast.Module) -> Found:
    """Find a source whose public classes and functions all say nothing about how they are used."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    if not public or ast.get_docstring(tree) or any(ast.get_docstring(node) for node in public):
        return []
    return [(public[-1].lineno, f"{public[-1].name} does not say how it is used")]


def _vague(scan: Scan) -> Found:
    found: Found = []
    for node in scan.of(ast.Raise):
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(kind, ast.Name) and kind.id in _BROAD:
            found.append((node.lineno, f"raising {kind.id} leaves the caller no way to tell what it was"))
    return found
