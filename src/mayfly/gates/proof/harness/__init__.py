"""What runs on the far side of the wall: these files are sent as text, never imported by the host for their effect."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from mayfly.core import parse_python

__all__ = ["far_side"]

_HERE = Path(__file__).parent


@cache
def far_side(*names: str) -> str:
    """Return the named files as one source without annotations, docstrings and imports of each other.

    What is appended to a program may import nothing, not even `typing`, and is compiled for every job.
    """
    body = [node for name in names for node in _module(name).body]
    tree = ast.Module(body=body, type_ignores=[])
    return "\n" + ast.unparse(ast.fix_missing_locations(_Strip().visit(tree))) + "\n"


def _module(name: str) -> ast.Module:
    return parse_python((_HERE / f"{name}.py").read_text(encoding="utf-8"))


class _Strip(ast.NodeTransformer):
    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if (node.module or "").split(".")[0] in ("mayfly", "typing") else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node
