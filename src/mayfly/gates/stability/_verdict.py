"""Say what the stability gate found, in the one form all its checks share."""

from __future__ import annotations

import ast
from functools import partial

from mayfly.core import Verdict

GATE = "stability"

reject = partial(Verdict, gate=GATE, decision="reject")
revise = partial(Verdict, gate=GATE, decision="revise")


def line_of(node: ast.AST) -> int:
    """Return the line of *node*, or the first for one that has none."""
    line = getattr(node, "lineno", 1)
    return line if isinstance(line, int) else 1
