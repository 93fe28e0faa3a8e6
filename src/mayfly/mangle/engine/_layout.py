"""A whole program laid out for evaluation: numbered predicates, planned rules, groups of them, and who reads what.

Only data: how it is found out and how functions are made is in `_compile`, which a program that was kept rarely needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mayfly.mangle.engine._marks import Made, Setting, timed

if TYPE_CHECKING:
    from mayfly.mangle._checked import CheckedRule, GivenFact, Merge
    from mayfly.mangle._symbols import Symbol
    from mayfly.mangle._values import Value
    from mayfly.mangle.engine._aggregate import Grouping


@dataclass(slots=True, kw_only=True, eq=False)
class Plan:
    """One rule, ready to be evaluated from any premise that has new rows; functions are made when first needed."""

    rule: CheckedRule
    setting: Setting
    head: int
    aggregates: bool
    merges: bool
    fails_at: int
    """The first premise that can end in an error; the ones before it have to be evaluated in any case."""
    asks: bool
    """Whether what it gives depends on more than facts: an external predicate, asked by itself or through a deferred
    one, or the time of the evaluation."""
    reads: dict[int, int] = field(default_factory=dict)
    """Place of each positive premise with rows, and the number of its predicate."""
    negates: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    group: int = -1
    required: tuple[int, ...] = ()
    """The predicates without whose rows the rule neither gives anything nor fails."""
    starts: frozenset[int] = frozenset()
    """The premises that may be evaluated first."""
    lazy: frozenset[str] = frozenset()
    """The variables that no row has to be gone through for."""
    made: dict[int, Made] = field(default_factory=dict)
    """The functions by kind, `premise * 4 + record * 2 + again`: which premise it starts from, whether it records
    origins, whether it is for the rounds of a recursion, when most of what a rule gives is there already."""


@dataclass(slots=True, kw_only=True, eq=False)
class Readers:
    """The premises that read a predicate: those that take any row, and those that take one constant in a column."""

    every: list[tuple[Plan, int]] = field(default_factory=list)
    by_constant: dict[int, dict[Value, list[tuple[Plan, int]]]] = field(default_factory=dict)
    negations: list[Plan] = field(default_factory=list)
    aggregates: list[Plan] = field(default_factory=list)


@dataclass(slots=True, kw_only=True, eq=False)
class PredicateGroup:
    """The predicates that depend on each other, and their rules."""

    number: int
    predicates: tuple[int, ...]
    plans: list[Plan] = field(default_factory=list)
    aggregates: list[Plan] = field(default_factory=list)
    merges: bool = False
    inner: dict[int, list[tuple[Plan, int]]] = field(default_factory=dict)
    """For each predicate of the group the premises inside the group that read it: empty when nothing is recursive."""

    @property
    def restarts(self) -> bool:
        """Whether anything new means beginning anew: merged rows replace others, and recursive rules of the group must
        not see what its aggregates gave before."""
        return self.merges or bool(self.aggregates and self.inner)


@dataclass(slots=True, kw_only=True, eq=False)
class EngineLayout:
    """Number everything once, so that an evaluation only touches lists."""

    symbols: list[Symbol]
    numbers: dict[Symbol, int]
    deferred: frozenset[int]
    external: frozenset[int]
    merges: dict[int, Merge]
    given: dict[int, list[GivenFact]]
    """The facts of the source by predicate; `Base` keeps those that are not found in its relations."""
    modes: dict[int, tuple[tuple[str, ...], ...]]
    plans: list[Plan]
    deferred_rules: list[Plan]
    groups: list[PredicateGroup]
    group_of: dict[int, int]
    readers: list[Readers]
    groupings: dict[Plan, tuple[Made, Grouping, bool]] = field(default_factory=dict)
    """What aggregating rules are evaluated with, once they were: the body's function, and whether its rows are
    distinct."""
    asked: dict[int, list[tuple[Made, tuple[int, ...]]]] = field(default_factory=dict)
    """The functions of deferred predicates that were asked, each with the columns it takes as input."""

    def needed(self, goals: Iterable[Symbol]) -> frozenset[int]:
        """Return the groups that have to be evaluated to know the goals."""
        by_head: dict[int, list[Plan]] = {}
        for plan in [*self.plans, *self.deferred_rules]:
            by_head.setdefault(plan.head, []).append(plan)
        seen: set[int] = set()
        wanted = [symbol for goal in goals for symbol in (goal, timed(goal))]
        pending = [self.numbers[symbol] for symbol in wanted if symbol in self.numbers]
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            for plan in by_head.get(number, ()):
                pending += [*plan.reads.values(), *plan.negates, *plan.calls]
            merge = self.merges.get(number)
            if merge is not None:
                pending.append(self.numbers[merge.predicate])
        return frozenset(self.group_of[number] for number in seen if number in self.group_of)
