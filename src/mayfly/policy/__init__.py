"""Rules decide who acts, with what, and whether each effect is permitted; every answer has a reason.

The names below are loaded on first use, so that rules can be evaluated without a ledger or a kernel.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.policy._cases import Case, Tried, cases_of, read_cases, rule_files, run_cases
    from mayfly.policy._intents import LEXICON, facts_of, facts_of_intents, lexicon_of
    from mayfly.policy.kernel import (
        ActionType,
        Appeals,
        Caps,
        Court,
        Difference,
        Explanation,
        Fact,
        FileChange,
        Judgement,
        Kernel,
        Override,
        PathDecision,
        Permit,
        Programs,
        Proposed,
        Reason,
        Recording,
        Review,
        Route,
        Rulebook,
        SetFacts,
        Snapshot,
        Span,
        Watcher,
        World,
        action_types,
        changeable,
        depends_on,
        goal_atoms,
        key_groups,
        propose,
        reason_codes,
        recordings,
        simulate,
    )

__all__ = [
    "LEXICON",
    "ActionType",
    "Appeals",
    "Caps",
    "Case",
    "Court",
    "Difference",
    "Explanation",
    "Fact",
    "FileChange",
    "Judgement",
    "Kernel",
    "Override",
    "PathDecision",
    "Permit",
    "Programs",
    "Proposed",
    "Reason",
    "Recording",
    "Review",
    "Route",
    "Rulebook",
    "SetFacts",
    "Snapshot",
    "Span",
    "Tried",
    "Watcher",
    "World",
    "action_types",
    "cases_of",
    "changeable",
    "depends_on",
    "facts_of",
    "facts_of_intents",
    "goal_atoms",
    "key_groups",
    "lexicon_of",
    "propose",
    "read_cases",
    "reason_codes",
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
            "ActionType",
            "action_types",
            "key_groups",
            "Reason",
            "Span",
            "reason_codes",
            "Caps",
            "Appeals",
            "Court",
            "Difference",
            "Explanation",
            "Fact",
            "FileChange",
            "Judgement",
            "Kernel",
            "Override",
            "PathDecision",
            "Permit",
            "Programs",
            "Proposed",
            "Recording",
            "Review",
            "Route",
            "Rulebook",
            "SetFacts",
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
    **dict.fromkeys(("LEXICON", "facts_of", "facts_of_intents", "lexicon_of"), "mayfly.policy._intents"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.policy' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
