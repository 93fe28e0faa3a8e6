"""Explanations: why a fact holds, why a goal does not, and what would make it hold."""

from mayfly.mangle.explain._change import Change, Repair
from mayfly.mangle.explain._render import JSON, Branch, outline, to_json, to_text
from mayfly.mangle.explain._repair import repairs
from mayfly.mangle.explain._solve import solve
from mayfly.mangle.explain._terms import Bindings
from mayfly.mangle.explain._why import Fact, Leaves, Step, Why, leaves, why
from mayfly.mangle.explain._why_not import Attempt, WhyNot, why_not

__all__ = [
    "JSON",
    "Attempt",
    "Bindings",
    "Branch",
    "Change",
    "Fact",
    "Leaves",
    "Repair",
    "Step",
    "Why",
    "WhyNot",
    "leaves",
    "outline",
    "repairs",
    "solve",
    "to_json",
    "to_text",
    "why",
    "why_not",
]
