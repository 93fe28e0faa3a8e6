"""A whole program laid out for evaluation: numbered predicates, groups of rules, and who reads what.

Only data: how it is laid out is in `_laid_out`, which a program that was kept does not need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mayfly.mangle.engine._marks import timed

if TYPE_CHECKING:
    from mayfly.mangle._checked import Given, Merge
    from mayfly.mangle._symbols import Symbol
    from mayfly.mangle._values import Value
    from mayfly.mangle.engine._aggregate import Grouping
    from mayfly.mangle.engine._plan import Made, Plan, Setting


@dataclass(slots=True, kw_only=True, eq=False)
class Readers:
    """The premises that read a predicate: those that take any row, and those that take one constant in a column."""

    every: list[tuple[Plan, int]] = field(default_factory=list)
    by_constant: dict[int, dict[Value, list[tuple[Plan, int]]]] = field(default_factory=dict)
    negations: list[Plan] = field(default_factory=list)
    aggregates: list[Plan] = field(default_factory=list)
    reading: list[tuple[Plan, int]] = field(default_factory=list)
    """Those that are not sorted out yet, which is done when the predicate first has something new."""

    def arrange(self) -> None:
        """Sort the premises out by the constants they take."""
        if self.reading:
            from mayfly.mangle.engine._planned import arranged

            self.every, self.by_constant = arranged(self.reading)
            # Last: another thread that sees it empty finds the others full.
            self.reading = []


@dataclass(slots=True, kw_only=True, eq=False)
class Group:
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


class Layout:
    """Number everything once, so that an evaluation only touches lists."""

    symbols: list[Symbol]
    numbers: dict[Symbol, int]
    deferred: frozenset[int]
    external: frozenset[int]
    setting: Setting
    merges: dict[int, Merge]
    given: dict[int, list[Given]]
    """The facts of the source by predicate; `Base` keeps those that are not found in its relations."""
    modes: dict[int, tuple[tuple[str, ...], ...]]
    plans: list[Plan]
    deferred_rules: list[Plan]
    groups: list[Group]
    group_of: dict[int, int]
    readers: list[Readers]

    def __init__(self) -> None:
        self._groupings: dict[Plan, tuple[Made, Grouping, bool]] = {}
        self._asked: dict[int, list[tuple[Made, tuple[int, ...]]]] = {}

    def grouping(self, plan: Plan) -> tuple[Made, Grouping, bool]:
        """Return what an aggregating rule is evaluated with."""
        found = self._groupings.get(plan)
        if found is None:
            from mayfly.mangle.engine._aggregate import grouping
            from mayfly.mangle.engine._planned import body

            made, names, distinct = body(plan)
            found = self._groupings[plan] = (made, grouping(plan.rule, names), distinct)
        return found

    def asked(self, number: int) -> list[tuple[Made, tuple[int, ...]]]:
        """Return the functions of a deferred predicate's rules, each with the columns it takes as input."""
        found = self._asked.get(number)
        if found is None:
            from mayfly.mangle.engine._planned import asked, inputs_of

            modes = self.modes[number]
            mode = modes[0] if modes else ()
            found = []
            for plan in self.deferred_rules:
                if plan.head == number:
                    columns = inputs_of(plan, mode)
                    found.append((asked(plan, tuple(columns)), tuple(columns.values())))
            self._asked[number] = found
        return found

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
