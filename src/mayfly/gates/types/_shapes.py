"""Shapes of programs that mypy has passed: programs of a writer of ours differ in their texts alone, such as SQL."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from mayfly.core import content_hash, parse_python

# Written by tests/synthesis/records/shapes.py; a test holds every shape against mypy.
SHAPES = Path(__file__).parent / "typeserver" / "data" / "shapes.txt"


def is_known_shape(source: str) -> bool:
    """Say whether mypy has passed a program that differs from *source* in nothing but its texts."""
    # Programs of any other kind are not even parsed for this.
    return "import duckdb" in source and shape_of(source) in _shapes()


def shape_of(source: str) -> str:
    """Return the hash of a program without its texts; those in annotations stay, where they are types."""
    tree = _WithoutTexts().visit(parse_python(source))
    return content_hash(ast.dump(tree))


@cache
def _shapes() -> frozenset[str]:
    return frozenset(SHAPES.read_text(encoding="ascii").split())


class _WithoutTexts(ast.NodeTransformer):
    """Empty every text that is no part of an annotation."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = [self.visit(statement) for statement in node.body]
        return node
