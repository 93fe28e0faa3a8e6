"""Rules in force, and every decision they make before an effect happens.

The names below are loaded on first use: a decision does not load what tries, explains and simulates rules.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.policy.kernel._actions import ActionType, action_types, key_groups
    from mayfly.policy.kernel._appeals import Appeals, Override, Standing
    from mayfly.policy.kernel._court import Court
    from mayfly.policy.kernel._events import (
        PolicyDecided,
        PolicyFactRefused,
        PolicyOverridden,
        PolicyReloaded,
        PolicyReviewWanted,
        PolicyRouted,
        PolicySpent,
    )
    from mayfly.policy.kernel._explain import Explanation
    from mayfly.policy.kernel._files import Problem, RuleFile
    from mayfly.policy.kernel._goals import changeable, depends_on, goal_atoms
    from mayfly.policy.kernel._judgement import Judgement, PathDecision
    from mayfly.policy.kernel._kernel import Kernel
    from mayfly.policy.kernel._permit import Decision, Permit, Route
    from mayfly.policy.kernel._programs import Programs
    from mayfly.policy.kernel._propose import PROPOSABLE, Proposed, RefusedFact, propose
    from mayfly.policy.kernel._reasons import Reason, Span, reason_codes
    from mayfly.policy.kernel._record import Recording, recordings
    from mayfly.policy.kernel._review import Review
    from mayfly.policy.kernel._rulebook import Reload, Rulebook
    from mayfly.policy.kernel._simulate import Difference, simulate
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel._spending import Caps
    from mayfly.policy.kernel._watch import Watcher
    from mayfly.policy.kernel._world import World
    from mayfly.policy.kernel.facts import Fact, FileChange, SetFacts, facts_of_action

__all__ = [
    "PROPOSABLE",
    "ActionType",
    "Appeals",
    "Caps",
    "Court",
    "Decision",
    "Difference",
    "Explanation",
    "Fact",
    "FileChange",
    "Judgement",
    "Kernel",
    "Override",
    "PathDecision",
    "Permit",
    "PolicyDecided",
    "PolicyFactRefused",
    "PolicyOverridden",
    "PolicyReloaded",
    "PolicyReviewWanted",
    "PolicyRouted",
    "PolicySpent",
    "Problem",
    "Programs",
    "Proposed",
    "Reason",
    "Recording",
    "RefusedFact",
    "Reload",
    "Review",
    "Route",
    "RuleFile",
    "Rulebook",
    "SetFacts",
    "Snapshot",
    "Span",
    "Standing",
    "Watcher",
    "World",
    "action_types",
    "changeable",
    "depends_on",
    "facts_of_action",
    "goal_atoms",
    "key_groups",
    "propose",
    "reason_codes",
    "recordings",
    "simulate",
]

__getattr__ = lazily(
    __name__,
    {
        "_actions": "ActionType action_types key_groups",
        "_appeals": "Appeals Override Standing",
        "_court": "Court",
        "_events": (
            "PolicyDecided PolicyFactRefused PolicyOverridden PolicyReloaded PolicyReviewWanted PolicyRouted "
            "PolicySpent"
        ),
        "_explain": "Explanation",
        "_files": "Problem RuleFile",
        "_goals": "changeable depends_on goal_atoms",
        "_judgement": "Judgement PathDecision",
        "_kernel": "Kernel",
        "_permit": "Decision Permit Route",
        "_programs": "Programs",
        "_propose": "PROPOSABLE Proposed RefusedFact propose",
        "_reasons": "Reason Span reason_codes",
        "_record": "Recording recordings",
        "_review": "Review",
        "_rulebook": "Reload Rulebook",
        "_simulate": "Difference simulate",
        "_snapshot": "Snapshot",
        "_spending": "Caps",
        "_watch": "Watcher",
        "_world": "World",
        "facts": "Fact FileChange SetFacts facts_of_action",
    },
)
