"""Rules in force, and every decision they make before an effect happens.

The names below are loaded on first use: a decision does not load what tries, explains and simulates rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.policy.kernel._appeals import Appeals, Override, Standing
    from mayfly.policy.kernel._court import Court
    from mayfly.policy.kernel._events import (
        PolicyDecided,
        PolicyFactRefused,
        PolicyOverridden,
        PolicyReloaded,
        PolicyReviewWanted,
        PolicyRouted,
    )
    from mayfly.policy.kernel._explain import Explanation
    from mayfly.policy.kernel._files import Problem, RuleFile
    from mayfly.policy.kernel._goals import changeable, depends_on, goal_atoms
    from mayfly.policy.kernel._kernel import Kernel
    from mayfly.policy.kernel._permit import Decision, Permit, Route
    from mayfly.policy.kernel._programs import Programs
    from mayfly.policy.kernel._propose import PROPOSABLE, Proposed, RefusedFact, propose
    from mayfly.policy.kernel._record import Recording, recordings
    from mayfly.policy.kernel._review import Review
    from mayfly.policy.kernel._rulebook import Reload, Rulebook
    from mayfly.policy.kernel._simulate import Difference, simulate
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel._watch import Watcher
    from mayfly.policy.kernel._world import World
    from mayfly.policy.kernel.facts import Fact, facts_of_action

__all__ = [
    "PROPOSABLE",
    "Appeals",
    "Court",
    "Decision",
    "Difference",
    "Explanation",
    "Fact",
    "Kernel",
    "Override",
    "Permit",
    "PolicyDecided",
    "PolicyFactRefused",
    "PolicyOverridden",
    "PolicyReloaded",
    "PolicyReviewWanted",
    "PolicyRouted",
    "Problem",
    "Programs",
    "Proposed",
    "Recording",
    "RefusedFact",
    "Reload",
    "Review",
    "Route",
    "RuleFile",
    "Rulebook",
    "Snapshot",
    "Standing",
    "Watcher",
    "World",
    "changeable",
    "depends_on",
    "facts_of_action",
    "goal_atoms",
    "propose",
    "recordings",
    "simulate",
]

_HOME = {
    **dict.fromkeys(("Appeals", "Override", "Standing"), "mayfly.policy.kernel._appeals"),
    **dict.fromkeys(("Court",), "mayfly.policy.kernel._court"),
    **dict.fromkeys(
        (
            "PolicyDecided",
            "PolicyFactRefused",
            "PolicyOverridden",
            "PolicyReloaded",
            "PolicyReviewWanted",
            "PolicyRouted",
        ),
        "mayfly.policy.kernel._events",
    ),
    **dict.fromkeys(("Explanation",), "mayfly.policy.kernel._explain"),
    **dict.fromkeys(("Problem", "RuleFile"), "mayfly.policy.kernel._files"),
    **dict.fromkeys(("changeable", "depends_on", "goal_atoms"), "mayfly.policy.kernel._goals"),
    **dict.fromkeys(("Kernel",), "mayfly.policy.kernel._kernel"),
    **dict.fromkeys(("Decision", "Permit", "Route"), "mayfly.policy.kernel._permit"),
    **dict.fromkeys(("Programs",), "mayfly.policy.kernel._programs"),
    **dict.fromkeys(("PROPOSABLE", "Proposed", "RefusedFact", "propose"), "mayfly.policy.kernel._propose"),
    **dict.fromkeys(("Recording", "recordings"), "mayfly.policy.kernel._record"),
    **dict.fromkeys(("Review",), "mayfly.policy.kernel._review"),
    **dict.fromkeys(("Reload", "Rulebook"), "mayfly.policy.kernel._rulebook"),
    **dict.fromkeys(("Difference", "simulate"), "mayfly.policy.kernel._simulate"),
    **dict.fromkeys(("Snapshot",), "mayfly.policy.kernel._snapshot"),
    **dict.fromkeys(("Watcher",), "mayfly.policy.kernel._watch"),
    **dict.fromkeys(("World",), "mayfly.policy.kernel._world"),
    **dict.fromkeys(("Fact", "facts_of_action"), "mayfly.policy.kernel.facts"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.policy.kernel' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
