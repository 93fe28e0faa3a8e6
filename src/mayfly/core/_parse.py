"""Python source read as a tree, from any number of threads."""

from __future__ import annotations

import ast
import threading
from typing import Literal, overload

# CPython 3.11 counts the depth of all trees being made in one place. A collection of garbage in the middle may run
# Python code, which lets another thread make its tree, and then both counts are wrong: SystemError, of sound source.
_turn = threading.RLock()


@overload
def parse_python(source: str | bytes, *, mode: Literal["exec"] = ...) -> ast.Module: ...
@overload
def parse_python(source: str | bytes, *, mode: Literal["eval"]) -> ast.Expression: ...
def parse_python(source: str | bytes, *, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Do what `ast.parse` does, one at a time."""
    with _turn:
        return ast.parse(source) if mode == "exec" else ast.parse(source, mode="eval")


def check_tree(tree: ast.Module) -> None:
    """Raise what `compile` raises for *tree*, one at a time."""
    with _turn:
        compile(tree, "<source>", "exec", dont_inherit=True)
