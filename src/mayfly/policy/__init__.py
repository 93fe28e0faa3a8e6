"""Rules decide who acts, with what, and whether each effect is permitted; every answer has a reason.

The names below are loaded on first use: a decision does not load what tries, explains and simulates rules, and rules
can be evaluated without a ledger or a kernel.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.policy._cases import CaseResult as CaseResult
    from mayfly.policy._cases import RuleCase as RuleCase
    from mayfly.policy._cases import cases_of as cases_of
    from mayfly.policy._cases import read_cases as read_cases
    from mayfly.policy._cases import rule_files as rule_files
    from mayfly.policy._cases import run_cases as run_cases
    from mayfly.policy._intents import LEXICON as LEXICON
    from mayfly.policy._intents import facts_of as facts_of
    from mayfly.policy._intents import facts_of_intents as facts_of_intents
    from mayfly.policy._intents import lexicon_of as lexicon_of
    from mayfly.policy.kernel._actions import ActionType as ActionType
    from mayfly.policy.kernel._actions import action_types as action_types
    from mayfly.policy.kernel._actions import key_groups as key_groups
    from mayfly.policy.kernel._appeals import Appeals as Appeals
    from mayfly.policy.kernel._appeals import Review as Review
    from mayfly.policy.kernel._court import Court as Court
    from mayfly.policy.kernel._decide import Permit as Permit
    from mayfly.policy.kernel._decide import Route as Route
    from mayfly.policy.kernel._events import PolicyOverridden as PolicyOverridden
    from mayfly.policy.kernel._files import Problem as Problem
    from mayfly.policy.kernel._files import RuleFile as RuleFile
    from mayfly.policy.kernel._goals import changeable as changeable
    from mayfly.policy.kernel._goals import depends_on as depends_on
    from mayfly.policy.kernel._goals import goal_atoms as goal_atoms
    from mayfly.policy.kernel._judgement import ChangesJudgement as ChangesJudgement
    from mayfly.policy.kernel._judgement import PathDecision as PathDecision
    from mayfly.policy.kernel._kernel import Kernel as Kernel
    from mayfly.policy.kernel._propose import Proposed as Proposed
    from mayfly.policy.kernel._propose import propose as propose
    from mayfly.policy.kernel._reasons import Reason as Reason
    from mayfly.policy.kernel._reasons import TextSpan as TextSpan
    from mayfly.policy.kernel._reasons import reason_codes as reason_codes
    from mayfly.policy.kernel._record import Caps as Caps
    from mayfly.policy.kernel._record import Recording as Recording
    from mayfly.policy.kernel._record import recordings as recordings
    from mayfly.policy.kernel._replay import DecisionDifference as DecisionDifference
    from mayfly.policy.kernel._replay import Explanation as Explanation
    from mayfly.policy.kernel._replay import simulate as simulate
    from mayfly.policy.kernel._rulebook import Rulebook as Rulebook
    from mayfly.policy.kernel._snapshot import Programs as Programs
    from mayfly.policy.kernel._snapshot import Snapshot as Snapshot
    from mayfly.policy.kernel._watch import Watcher as Watcher
    from mayfly.policy.kernel._world import World as World
    from mayfly.policy.kernel.facts import Fact as Fact
    from mayfly.policy.kernel.facts import FileChange as FileChange
    from mayfly.policy.kernel.facts import SetFacts as SetFacts

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
