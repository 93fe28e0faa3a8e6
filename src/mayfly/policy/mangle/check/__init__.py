"""Check Mangle programs before they run: names known, variables bound, cycles broken, types kept."""

from mayfly.policy.mangle.check._program import check
from mayfly.policy.mangle.check._rows import check_rows
from mayfly.policy.mangle.check._types import conforms

__all__ = ["check", "check_rows", "conforms"]
