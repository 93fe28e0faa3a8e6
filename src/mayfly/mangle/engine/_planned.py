"""How a rule is planned: where it may start and what it reads, found in its premises, and its functions made."""

from collections.abc import Mapping, Sequence

from mayfly.mangle._ast import Apply, Atom, Constant, Negation, Premise, Timed, Variable
from mayfly.mangle._checked import Declared, Rule
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Value
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.engine._emit import Emitter
from mayfly.mangle.engine._marks import NATURAL, WILDCARD, is_builtin, timed
from mayfly.mangle.engine._order import may_fail, named, ordered, terms_of, used_once, variables_of
from mayfly.mangle.engine._plan import Made, Plan, Setting
from mayfly.mangle.engine._timed import depends_on_now


def planned(rule: Rule, setting: Setting, declared: Mapping[Symbol, Declared]) -> Plan:
    """Plan one rule; where it may start is found when it is first woken."""
    plan = Plan()
    plan.rule = rule
    plan.setting = setting
    time = rule.clause.time
    plan.head = setting.numbers[rule.head.symbol if time is None else timed(rule.head.symbol)]
    plan.aggregates = rule.transform is not None and rule.transform.do is not None
    about = declared.get(rule.head.symbol)
    plan.merges = about is not None and about.merge is not None
    plan.asks = time is not None and depends_on_now(time)
    plan.reads, plan.negates, plan.calls, plan.group = {}, [], [], -1
    plan.fails_at = len(rule.premises)
    for at, premise in enumerate(rule.premises):
        if _note(plan, at, premise) and at < plan.fails_at:
            plan.fails_at = at
    plan.required = tuple(dict.fromkeys([number for at, number in plan.reads.items() if at < plan.fails_at]))
    plan.made = {}
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


def starts(plan: Plan) -> frozenset[int]:
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


def lazy(plan: Plan) -> frozenset[str]:
    """Return the variables that no row has to be gone through for."""
    return frozenset() if plan.aggregates else used_once(plan.rule, plan.setting.called)


def arranged(
    reading: Sequence[tuple[Plan, int]],
) -> tuple[list[tuple[Plan, int]], dict[int, dict[Value, list[tuple[Plan, int]]]]]:
    """Sort premises by the constant that tells most of them apart, so that a row wakes only what it can concern.

    Return those without a constant, and the others by column and constant.
    """
    every: list[tuple[Plan, int]] = []
    by_constant: dict[int, dict[Value, list[tuple[Plan, int]]]] = {}
    values: dict[int, set[Value]] = {}
    fixed = [_constants(plan, at) for plan, at in reading]
    for known in fixed:
        for column, value in known:
            values.setdefault(column, set()).add(value)
    for premise, known in zip(reading, fixed, strict=True):
        if known:
            column, value = known[0] if len(known) == 1 else max(known, key=lambda pair: len(values[pair[0]]))
            by_constant.setdefault(column, {}).setdefault(value, []).append(premise)
        else:
            every.append(premise)
    return every, by_constant


def _constants(plan: Plan, at: int) -> list[tuple[int, Value]]:
    """Return the columns of a premise that are constants."""
    terms = terms_of(plan.rule.premises[at])
    return [(column, term.value) for column, term in enumerate(terms) if isinstance(term, Constant)]


def derive(plan: Plan, start: int, *, record: bool, again: bool) -> Made:
    emitter = Emitter(plan.rule, plan.setting, lazy=plan.lazy)
    if record:
        emitter.record(keep_all=plan.merges)
    if again and plan.rule.transform is None and not plan.merges:
        emitter.skip_known()
    _write(plan, emitter, start)
    if plan.rule.transform is not None:
        emitter.lets(plan.rule.transform.lets)
    return emitter.derive()


def _write(plan: Plan, emitter: Emitter, start: int) -> None:
    first = None if start == NATURAL else start
    premises = ordered(plan.rule.premises, first, set(), plan.setting.called)
    emitter.premises(premises, from_first=first is not None)


def body(plan: Plan) -> tuple[Made, tuple[str, ...], bool]:
    """Return the function that collects the rows of an aggregating rule's body, their columns, and whether only
    distinct ones count: with a single atom each fact is a row of its own."""
    premises = plan.rule.premises
    distinct = not (len(premises) == 1 and isinstance(premises[0], Atom))
    names = named(plan.rule)
    emitter = Emitter(plan.rule, plan.setting, lazy=frozenset())
    if not distinct and isinstance(premises[0], Atom) and not names:
        # Nothing is named, so nothing would loop: a variable of its own makes each fact count.
        premises = (_counted(premises[0]),)
    emitter.premises(ordered(premises, None, set(), plan.setting.called), from_first=False)
    return emitter.collect(names, distinct=distinct), names, distinct


def asked(plan: Plan, inputs: tuple[str, ...]) -> Made:
    """Return the function that evaluates a deferred rule for given values of the head's input variables."""
    emitter = Emitter(plan.rule, plan.setting, lazy=plan.lazy, bound=inputs)
    emitter.premises(plan.rule.premises, from_first=False)
    if plan.rule.transform is not None:
        emitter.lets(plan.rule.transform.lets)
    return emitter.derive()


def _counted(atom: Atom) -> Atom:
    arguments = tuple(
        Variable(name=f"{WILDCARD}{at}", place=term.place) if isinstance(term, Variable) else term
        for at, term in enumerate(atom.arguments)
    )
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


def inputs_of(plan: Plan, mode: tuple[str, ...]) -> dict[str, int]:
    """Return the head variables that a deferred rule takes from the question, with their columns."""
    found: dict[str, int] = {}
    for column, (sign, term) in enumerate(zip(mode, plan.rule.head.arguments, strict=False)):
        if sign == "+" and isinstance(term, Variable) and term.name != WILDCARD:
            found.setdefault(term.name, column)
    return found
