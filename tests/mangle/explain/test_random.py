"""Explanations of random programs, checked against the facts by looking them up one by one."""

from collections.abc import Iterator
from itertools import islice, product
from random import Random

import pytest

from mayfly.mangle._ast import Atom, Constant, Place, Symbol
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._parser import parse_atom
from mayfly.mangle._values import Value
from mayfly.mangle.engine import Model
from mayfly.mangle.explain import (
    DerivationStep,
    Fact,
    RuleAttempt,
    leaves,
    repairs,
    solve,
    to_json,
    to_text,
    why,
    why_not,
)

from .helpers import evaluated

HERE = Place("", 0, 0)
GIVEN = {"e": 1, "f": 2, "g": 2}
DOMAIN = 4
LEVELS = 4


def program(random: Random, *, monotone: bool) -> str:
    """Write a program whose predicates only negate and count what is on a lower level."""
    lines = [f"Decl {name}({', '.join('XY'[:arity])})." for name, arity in GIVEN.items()]
    for name, arity in GIVEN.items():
        rows = list(product(range(DOMAIN), repeat=arity))
        lines += [f"{name}({', '.join(map(str, row))})." for row in random.sample(rows, random.randint(1, 4))]
    arities = {f"p{level}": random.randint(1, 2) for level in range(LEVELS)}
    for level, (name, arity) in enumerate(arities.items()):
        below = GIVEN | dict(islice(arities.items(), level))
        lines += [rule(random, name, arity, below, monotone=monotone) for _ in range(random.randint(1, 3))]
    return "\n".join(lines)


def rule(random: Random, name: str, arity: int, below: dict[str, int], *, monotone: bool) -> str:
    premises = [positive(random, below | {name: arity}) for _ in range(random.randint(1, 3))]
    bound = sorted({sign for premise in premises for sign in premise if sign in "XYZ"})
    if not bound:
        premises.append("e(X)")
        bound = ["X"]
    if random.random() < 0.3:
        premises.append(f"{random.choice(bound)} {random.choice(['<', '>=', '!='])} {random.randrange(DOMAIN)}")
    if not monotone and random.random() < 0.5:
        denied, columns = random.choice(list(below.items()))
        premises.append(f"!{denied}({', '.join(random.choice([*bound, '_', '1']) for _ in range(columns))})")
    if not monotone and random.random() < 0.2:
        counted, columns = random.choice(list(below.items()))
        body = f"{counted}({', '.join('AB'[:columns])})"
        head = f"{name}({', '.join(['A', 'N'][-arity:])})"
        keys = "A" if arity == 2 else ""
        return f"{head} :- {body} |> do fn:group_by({keys}), let N = fn:count()."
    if random.random() < 0.2:
        premises.append(f"W = fn:minus(3, {random.choice(bound)})")
        bound.append("W")
    return f"{name}({', '.join(random.choice(bound) for _ in range(arity))}) :- {', '.join(premises)}."


def positive(random: Random, known: dict[str, int]) -> str:
    name, arity = random.choice(list(known.items()))
    return f"{name}({', '.join(random.choice(['X', 'Y', 'Z', 'X', 'Y', '_', '2']) for _ in range(arity))})"


def steps(step: DerivationStep) -> Iterator[DerivationStep]:
    yield step
    for premise in step.premises:
        yield from steps(premise)


def derived(model: Model) -> list[Fact]:
    return [Fact(*fact) for fact in model.facts() if fact[0].name not in GIVEN]


def check_step(model: Model, step: DerivationStep) -> None:
    if step.fact is not None:
        assert model.holds(*step.fact)
    if step.because == "absence":
        assert step.claim is not None
        assert next(solve(model, [step.claim], {}), None) is not None
    if step.because == "rule":
        assert step.rule is not None
        found = next(solve(model, step.rule.premises, step.bindings), None)
        assert found is not None
        assert step.note or len(step.premises) >= len(step.rule.premises)


def check_grounded(step: DerivationStep, above: frozenset[Fact] = frozenset()) -> None:
    """No fact may stand on itself."""
    assert step.fact is None or step.fact not in above
    for premise in step.premises:
        check_grounded(premise, above | ({step.fact} if step.fact else set()))


@pytest.mark.parametrize("seed", range(40))
def test_every_derivation_can_be_looked_up(seed: int) -> None:
    random = Random(seed)
    model = evaluated(program(random, monotone=False))
    facts = derived(model)
    for fact in random.sample(facts, min(8, len(facts))):
        found = why(model, *fact)
        assert found.root.fact == fact
        for step in steps(found.root):
            check_step(model, step)
        check_grounded(found.root)
        assert to_text(found)
        assert to_json(found)


@pytest.mark.parametrize("seed", range(40))
def test_what_a_derivation_rests_on_is_enough_for_it(seed: int) -> None:
    random = Random(seed)
    text = program(random, monotone=True)
    model = evaluated(text)
    rules = "\n".join(line for line in text.splitlines() if line.startswith("Decl") or ":-" in line)
    facts = derived(model)
    for fact in random.sample(facts, min(4, len(facts))):
        resting = leaves(why(model, *fact))
        assert evaluated(rules).program.evaluate(resting.facts).holds(*fact)


def absent(model: Model, random: Random) -> Iterator[Atom]:
    symbols = [symbol for symbol in model.program.checked.declared if symbol.name not in GIVEN]
    for _ in range(12):
        symbol = random.choice(sorted(symbols))
        words = [random.choice([*map(str, range(DOMAIN + 1)), "X", "_"]) for _ in range(symbol.arity)]
        goal = parse_atom(f"{symbol.name}({', '.join(words)})")
        if not model.match(goal):
            yield goal


def asked_of(rule: CheckedRule, goal: Atom) -> dict[str, Value]:
    """Return what the goal says of the body's variables, worked out independently."""
    made = {let.variable.name for let in rule.transform.lets} if rule.transform else set()
    return {
        name: argument.value
        for own, argument in zip(rule.head.arguments, goal.arguments, strict=True)
        if isinstance(argument, Constant) and (name := getattr(own, "name", "")) and name not in made
    }


def check_attempt(model: Model, attempt: RuleAttempt, goal: Atom) -> None:
    if attempt.number is None:
        return
    asked = asked_of(attempt.rule, goal)
    assert next(solve(model, attempt.rule.premises[: attempt.number], asked), None) is None
    passed = [dict(found) for found in solve(model, attempt.rule.premises[: attempt.number - 1], asked)]
    assert passed
    assert all(dict(bindings) in passed for bindings in attempt.bindings)
    for missing in attempt.missing:
        assert not model.match(missing.goal)
        for inner in missing.rules:
            check_attempt(model, inner, missing.goal)
    for blocking in attempt.blocking:
        assert blocking.root.fact is not None
        assert model.holds(*blocking.root.fact)


@pytest.mark.parametrize("seed", range(40))
def test_a_premise_that_holds_is_never_blamed(seed: int) -> None:
    random = Random(seed)
    model = evaluated(program(random, monotone=False))
    for goal in absent(model, random):
        found = why_not(model, goal, repair=False)
        assert not found.holds
        rules = [rule for rule in model.program.checked.rules if rule.head.symbol == goal.symbol]
        assert [attempt.rule for attempt in found.rules] == rules
        for attempt in found.rules:
            check_attempt(model, attempt, goal)


@pytest.mark.first(3)
@pytest.mark.parametrize("seed", range(10))
def test_every_repair_makes_the_goal_hold(seed: int) -> None:
    random = Random(seed)
    text = program(random, monotone=False)
    model = evaluated(text)
    for goal in islice(absent(model, random), 2):
        for repair in repairs(model, goal, most=2, seconds=0.2):
            added = [change.fact for change in repair.changes if change.kind == "add"]
            removed = {change.fact for change in repair.changes if change.kind == "remove"}
            assert changed(text, removed).program.evaluate(added).match(goal)


def changed(text: str, removed: set[Fact]) -> Model:
    lines = {f"{fact.symbol.name}({', '.join(map(str, fact.row))})." for fact in removed}
    return evaluated("\n".join(line for line in text.splitlines() if line not in lines))


def test_symbols_of_given_predicates_are_known() -> None:
    assert Symbol("e", 1) in evaluated(program(Random(0), monotone=True)).program.checked.declared
