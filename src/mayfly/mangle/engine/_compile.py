"""Compile a checked program: number its predicates, plan its rules, note who reads what, and make functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mayfly.mangle._ast import Apply, Atom, Constant, Negation, Premise, Timed, Variable
from mayfly.mangle._checked import CheckedProgram, CheckedRule, DeclaredPredicate
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Value
from mayfly.mangle._visit import atom_of, terms_of
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.engine._aggregate import Grouping, grouping
from mayfly.mangle.engine._emit import Emitter
from mayfly.mangle.engine._layout import EngineLayout, Plan, PredicateGroup, Readers
from mayfly.mangle.engine._marks import NATURAL, WILDCARD, Made, Setting, is_builtin, timed
from mayfly.mangle.engine._order import may_fail, named, ordered, used_once, variables_of
from mayfly.mangle.engine._timed import depends_on_now


def lay_out(checked: CheckedProgram) -> EngineLayout:
    """Number the predicates of a program, plan its rules and note who reads what."""
    _refuse(checked)
    symbols = _symbols(checked)
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    about = checked.declared.items()
    deferred = frozenset(numbers[symbol] for symbol, known in about if known.deferred)
    external = frozenset(numbers[symbol] for symbol, known in about if known.external)
    setting = Setting(numbers=numbers, called=frozenset(symbols[number] for number in deferred | external))
    plans = [_plan(rule, setting, checked.declared) for rule in checked.rules]
    stored = [plan for plan in plans if plan.head not in deferred]
    groups, group_of = _groups(checked, numbers, stored, deferred)
    layout = EngineLayout(
        symbols=symbols,
        numbers=numbers,
        deferred=deferred,
        external=external,
        merges={numbers[symbol]: known.merge for symbol, known in about if known.merge is not None},
        given={},
        modes={number: checked.declared[symbols[number]].modes for number in deferred},
        plans=stored,
        deferred_rules=[plan for plan in plans if plan.head in deferred],
        groups=groups,
        group_of=group_of,
        readers=[Readers() for _ in symbols],
    )
    for fact in checked.given:
        number = numbers[fact.symbol if fact.time is None else timed(fact.symbol)]
        layout.given.setdefault(number, []).append(fact)
    _note_asking(layout, plans)
    _note_readers(layout)
    return layout


def _refuse(checked: CheckedProgram) -> None:
    for rule in checked.rules:
        if rule.clause.time is not None and rule.transform is not None and rule.transform.do is not None:
            raise MangleError("a rule that aggregates cannot give a time", stage="analyze", place=rule.place)


def _symbols(checked: CheckedProgram) -> list[Symbol]:
    """Return every predicate that can have rows."""
    with_time = {fact.symbol for fact in checked.given if fact.time is not None}
    with_time.update(rule.head.symbol for rule in checked.rules if rule.clause.time is not None)
    found = dict.fromkeys(checked.declared)
    found.update(dict.fromkeys([fact.symbol for fact in checked.given]))
    for rule in checked.rules:
        found[rule.head.symbol] = None
        for premise in rule.premises:
            atom = atom_of(premise)
            if atom is not None:
                found[atom.symbol] = None
                if isinstance(premise, Timed):
                    with_time.add(atom.symbol)
    plain = [symbol for symbol in found if not is_builtin(symbol)]
    return [*plain, *(timed(symbol) for symbol in plain if symbol in with_time)]


def _plan(rule: CheckedRule, setting: Setting, declared: Mapping[Symbol, DeclaredPredicate]) -> Plan:
    """Plan one rule."""
    time, about = rule.clause.time, declared.get(rule.head.symbol)
    plan = Plan(
        rule=rule,
        setting=setting,
        head=setting.numbers[rule.head.symbol if time is None else timed(rule.head.symbol)],
        aggregates=rule.transform is not None and rule.transform.do is not None,
        merges=about is not None and about.merge is not None,
        asks=time is not None and depends_on_now(time),
        fails_at=len(rule.premises),
    )
    for at, premise in enumerate(rule.premises):
        if _note(plan, at, premise) and at < plan.fails_at:
            plan.fails_at = at
    plan.required = tuple(dict.fromkeys([number for at, number in plan.reads.items() if at < plan.fails_at]))
    plan.starts = _starts(plan)
    plan.lazy = frozenset() if plan.aggregates else used_once(rule, setting.called)
    return plan


def _note(plan: Plan, at: int, premise: Premise) -> bool:
    """Note what a premise reads; tell whether evaluating it can end in an error."""
    kind = type(premise)
    if kind is not Atom and kind is not Negation:
        if isinstance(premise, Timed):
            plan.reads[at] = plan.setting.numbers[timed(premise.atom.symbol)]
            plan.asks = plan.asks or premise.operator is not None or depends_on_now(premise.annotation)
        return may_fail(premise)
    assert isinstance(premise, Atom | Negation)
    atom = premise if isinstance(premise, Atom) else premise.atom
    symbol = atom.symbol
    if is_builtin(symbol):
        return True
    number = plan.setting.numbers[symbol]
    if symbol in plan.setting.called:
        plan.calls.append(number)
    elif kind is Atom:
        plan.reads[at] = number
    else:
        plan.negates.append(number)
    return Apply in map(type, atom.arguments)


def _starts(plan: Plan) -> frozenset[int]:
    """Return the premises that may be evaluated first: not if they have functions or give what others compute."""
    found: set[int] = set()
    computed: set[str] = set()
    timed_rule = Timed in map(type, plan.rule.premises)
    for at, premise in enumerate(plan.rule.premises):
        if at and timed_rule:
            break
        if isinstance(premise, Atom) and is_builtin(premise.symbol):
            modes = PREDICATES[premise.symbol].modes
            outputs = (term for mode, term in zip(modes, premise.arguments, strict=True) if mode == "-")
            computed.update(term.name for term in outputs if isinstance(term, Variable))
        elif at in plan.reads and not (computed and not computed.isdisjoint(variables_of(premise))):
            found.update(() if Apply in map(type, terms_of(premise)) else (at,))
    return frozenset(found)


def _groups(
    checked: CheckedProgram, numbers: dict[Symbol, int], plans: list[Plan], deferred: frozenset[int]
) -> tuple[list[PredicateGroup], dict[int, int]]:
    groups: list[PredicateGroup] = []
    group_of: dict[int, int] = {}
    for stratum in checked.strata:
        both = [symbol for one in stratum for symbol in (one, timed(one)) if symbol in numbers]
        predicates = tuple(numbers[symbol] for symbol in both if numbers[symbol] not in deferred)
        if predicates:
            group_of.update(dict.fromkeys(predicates, len(groups)))
            groups.append(PredicateGroup(number=len(groups), predicates=predicates))
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


def _untimed(plan: Plan, checked: CheckedProgram) -> Plan | None:
    """Return a rule that gives a time without that time.

    The reference engine forgets the time of what a recursive rule gives after the first round, so such facts are known
    to hold without a time as well; no rule can read them, but they are listed.
    """
    rule = plan.rule
    if rule.clause.time is None:
        return None
    found = _plan(replace(rule, clause=replace(rule.clause, time=None)), plan.setting, checked.declared)
    found.group = plan.group
    return found


def _note_asking(layout: EngineLayout, plans: list[Plan]) -> None:
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


def _note_readers(layout: EngineLayout) -> None:
    reading: dict[int, list[tuple[Plan, int]]] = {}
    for plan in layout.plans:
        if plan.aggregates:
            for number in dict.fromkeys((*plan.reads.values(), *plan.negates)):
                layout.readers[number].aggregates.append(plan)
            continue
        for at, number in plan.reads.items():
            # What a group gives itself is followed by its rounds.
            if layout.group_of.get(number) != plan.group:
                reading.setdefault(number, []).append((plan, at))
        for number in dict.fromkeys(plan.negates):
            layout.readers[number].negations.append(plan)
    for number, premises in reading.items():
        _sort_out(premises, layout.readers[number])


def _sort_out(reading: Sequence[tuple[Plan, int]], readers: Readers) -> None:
    """Sort premises by the constant that tells most of them apart, so that a row wakes only what it can concern."""
    values: dict[int, set[Value]] = {}
    fixed = [_constants(plan, at) for plan, at in reading]
    for known in fixed:
        for column, value in known:
            values.setdefault(column, set()).add(value)
    for premise, known in zip(reading, fixed, strict=True):
        if known:
            column, value = known[0] if len(known) == 1 else max(known, key=lambda pair: len(values[pair[0]]))
            readers.by_constant.setdefault(column, {}).setdefault(value, []).append(premise)
        else:
            readers.every.append(premise)


def _constants(plan: Plan, at: int) -> list[tuple[int, Value]]:
    """Return the columns of a premise that are constants."""
    terms = terms_of(plan.rule.premises[at])
    return [(column, term.value) for column, term in enumerate(terms) if isinstance(term, Constant)]


def make_function(plan: Plan, kind: int) -> Made:
    """Make a function of a rule; `Plan.made` says what its kinds are."""
    start, record, again = kind >> 2, kind & 2, kind & 1
    emitter = Emitter(plan.rule, plan.setting, lazy=plan.lazy)
    if record:
        emitter.record(keep_all=plan.merges)
    if again and plan.rule.transform is None and not plan.merges:
        emitter.skip_known()
    first = None if start == NATURAL else start
    premises = ordered(plan.rule.premises, first, set(), plan.setting.called)
    emitter.premises(premises, from_first=first is not None)
    if plan.rule.transform is not None:
        emitter.lets(plan.rule.transform.lets)
    return emitter.derive()


def make_grouping(plan: Plan) -> tuple[Made, Grouping, bool]:
    """Return the function that collects the rows of an aggregating rule's body, how they are grouped, and whether only
    distinct ones count: with a single atom each fact is a row of its own."""
    premises = plan.rule.premises
    distinct = not (len(premises) == 1 and isinstance(premises[0], Atom))
    names = named(plan.rule)
    emitter = Emitter(plan.rule, plan.setting, lazy=frozenset())
    if not distinct and isinstance(premises[0], Atom) and not names:
        # Nothing is named, so nothing would loop: a variable of its own makes each fact count.
        premises = (_counted(premises[0]),)
    emitter.premises(ordered(premises, None, set(), plan.setting.called), from_first=False)
    return emitter.collect(names, distinct=distinct), grouping(plan.rule, names), distinct


def _counted(atom: Atom) -> Atom:
    arguments = tuple(
        Variable(name=f"{WILDCARD}{at}", place=term.place) if isinstance(term, Variable) else term
        for at, term in enumerate(atom.arguments)
    )
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


def make_asked(plan: Plan, mode: tuple[str, ...]) -> tuple[Made, tuple[int, ...]]:
    """Return the function that evaluates a deferred rule for given values of the head's input variables, and the
    columns that these come from."""
    inputs = _inputs_of(plan, mode)
    emitter = Emitter(plan.rule, plan.setting, lazy=plan.lazy, bound=tuple(inputs))
    emitter.premises(plan.rule.premises, from_first=False)
    if plan.rule.transform is not None:
        emitter.lets(plan.rule.transform.lets)
    return emitter.derive(), tuple(inputs.values())


def _inputs_of(plan: Plan, mode: tuple[str, ...]) -> dict[str, int]:
    """Return the head variables that a deferred rule takes from the question, with their columns."""
    found: dict[str, int] = {}
    for column, (sign, term) in enumerate(zip(mode, plan.rule.head.arguments, strict=False)):
        if sign == "+" and isinstance(term, Variable) and term.name != WILDCARD:
            found.setdefault(term.name, column)
    return found
