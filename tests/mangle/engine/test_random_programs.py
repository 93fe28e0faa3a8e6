"""The engine against the evaluator written from the definition, on random programs, derivations included."""

from random import Random

import pytest

from mayfly.mangle._ast import Atom, Constant, Equality, Negation, Symbol, Variable
from mayfly.mangle._checked import CheckedProgram
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse, parse_fact
from mayfly.mangle._values import Row
from mayfly.mangle.check import check_program
from mayfly.mangle.engine import Model, Origin, compile_program
from mayfly.mangle.explain import Fact as Derived
from mayfly.mangle.explain._why import derivation

from . import naive
from .programs import Maker

Fact = tuple[Symbol, Row]
PROGRAMS = 2040
BATCHES = 12


@pytest.mark.parametrize("batch", range(BATCHES))
def test_agrees_with_the_definition(batch: int) -> None:
    for seed in range(batch * PROGRAMS // BATCHES, (batch + 1) * PROGRAMS // BATCHES):
        _agree(seed)


def _agree(seed: int) -> None:
    """Compare one program, with its facts in the program, in the call, and some here and some there."""
    made = Maker(seed).make()
    random = Random(seed)
    own = [fact for fact in made.facts if random.random() < 0.5]
    given = [parse_fact(fact) for fact in made.facts if fact not in own]
    checked = check_program([parse("\n".join([made.rules, *own]), file=str(seed))])
    program = compile_program(checked)
    for facts in (given, given[::2]) if seed % 2 else (given, []):
        expected = _expected(checked, facts)
        if expected is None:
            with pytest.raises(MangleError):
                program.evaluate(facts)
            continue
        model = program.evaluate(facts)
        assert set(model.facts()) == expected, f"seed {seed}, {len(facts)} facts in the call\n{made.rules}"
        _check_goals(model, facts, random)
        if seed % 5 == 0:
            assert set(program.evaluate(facts, record=False).facts()) == expected, seed
        _check_derivations(model)


def _expected(checked: CheckedProgram, facts: list[Fact]) -> set[Fact] | None:
    try:
        return naive.evaluate(checked, facts)
    except naive.Failed:
        return None


def _check_goals(model: Model, facts: list[Fact], random: Random) -> None:
    heads = sorted({rule.head.symbol for rule in model.program.checked.rules})
    goal = random.choice(heads)
    assert set(model.program.evaluate(facts, goals=[goal]).rows(goal)) == set(model.rows(goal))


def _check_derivations(model: Model) -> None:
    """Check every origin: the rule instance holds, and following the premises never comes back to the fact."""
    state: dict[Fact, bool] = {}
    for start in model.facts():
        stack: list[tuple[Fact, list[Fact] | None]] = [(start, None)]
        while stack:
            fact, premises = stack.pop()
            if premises is None:
                if fact in state:
                    assert state[fact], f"{fact} is derived from itself"
                    continue
                state[fact] = False
                premises = _premises(model, fact)
            if not premises:
                state[fact] = True
                continue
            stack.append((fact, premises[1:]))
            stack.append((premises[0], None))


def _premises(model: Model, fact: Fact) -> list[Fact]:
    """Return the facts a fact was derived from, after checking that the rule really gives it."""
    symbol, row = fact
    origin = model.origin(symbol, row)
    assert origin is not None
    if origin.rule is None:
        return []
    if naive.aggregates(origin.rule):
        return _members(model, origin, row)
    head = tuple(naive.value_of(term, origin.bindings) for term in origin.rule.head.arguments)
    assert head == row
    found: list[Fact] = []
    for premise in origin.rule.premises:
        if isinstance(premise, Negation):
            assert not model.match(_filled(premise.atom, origin))
        elif isinstance(premise, Equality):
            left, right = (naive.value_of(term, origin.bindings) for term in (premise.left, premise.right))
            assert (left == right) != premise.negated
        elif isinstance(premise, Atom) and premise.predicate.startswith(":"):
            assert naive.compare(
                premise.predicate, *(naive.value_of(term, origin.bindings) for term in premise.arguments)
            )
        elif isinstance(premise, Atom):
            rows = model.match(_filled(premise, origin))
            assert rows
            found.append((premise.symbol, rows[0]))
    return found


def _filled(atom: Atom, origin: Origin) -> Atom:
    arguments = tuple(
        term
        if isinstance(term, Variable) and term.name == "_"
        else Constant(value=naive.value_of(term, origin.bindings), place=term.place)
        for term in atom.arguments
    )
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


def _members(model: Model, origin: Origin, row: Row) -> list[Fact]:
    """Check the rows an aggregate was made of; what they were derived from lies in an earlier stratum."""
    rule = origin.rule
    assert rule is not None
    assert rule.transform is not None
    assert rule.transform.do is not None
    known: naive.Facts = {}
    for symbol, one in model.facts():
        known.setdefault(symbol, {})[one] = None
    keys = [term.name for term in rule.transform.do.arguments if isinstance(term, Variable)]
    expected = [
        dict(member)
        for member in naive.body_rows(rule, known)
        if all(member[key] == origin.bindings[key] for key in keys)
    ]
    members = [dict(member) for member in derivation(model, Derived(rule.head.symbol, row)).rows]
    assert all(member in expected for member in members)
    assert all(member in members for member in expected)
    assert tuple(naive.value_of(term, origin.bindings) for term in rule.head.arguments) == row
    return []
