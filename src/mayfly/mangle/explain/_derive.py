"""Read off the model how one fact came to be: what each premise of its rule stood on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from mayfly.mangle._checked import Rule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._text import show_row, show_term, show_value
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._solve import by_rules, rows_for, solve, step
from mayfly.mangle.explain._source import externals, recorded
from mayfly.mangle.explain._terms import (
    Bindings,
    extend,
    fact_atom,
    fill,
    fill_premise,
    pattern,
    premise_variables,
    value_of,
    variables,
)

Because: TypeAlias = Literal[
    "rule", "aggregate", "given", "told", "external", "absence", "comparison", "function", "row", "replaced"
]


class Fact(NamedTuple):
    """A fact: its predicate and its row."""

    symbol: Symbol
    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One thing a derivation stands on: a fact, or a claim (an absence, a comparison, what a function gave)."""

    because: Because
    fact: Fact | None = None
    claim: Premise | None = None
    value: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """How a fact came to be: a rule with what bound it (and the rows it aggregated), or no rule at all."""

    because: Because
    rule: Rule | None
    place: Place | None
    bindings: Bindings = field(default_factory=dict)
    rows: tuple[Bindings, ...] = ()


def derivation(model: Model, fact: Fact) -> Derivation:
    """Return the first derivation of a fact of the model."""
    declared = model.program.checked.declared.get(fact.symbol)
    if declared is not None and declared.deferred:
        return _deferred(model, fact)
    if declared is not None and declared.external and fact.symbol in externals(model):
        return Derivation(because="external", rule=None, place=declared.place)
    origin = model.origin(fact.symbol, fact.row)
    if origin is None or not recorded(model):
        raise MangleError(
            f"no reason was recorded for {show_row(*fact)}", stage="eval", fix="evaluate with record=True"
        )
    if origin.rule is None:
        return Derivation(because="told" if origin.place is None else "given", rule=None, place=origin.place)
    rule = origin.rule
    bindings = _complete(model, rule, origin.bindings, fact.row)
    if rule.transform is not None and rule.transform.do is not None:
        keys = {name for term in rule.transform.do.arguments for name in variables(term)}
        key = {name: value for name, value in origin.bindings.items() if name in keys}
        rows = tuple(solve(model, rule.premises, key))
        return Derivation(because="aggregate", rule=rule, place=rule.place, bindings=bindings, rows=rows)
    return Derivation(because="rule", rule=rule, place=rule.place, bindings=bindings)


def _deferred(model: Model, fact: Fact) -> Derivation:
    """Return how the rules of a predicate that is computed only when asked make a fact."""
    for number, bindings, row in by_rules(model, fact_atom(*fact)):
        if row == fact.row:
            rule = next(rule for rule in model.program.checked.rules if rule.number == number)
            return Derivation(because="rule", rule=rule, place=rule.place, bindings=bindings)
    raise MangleError(f"{show_row(*fact)} does not hold", stage="eval")


def _complete(model: Model, rule: Rule, bindings: Mapping[str, Value], row: Row) -> Bindings:
    """Return bindings for all variables of a rule's premises, from what was recorded and the head."""
    known = extend([_plain(argument) for argument in rule.head.arguments], row, bindings)
    known = bindings if known is None else known
    aggregates = rule.transform is not None and rule.transform.do is not None
    if aggregates or all(name in known for premise in rule.premises for name in premise_variables(premise)):
        return known
    lets = {let.variable.name for let in rule.transform.lets} if rule.transform else set()
    body = {name: value for name, value in known.items() if name not in lets}
    return {**known, **next(solve(model, rule.premises, body), {})}


def _plain(term: Term) -> Term:
    """Return a variable as it is and everything else as a wildcard: only variables of a head bind anything."""
    return term if isinstance(term, Variable) else Variable(name="_", place=term.place)


def uses(model: Model, made: Derivation, head: Fact) -> Iterator[Use]:
    """Yield what the derivation of a fact by a rule stands on, premise by premise, then its functions."""
    rule = made.rule
    if rule is None:
        return
    if made.because != "aggregate":
        yield from body_uses(model, rule, made.bindings, head)
    yield from _let_uses(rule, made)
    for argument in rule.head.arguments:
        if not isinstance(argument, Variable) and (use := _function(argument, made.bindings)):
            yield use


def body_uses(model: Model, rule: Rule, bindings: Bindings, head: Fact) -> Iterator[Use]:
    """Yield what the premises of a rule stand on under the bindings, in order."""
    for premise in rule.premises:
        yield from _premise_uses(model, premise, bindings, head)
        if not isinstance(premise, Timed):
            bindings = next(step(model, premise, bindings), bindings)


def _premise_uses(model: Model, premise: Premise, bindings: Bindings, head: Fact) -> Iterator[Use]:
    if isinstance(premise, Negation):
        yield Use(because="absence", claim=Negation(atom=pattern(premise.atom, bindings), place=premise.place))
    elif isinstance(premise, Equality):
        yield _equality(premise, bindings)
    elif isinstance(premise, Atom) and premise.symbol in PREDICATES:
        yield Use(because="comparison", claim=fill_premise(premise, bindings))
    elif isinstance(premise, Atom):
        row = earliest(model, premise, bindings, head)
        if row is None:
            yield Use(because="replaced", claim=fill_premise(premise, bindings))
        else:
            yield Use(because="rule", fact=Fact(premise.symbol, row))
    else:
        yield Use(because="comparison", claim=fill_premise(premise, bindings))


def earliest(model: Model, atom: Atom, bindings: Bindings, head: Fact) -> Row | None:
    """Return the first row that makes an atom true, other than the fact that is being explained."""
    rows = rows_for(model, atom, bindings)
    return next((row for row in rows if Fact(atom.symbol, row) != head), None)


def _equality(premise: Equality, bindings: Bindings) -> Use:
    """Say what an equality gave: the value when a function made it, a comparison otherwise."""
    claim = fill_premise(premise, bindings)
    for one, other in ((premise.left, premise.right), (premise.right, premise.left)):
        if isinstance(one, Variable) and not isinstance(other, Variable) and not premise.negated:
            made = Equality(left=one, right=fill(other, bindings), negated=False, place=premise.place)
            return Use(because="function", claim=made, value=value_of(other, bindings))
    return Use(because="comparison", claim=claim)


def _let_uses(rule: Rule, made: Derivation) -> Iterator[Use]:
    for let in () if rule.transform is None else rule.transform.lets:
        claim = Equality(left=let.variable, right=fill(let.function, made.bindings), negated=False, place=let.place)
        yield Use(because="function", claim=claim, value=made.bindings.get(let.variable.name))


def _function(term: Term, bindings: Bindings) -> Use | None:
    """Say what a function in a head gave; a constant, or a list that is only written out, says nothing."""
    value = value_of(term, bindings)
    if value is None or show_term(fill(term, bindings)) == show_value(value):
        return None
    made = Constant(value=value, place=term.place)
    return Use(
        because="function",
        claim=Equality(left=fill(term, bindings), right=made, negated=False, place=term.place),
    )
