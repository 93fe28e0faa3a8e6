"""Rules decide who acts, with what, and whether each effect is permitted; every answer has a reason.

The names below are loaded on first use, so that rules can be evaluated without a ledger or a kernel.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.policy._cases import Case, Tried, cases_of, read_cases, rule_files, run_cases
    from mayfly.policy.kernel import (
        Appeals,
        Court,
        Difference,
        Explanation,
        Fact,
        Kernel,
        Override,
        Permit,
        Proposed,
        Recording,
        Review,
        Route,
        Rulebook,
        Snapshot,
        Watcher,
        World,
        changeable,
        depends_on,
        goal_atoms,
        propose,
        recordings,
        simulate,
    )
    from mayfly.policy.perception import Lexicon, Perceived, Perception, perceive

__all__ = [
    "Appeals",
    "Case",
    "Court",
    "Difference",
    "Explanation",
    "Fact",
    "Kernel",
    "Lexicon",
    "Override",
    "Perceived",
    "Perception",
    "Permit",
    "Proposed",
    "Recording",
    "Review",
    "Route",
    "Rulebook",
    "Snapshot",
    "Tried",
    "Watcher",
    "World",
    "cases_of",
    "changeable",
    "depends_on",
    "goal_atoms",
    "perceive",
    "propose",
    "read_cases",
    "recordings",
    "rule_files",
    "run_cases",
    "simulate",
]

_HOME = {
    **dict.fromkeys(
        (
            "Case",
            "Tried",
            "cases_of",
            "read_cases",
            "rule_files",
            "run_cases",
        ),
        "mayfly.policy._cases",
    ),
    **dict.fromkeys(
        (
            "Appeals",
            "Court",
            "Difference",
            "Explanation",
            "Fact",
            "Kernel",
            "Override",
            "Permit",
            "Proposed",
            "Recording",
            "Review",
            "Route",
            "Rulebook",
            "Snapshot",
            "Watcher",
            "World",
            "changeable",
            "depends_on",
            "goal_atoms",
            "propose",
            "recordings",
            "simulate",
        ),
        "mayfly.policy.kernel",
    ),
    **dict.fromkeys(
        (
            "Lexicon",
            "Perceived",
            "Perception",
            "perceive",
        ),
        "mayfly.policy.perception",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.policy' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
