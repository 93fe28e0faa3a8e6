"""Rules decide who acts, with what, and whether each effect is permitted; every answer has a reason.

The names below are loaded on first use: a decision does not load what tries, explains and simulates rules, and rules
can be evaluated without a ledger or a kernel.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.policy._cases import Case, Tried, cases_of, read_cases, rule_files, run_cases
    from mayfly.policy._intents import LEXICON, facts_of, facts_of_intents, lexicon_of
    from mayfly.policy.kernel._actions import ActionType, action_types, key_groups
    from mayfly.policy.kernel._appeals import Appeals, Review
    from mayfly.policy.kernel._court import Court
    from mayfly.policy.kernel._decide import Permit, Route
    from mayfly.policy.kernel._events import PolicyOverridden as Override
    from mayfly.policy.kernel._files import Problem, RuleFile
    from mayfly.policy.kernel._goals import changeable, depends_on, goal_atoms
    from mayfly.policy.kernel._judgement import Judgement, PathDecision
    from mayfly.policy.kernel._kernel import Kernel
    from mayfly.policy.kernel._propose import Proposed, propose
    from mayfly.policy.kernel._reasons import Reason, Span, reason_codes
    from mayfly.policy.kernel._record import Recording, recordings
    from mayfly.policy.kernel._replay import Difference, Explanation, simulate
    from mayfly.policy.kernel._rulebook import Rulebook
    from mayfly.policy.kernel._snapshot import Programs, Snapshot
    from mayfly.policy.kernel._spending import Caps
    from mayfly.policy.kernel._watch import Watcher
    from mayfly.policy.kernel._world import World
    from mayfly.policy.kernel.facts import Fact, FileChange, SetFacts

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
    "Problem",
    "Programs",
    "Proposed",
    "Reason",
    "Recording",
    "Review",
    "Route",
    "RuleFile",
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

__getattr__ = lazily(
    __name__,
    {
        "_cases": "Case Tried cases_of read_cases rule_files run_cases",
        "_intents": "LEXICON facts_of facts_of_intents lexicon_of",
        "kernel._actions": "ActionType action_types key_groups",
        "kernel._appeals": "Appeals Review",
        "kernel._court": "Court",
        "kernel._decide": "Permit Route",
        "kernel._events": "PolicyOverridden=Override",
        "kernel._goals": "changeable depends_on goal_atoms",
        "kernel._files": "Problem RuleFile",
        "kernel._judgement": "Judgement PathDecision",
        "kernel._kernel": "Kernel",
        "kernel._propose": "Proposed propose",
        "kernel._reasons": "Reason Span reason_codes",
        "kernel._record": "Recording recordings",
        "kernel._rulebook": "Rulebook",
        "kernel._replay": "Difference Explanation simulate",
        "kernel._snapshot": "Programs Snapshot",
        "kernel._spending": "Caps",
        "kernel._watch": "Watcher",
        "kernel._world": "World",
        "kernel.facts": "Fact FileChange SetFacts",
    },
)
