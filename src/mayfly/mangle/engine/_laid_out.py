"""Lay a program out for evaluation."""

from dataclasses import replace

from mayfly.mangle._ast import Atom, Equality, Timed
from mayfly.mangle._checked import Checked
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Symbol
from mayfly.mangle.engine._layout import Group, Layout, Readers
from mayfly.mangle.engine._marks import is_builtin, timed
from mayfly.mangle.engine._plan import Plan, Setting
from mayfly.mangle.engine._planned import planned


def lay_out(checked: Checked) -> Layout:
    """Number the predicates of a program, plan its rules and note who reads what."""
    _refuse(checked)
    layout = Layout()
    layout.symbols = _symbols(checked)
    layout.numbers = {symbol: number for number, symbol in enumerate(layout.symbols)}
    about = checked.declared.items()
    layout.deferred = frozenset(layout.numbers[symbol] for symbol, known in about if known.deferred)
    layout.external = frozenset(layout.numbers[symbol] for symbol, known in about if known.external)
    called = frozenset(layout.symbols[number] for number in layout.deferred | layout.external)
    layout.setting = Setting(numbers=layout.numbers, called=called)
    layout.merges = {layout.numbers[symbol]: known.merge for symbol, known in about if known.merge is not None}
    layout.given = {}
    for fact in checked.given:
        number = layout.numbers[fact.symbol if fact.time is None else timed(fact.symbol)]
        layout.given.setdefault(number, []).append(fact)
    layout.modes = {number: checked.declared[layout.symbols[number]].modes for number in layout.deferred}
    plans = [planned(rule, layout.setting, checked.declared) for rule in checked.rules]
    layout.plans = [plan for plan in plans if plan.head not in layout.deferred]
    layout.deferred_rules = [plan for plan in plans if plan.head in layout.deferred]
    layout.groups, layout.group_of = _groups(checked, layout.numbers, layout.plans, layout.deferred)
    _note_asking(layout, [*layout.plans, *layout.deferred_rules])
    layout.readers = [Readers() for _ in layout.symbols]
    _note_readers(layout)
    return layout


def _note_asking(layout: Layout, plans: list[Plan]) -> None:
    """Mark the rules that may ask an external predicate: they are no part of what the program alone gives."""
    asking = set(layout.external)
    changed = True
    while changed:
        changed = False
        for plan in plans:
            if not plan.asks and not asking.isdisjoint(plan.calls):
                plan.asks = changed = True
                if plan.head in layout.deferred:
                    asking.add(plan.head)
    for number, merge in layout.merges.items():
        if layout.numbers[merge.predicate] in asking:
            for plan in plans:
                plan.asks = plan.asks or plan.head == number


def _note_readers(layout: Layout) -> None:
    for plan in layout.plans:
        if plan.aggregates:
            for number in dict.fromkeys((*plan.reads.values(), *plan.negates)):
                layout.readers[number].aggregates.append(plan)
            continue
        for at, number in plan.reads.items():
            # What a group gives itself is followed by its rounds.
            if layout.group_of.get(number) != plan.group:
                layout.readers[number].reading.append((plan, at))
        for number in dict.fromkeys(plan.negates):
            layout.readers[number].negations.append(plan)


def _refuse(checked: Checked) -> None:
    for rule in checked.rules:
        if rule.clause.time is not None and rule.transform is not None and rule.transform.do is not None:
            raise MangleError("a rule that aggregates cannot give a time", stage="analyze", place=rule.place)


def _symbols(checked: Checked) -> list[Symbol]:
    """Return every predicate that can have rows."""
    with_time = {fact.symbol for fact in checked.given if fact.time is not None}
    with_time.update(rule.head.symbol for rule in checked.rules if rule.clause.time is not None)
    found = dict.fromkeys(checked.declared)
    found.update(dict.fromkeys([fact.symbol for fact in checked.given]))
    for rule in checked.rules:
        found[rule.head.symbol] = None
        for premise in rule.premises:
            if isinstance(premise, Atom):
                found[premise.symbol] = None
            elif not isinstance(premise, Equality):
                found[premise.atom.symbol] = None
                if isinstance(premise, Timed):
                    with_time.add(premise.atom.symbol)
    plain = [symbol for symbol in found if not is_builtin(symbol)]
    return [*plain, *(timed(symbol) for symbol in plain if symbol in with_time)]


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
    found = planned(replace(rule, clause=replace(rule.clause, time=None)), plan.setting, checked.declared)
    found.group = plan.group
    return found
