"""Say why a fact holds: how each fact came to be, and the tree of rules and facts its first derivation stands on."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from mayfly.mangle._ast import (
    Atom,
    Constant,
    Equality,
    Negation,
    Place,
    Premise,
    Symbol,
    Term,
    Timed,
    Variable,
)
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._evaluate import value_of
from mayfly.mangle._text import show_row, show_term, show_value
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._solve import by_rules, externals, recorded, rows_for, solve, step
from mayfly.mangle.explain._terms import (
    Bindings,
    fact_atom,
    fill,
    fill_premise,
    pattern,
    variables,
)

Because: TypeAlias = Literal[
    "rule", "aggregate", "given", "told", "external", "absence", "comparison", "function", "row", "replaced"
]


class Fact(NamedTuple):
    """A fact: its predicate and its row."""

    symbol: Symbol
    row: Row


Note: TypeAlias = Literal["", "shown", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationStep:
    """One line of a derivation: a fact, or a claim (an absence, a comparison, what a function gave).

    A fact that a rule made has the rule with what bound it, and the rows that were aggregated. `note` says whether its
    premises are shown elsewhere or were cut off.
    """

    because: Because
    fact: Fact | None = None
    claim: Premise | None = None
    value: Value | None = None
    bindings: Bindings = field(default_factory=dict)
    rule: CheckedRule | None = None
    place: Place | None = None
    rows: tuple[Bindings, ...] = ()
    premises: "tuple[DerivationStep, ...]" = ()
    note: Note = ""
    more: int = 0
    """How many rows of an aggregate are not shown."""


def derivation(model: Model, fact: Fact) -> DerivationStep:
    """Return how a fact of the model came to be at first, without what that stands on."""
    declared = model.program.checked.declared.get(fact.symbol)
    if declared is not None and declared.deferred:
        return _deferred(model, fact)
    if declared is not None and declared.external and fact.symbol in externals(model):
        return DerivationStep(because="external", fact=fact, place=declared.place)
    origin = model.origin(fact.symbol, fact.row)
    if origin is None or not recorded(model):
        raise MangleError(
            f"no reason was recorded for {show_row(*fact)}", stage="eval", fix="evaluate with record=True"
        )
    if origin.rule is None:
        return DerivationStep(because="told" if origin.place is None else "given", fact=fact, place=origin.place)
    made = DerivationStep(because="rule", fact=fact, rule=origin.rule, place=origin.place, bindings=origin.bindings)
    transform = origin.rule.transform
    if transform is None or transform.do is None:
        return made
    keys = {name for term in transform.do.arguments for name in variables(term)}
    key = {name: value for name, value in origin.bindings.items() if name in keys}
    return replace(made, because="aggregate", rows=tuple(solve(model, origin.rule.premises, key)))


def _deferred(model: Model, fact: Fact) -> DerivationStep:
    """Return how the rules of a predicate that is computed only when asked make a fact."""
    for number, bindings, row in by_rules(model, fact_atom(*fact)):
        if row == fact.row:
            rule = next(rule for rule in model.program.checked.rules if rule.number == number)
            return DerivationStep(because="rule", fact=fact, rule=rule, place=rule.place, bindings=bindings)
    raise MangleError(f"{show_row(*fact)} does not hold", stage="eval")


def uses(model: Model, made: DerivationStep, head: Fact) -> Iterator[DerivationStep]:
    """Yield what the derivation of a fact by a rule stands on, premise by premise, then its functions."""
    rule = made.rule
    if rule is None:
        return
    if made.because != "aggregate":
        yield from body_uses(model, rule, made.bindings, head)
    for let in () if rule.transform is None else rule.transform.lets:
        claim = Equality(left=let.variable, right=fill(let.function, made.bindings), negated=False, place=let.place)
        yield DerivationStep(because="function", claim=claim, value=made.bindings.get(let.variable.name))
    for argument in rule.head.arguments:
        if not isinstance(argument, Variable) and (use := _function(argument, made.bindings)):
            yield use


def body_uses(model: Model, rule: CheckedRule, bindings: Bindings, head: Fact) -> Iterator[DerivationStep]:
    """Yield what the premises of a rule stand on under the bindings, in order."""
    for premise in rule.premises:
        yield from _premise_uses(model, premise, bindings, head)
        if not isinstance(premise, Timed):
            bindings = next(step(model, premise, bindings), bindings)


def _premise_uses(model: Model, premise: Premise, bindings: Bindings, head: Fact) -> Iterator[DerivationStep]:
    if isinstance(premise, Negation):
        yield DerivationStep(
            because="absence", claim=Negation(atom=pattern(premise.atom, bindings), place=premise.place)
        )
    elif isinstance(premise, Equality):
        yield _equality(premise, bindings)
    elif isinstance(premise, Atom) and premise.symbol in PREDICATES:
        yield DerivationStep(because="comparison", claim=fill_premise(premise, bindings))
    elif isinstance(premise, Atom):
        row = earliest(model, premise, bindings, head)
        if row is None:
            yield DerivationStep(because="replaced", claim=fill_premise(premise, bindings))
        else:
            yield DerivationStep(because="rule", fact=Fact(premise.symbol, row))
    else:
        yield DerivationStep(because="comparison", claim=fill_premise(premise, bindings))


def earliest(model: Model, atom: Atom, bindings: Bindings, head: Fact) -> Row | None:
    """Return the first row that makes an atom true, other than the fact that is being explained."""
    rows = rows_for(model, atom, bindings)
    return next((row for row in rows if Fact(atom.symbol, row) != head), None)


def _equality(premise: Equality, bindings: Bindings) -> DerivationStep:
    """Say what an equality gave: the value when a function made it, a comparison otherwise."""
    claim = fill_premise(premise, bindings)
    for one, other in ((premise.left, premise.right), (premise.right, premise.left)):
        if isinstance(one, Variable) and not isinstance(other, Variable) and not premise.negated:
            made = Equality(left=one, right=fill(other, bindings), negated=False, place=premise.place)
            return DerivationStep(because="function", claim=made, value=value_of(other, bindings))
    return DerivationStep(because="comparison", claim=claim)


def _function(term: Term, bindings: Bindings) -> DerivationStep | None:
    """Say what a function in a head gave; a constant, or a list that is only written out, says nothing."""
    value = value_of(term, bindings)
    if value is None or show_term(fill(term, bindings)) == show_value(value):
        return None
    made = Constant(value=value, place=term.place)
    return DerivationStep(
        because="function",
        claim=Equality(left=fill(term, bindings), right=made, negated=False, place=term.place),
    )


DEEPEST = 100
LARGEST = 2_000
ROWS_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A fact of a model with its derivation."""

    model: Model
    root: DerivationStep


class DerivationLeaves(NamedTuple):
    """What a derivation rests on in the end: facts that no rule made, and patterns that nothing may match."""

    facts: tuple[Fact, ...]
    absences: tuple[Atom, ...]


def why(model: Model, symbol: Symbol, row: Row, *, depth: int = 20) -> Why:
    """Return the derivation of a fact, each fact's own derivation once, at most `depth` rules deep."""
    if next(rows_for(model, fact_atom(symbol, row), {}), None) is None:
        raise MangleError(f"{show_row(symbol, row)} does not hold", stage="eval", fix="ask why not")
    return Why(model=model, root=_Tree(model).grow(Fact(symbol, row), max(0, min(depth, DEEPEST))))


class _Tree:
    """Grow one derivation tree, remembering what it has shown."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._shown: set[Fact] = set()
        self._size = 0

    def grow(self, fact: Fact, depth: int) -> DerivationStep:
        """Return the step of a fact with everything below it."""
        self._size += 1
        made = derivation(self._model, fact)
        if made.rule is None:
            return made
        if fact in self._shown:
            return replace(made, note="shown")
        if depth == 0 or self._size > LARGEST:
            return replace(made, note="cut")
        self._shown.add(fact)
        rows = [self._row(fact, made.rule, row, depth - 1) for row in made.rows[:ROWS_SHOWN]]
        premises = [self._step(use, depth - 1) for use in uses(self._model, made, fact)]
        return replace(made, premises=(*rows, *premises), more=len(made.rows) - len(rows))

    def _step(self, use: DerivationStep, depth: int) -> DerivationStep:
        if use.fact is not None:
            return self.grow(use.fact, depth)
        self._size += 1
        return use

    def _row(self, head: Fact, rule: CheckedRule, row: Bindings, depth: int) -> DerivationStep:
        """Return one row of an aggregate: its only premise, or all of them under the values that joined them."""
        steps = tuple(self._step(use, depth) for use in body_uses(self._model, rule, row, head))
        return steps[0] if len(steps) == 1 else DerivationStep(because="row", bindings=row, premises=steps)


def leaves(why: Why) -> DerivationLeaves:
    """Return every fact without a rule and every absence that the derivation rests on, however deep it is."""
    if why.root.fact is None:
        return DerivationLeaves((), ())
    return rests_on(why.model, why.root.fact)


def rests_on(model: Model, fact: Fact) -> DerivationLeaves:
    """Return what the first derivation of a fact rests on, walking it without recursion as it may be very deep."""
    facts: dict[Fact, None] = {}
    absences: dict[Atom, None] = {}
    seen = {fact}
    waiting = deque([fact])
    while waiting:
        here = waiting.popleft()
        made = derivation(model, here)
        if made.rule is None:
            facts[here] = None
        for use in _all_uses(model, made, here):
            if isinstance(use.claim, Negation):
                absences[use.claim.atom] = None
            elif use.fact is not None and use.fact not in seen:
                seen.add(use.fact)
                waiting.append(use.fact)
    return DerivationLeaves(tuple(facts), tuple(absences))


def _all_uses(model: Model, made: DerivationStep, fact: Fact) -> Iterator[DerivationStep]:
    yield from uses(model, made, fact)
    if made.rule is not None:
        for row in made.rows:
            yield from body_uses(model, made.rule, row, fact)
