"""From parsed sources to a program that can be evaluated, all checks passed."""

from collections.abc import Mapping, Sequence

from mayfly.policy.mangle._ast import Symbol, Unit
from mayfly.policy.mangle._checked import Declared
from mayfly.policy.mangle.check import check
from mayfly.policy.mangle.engine import Program, compile_program


def load(units: Sequence[Unit], *, extra: Mapping[Symbol, Declared] | None = None) -> Program:
    """Check *units* as one program and compile it; what is wrong is a `MangleError` with its place."""
    return compile_program(check(units, extra=extra or {}))
