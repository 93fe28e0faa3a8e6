"""Check Mangle programs before they run: names known, variables bound, cycles broken, types kept."""

from mayfly.mangle.check._program import check_program
from mayfly.mangle.check._types import conforms

__all__ = ["check_program", "conforms"]
