"""A whole program laid out for evaluation: numbered predicates, groups of rules, and who reads what."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mayfly.mangle._ast import Atom, Equality, Symbol, Timed, Variable
from mayfly.mangle._checked import Checked, Given, Merge
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Value
from mayfly.mangle.engine._aggregate import Grouping, grouping
from mayfly.mangle.engine._emit import Made
from mayfly.mangle.engine._order import WILDCARD, is_builtin
from mayfly.mangle.engine._plan import Plan
from mayfly.mangle.engine._timed import timed
from mayfly.mangle.engine._write import Setting


@dataclass(slots=True, kw_only=True, eq=False)
class Readers:
    """The premises that read a predicate: those that take any row, and those that take one constant in a column."""

    every: list[tuple[Plan, int]] = field(default_factory=list)
    by_constant: dict[int, dict[Value, list[tuple[Plan, int]]]] = field(default_factory=dict)
    negations: list[Plan] = field(default_factory=list)
    aggregates: list[Plan] = field(default_factory=list)

    def arrange(self, reading: list[tuple[Plan, int]]) -> None:
        """Sort premises by the constant that tells most of them apart, so that a row wakes only what it can concern."""
        values: dict[int, set[Value]] = {}
        for plan, at in reading:
            for column, value in plan.constants(at):
                values.setdefault(column, set()).add(value)
        for plan, at in reading:
            constants = plan.constants(at)
            if constants:
                column, value = max(constants, key=lambda pair: len(values[pair[0]]))
                self.by_constant.setdefault(column, {}).setdefault(value, []).append((plan, at))
            else:
                self.every.append((plan, at))


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

    def __init__(self, checked: Checked) -> None:
        _refuse(checked)
        self.symbols = _symbols(checked)
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        about = checked.declared.items()
        self.deferred = frozenset(self.numbers[symbol] for symbol, known in about if known.deferred)
        self.external = frozenset(self.numbers[symbol] for symbol, known in about if known.external)
        called = frozenset(self.symbols[number] for number in self.deferred | self.external)
        self.setting = Setting(numbers=self.numbers, called=called)
        self.merges: dict[int, Merge] = {
            self.numbers[symbol]: known.merge for symbol, known in about if known.merge is not None
        }
        self.given: dict[int, list[Given]] = {}
        """The facts of the source by predicate; `Base` keeps those that are not found in its relations."""
        for fact in checked.given:
            number = self.numbers[fact.symbol if fact.time is None else timed(fact.symbol)]
            self.given.setdefault(number, []).append(fact)
        self._modes = {number: checked.declared[self.symbols[number]].modes for number in self.deferred}
        plans = [Plan(rule, self.setting, checked.declared) for rule in checked.rules]
        self.plans = [plan for plan in plans if plan.head not in self.deferred]
        self._deferred_rules = [plan for plan in plans if plan.head in self.deferred]
        self.groups, self.group_of = _groups(checked, self.numbers, self.plans, self.deferred)
        self._note_asking([*self.plans, *self._deferred_rules])
        self.readers = [Readers() for _ in self.symbols]
        self._note_readers()
        self._groupings: dict[Plan, tuple[Made, Grouping, bool]] = {}
        self._asked: dict[int, list[tuple[Made, tuple[int, ...]]]] = {}

    def _note_asking(self, plans: list[Plan]) -> None:
        """Mark the rules that may ask an external predicate: they are no part of what the program alone gives."""
        asking = set(self.external)
        changed = True
        while changed:
            changed = False
            for plan in plans:
                if not plan.asks and not asking.isdisjoint(plan.calls):
                    plan.asks = changed = True
                    if plan.head in self.deferred:
                        asking.add(plan.head)
        for number, merge in self.merges.items():
            if self.numbers[merge.predicate] in asking:
                for plan in plans:
                    plan.asks = plan.asks or plan.head == number

    def _note_readers(self) -> None:
        reading: list[list[tuple[Plan, int]]] = [[] for _ in self.symbols]
        for plan in self.plans:
            if plan.aggregates:
                for number in dict.fromkeys((*plan.reads.values(), *plan.negates)):
                    self.readers[number].aggregates.append(plan)
                continue
            for at, number in plan.reads.items():
                # What a group gives itself is followed by its rounds.
                if self.group_of.get(number) != plan.group:
                    reading[number].append((plan, at))
            for number in dict.fromkeys(plan.negates):
                self.readers[number].negations.append(plan)
        for readers, premises in zip(self.readers, reading, strict=True):
            readers.arrange(premises)

    def grouping(self, plan: Plan) -> tuple[Made, Grouping, bool]:
        """Return what an aggregating rule is evaluated with."""
        found = self._groupings.get(plan)
        if found is None:
            made, names, distinct = plan.body()
            found = self._groupings[plan] = (made, grouping(plan.rule, names), distinct)
        return found

    def asked(self, number: int) -> list[tuple[Made, tuple[int, ...]]]:
        """Return the functions of a deferred predicate's rules, each with the columns it takes as input."""
        found = self._asked.get(number)
        if found is None:
            modes = self._modes[number]
            mode = modes[0] if modes else ()
            found = []
            for plan in self._deferred_rules:
                if plan.head == number:
                    columns = _inputs(plan, mode)
                    found.append((plan.asked(tuple(columns)), tuple(columns.values())))
            self._asked[number] = found
        return found

    def needed(self, goals: Iterable[Symbol]) -> frozenset[int]:
        """Return the groups that have to be evaluated to know the goals."""
        by_head: dict[int, list[Plan]] = {}
        for plan in [*self.plans, *self._deferred_rules]:
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


def _refuse(checked: Checked) -> None:
    for rule in checked.rules:
        if rule.clause.time is not None and rule.transform is not None and rule.transform.do is not None:
            raise MangleError("a rule that aggregates cannot give a time", stage="analyze", place=rule.place)


def _symbols(checked: Checked) -> list[Symbol]:
    """Return every predicate that can have rows."""
    with_time = {fact.symbol for fact in checked.given if fact.time is not None}
    with_time.update(rule.head.symbol for rule in checked.rules if rule.clause.time is not None)
    with_time.update(
        premise.atom.symbol for rule in checked.rules for premise in rule.premises if isinstance(premise, Timed)
    )
    found = dict.fromkeys(checked.declared)
    found.update(dict.fromkeys(fact.symbol for fact in checked.given))
    for rule in checked.rules:
        found[rule.head.symbol] = None
        for premise in rule.premises:
            if not isinstance(premise, Equality):
                found[premise.symbol if isinstance(premise, Atom) else premise.atom.symbol] = None
    plain = [symbol for symbol in found if not is_builtin(symbol)]
    return [*plain, *(timed(symbol) for symbol in plain if symbol in with_time)]


def _inputs(plan: Plan, mode: tuple[str, ...]) -> dict[str, int]:
    """Return the head variables that a deferred rule takes from the question, with their columns."""
    found: dict[str, int] = {}
    for column, (sign, term) in enumerate(zip(mode, plan.rule.head.arguments, strict=False)):
        if sign == "+" and isinstance(term, Variable) and term.name != WILDCARD:
            found.setdefault(term.name, column)
    return found


def _groups(
    checked: Checked, numbers: dict[Symbol, int], plans: list[Plan], deferred: frozenset[int]
) -> tuple[list[Group], dict[int, int]]:
    groups: list[Group] = []
    group_of: dict[int, int] = {}
    for stratum in checked.strata:
        both = [symbol for one in stratum for symbol in (one, timed(one)) if symbol in numbers]
        predicates = tuple(numbers[symbol] for symbol in both if numbers[symbol] not in deferred)
        if predicates:
            group_of.update(dict.fromkeys(predicates, len(groups)))
            groups.append(Group(number=len(groups), predicates=predicates))
    for plan in plans:
        group = groups[group_of[plan.head]]
        plan.group = group.number
        group.merges = group.merges or plan.merges
        (group.aggregates if plan.aggregates else group.plans).append(plan)
        untimed = _untimed(plan, checked)
        for at, number in plan.reads.items():
            if not plan.aggregates and group_of.get(number) == group.number:
                group.inner.setdefault(number, []).append((plan, at))
                if untimed is not None:
                    group.inner[number].append((untimed, at))
    return groups, group_of


def _untimed(plan: Plan, checked: Checked) -> Plan | None:
    """Return a rule that gives a time without that time.

    The reference engine forgets the time of what a recursive rule gives after the first round, so such facts are known
    to hold without a time as well; no rule can read them, but they are listed.
    """
    rule = plan.rule
    if rule.clause.time is None:
        return None
    found = Plan(replace(rule, clause=replace(rule.clause, time=None)), plan.setting, checked.declared)
    found.group = plan.group
    return found
