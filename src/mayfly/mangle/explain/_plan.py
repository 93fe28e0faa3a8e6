"""Plan changes that could make a goal hold: prove it backwards, supposing what is missing and removing what blocks.

A plan is a guess: it does not see, for instance, what an added fact blocks elsewhere. Each is tried afterwards.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from time import thread_time
from typing import NamedTuple

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Symbol, Term, Variable
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Name, Row, Time, Value
from mayfly.mangle._visit import map_premise, terms_of
from mayfly.mangle.builtins import PREDICATES, BuiltinError
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._change import Changes, FactChange
from mayfly.mangle.explain._solve import rows_for, step
from mayfly.mangle.explain._terms import (
    WILDCARD,
    Renamer,
    Substitution,
    extend,
    is_wildcard,
    learn,
    premise_variables,
    resolve,
    resolve_atom,
    unify,
    variables,
)
from mayfly.mangle.explain._why import DerivationLeaves, Fact, rests_on

_STEPS = 20_000
_ROWS = 30
_BLOCKING = 5
_LEAVES = 30
_LONGEST = 120


class Goal(NamedTuple):
    """A premise still to be proved, and how many rules deep that may go."""

    premise: Premise
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanState:
    """What a plan supposes so far."""

    goals: tuple[Goal, ...]
    left: int
    known: Substitution = field(default_factory=dict)
    added: tuple[Atom, ...] = ()
    removed: tuple[Fact, ...] = ()
    assumed: frozenset[str] = frozenset()
    """Variables that an aggregate will make: nothing is known of their values, whatever asks for them is believed."""
    guessed: frozenset[str] = frozenset()
    waited: int = 0
    length: int = 0


class ChangePlanner:
    """Plan changes over one model, with a bound on the work."""

    def __init__(self, model: Model, changeable: Callable[[Symbol], bool], *, end: float) -> None:
        self._model = model
        self._end = end
        self._changeable = changeable
        self._names = Renamer()
        self._steps = 0
        self._leaves: dict[Fact, DerivationLeaves] = {}
        self._rules: dict[Symbol, list[CheckedRule]] = {}
        for rule in model.program.checked.rules:
            self._rules.setdefault(rule.head.symbol, []).append(rule)

    def plans(self, goal: Atom, *, size: int, depth: int) -> Iterator[Changes]:
        """Yield sets of at most `size` changes, each once, until the work is spent."""
        self._steps = _STEPS
        seen: set[Changes] = set()
        asked = self._names.atom(goal, self._names.fresh())
        for changes in self._plan(PlanState(goals=(Goal(asked, depth),), left=size)):
            if changes and changes not in seen:
                seen.add(changes)
                yield changes

    def _plan(self, state: PlanState) -> Iterator[Changes]:
        self._steps -= 1
        if self._steps < 0 or state.length > _LONGEST or thread_time() > self._end:
            return
        if not state.goals:
            yield self._changes(state)
            return
        goal = state.goals[0]
        rest = replace(state, goals=state.goals[1:], length=state.length + 1)
        try:
            if isinstance(goal.premise, Negation):
                yield from self._negation(goal, rest)
            elif isinstance(goal.premise, Atom) and goal.premise.symbol not in PREDICATES:
                yield from self._atom(resolve_atom(goal.premise, state.known), goal.depth, rest)
            else:
                yield from self._check(goal, rest)
        except BuiltinError:
            return

    def _atom(self, atom: Atom, depth: int, rest: PlanState) -> Iterator[Changes]:
        """Prove an atom from a fact, from what is supposed already, by supposing it, or by its rules."""
        rest = replace(rest, waited=0)
        for row in islice(rows_for(self._model, atom, {}), _ROWS):
            bindings = extend(atom.arguments, row, {})
            if bindings is not None and Fact(atom.symbol, row) not in rest.removed:
                yield from self._plan(replace(rest, known=learn(rest.known, bindings, atom)))
        if all(isinstance(term, Constant) for term in atom.arguments) and next(rows_for(self._model, atom, {}), None):
            return
        for other in rest.added:
            known = unify(atom.arguments, other.arguments, rest.known) if other.symbol == atom.symbol else None
            if known is not None:
                yield from self._plan(replace(rest, known=known))
        if rest.left and self._changeable(atom.symbol):
            yield from self._plan(replace(rest, added=(*rest.added, atom), left=rest.left - 1))
        if depth and (rest.left or rest.added):
            for rule in self._rules.get(atom.symbol, ()):
                yield from self._rule(rule, atom, depth - 1, rest)

    def _rule(self, rule: CheckedRule, atom: Atom, depth: int, rest: PlanState) -> Iterator[Changes]:
        """Prove an atom by a rule; what an aggregate will make is believed."""
        mark = self._names.fresh()
        body = [self._names.premise(premise, mark) for premise in rule.premises]
        lets = rule.transform.lets if rule.transform else ()
        grouped = rule.transform is not None and rule.transform.do is not None
        assumed = {let.variable.name + mark for let in lets} if grouped else set()
        if not grouped:
            body += [self._equal(let.variable, let.function, mark) for let in lets]
        known: Substitution | None = rest.known
        for own, asked in zip(self._names.atom(rule.head, mark).arguments, atom.arguments, strict=True):
            if assumed & set(variables(own)):
                assumed |= set(variables(asked))
            elif isinstance(own, Apply):
                body.append(Equality(left=asked, right=own, negated=False, place=atom.place))
            elif known is not None:
                known = unify((own,), (asked,), known)
        if known is not None:
            goals = tuple(Goal(premise, depth) for premise in body) + rest.goals
            believing = replace(rest, goals=goals, known=known, assumed=rest.assumed | assumed)
            yield from self._plan(believing)
            if grouped and rest.left:
                yield from self._smaller(rule, atom, replace(believing, goals=rest.goals))

    def _smaller(self, rule: CheckedRule, atom: Atom, rest: PlanState) -> Iterator[Changes]:
        """Take a fact away from a group, so that its aggregate becomes another."""
        made = {let.variable.name for let in rule.transform.lets} if rule.transform else set()
        asked = tuple(
            WILDCARD if made & set(variables(own)) else term
            for own, term in zip(rule.head.arguments, atom.arguments, strict=True)
        )
        for row in islice(rows_for(self._model, replace(atom, arguments=asked), {}), _BLOCKING):
            known = learn(rest.known, extend(asked, row, {}) or {}, atom)
            for fact in self._resting(Fact(atom.symbol, row)).facts[:_LEAVES]:
                if self._changeable(fact.symbol) and fact not in rest.removed:
                    removed = (*rest.removed, fact)
                    yield from self._plan(replace(rest, known=known, removed=removed, left=rest.left - 1))

    def _equal(self, one: Term, other: Term, mark: str) -> Equality:
        left, right = self._names.term(one, mark), self._names.term(other, mark)
        return Equality(left=left, right=right, negated=False, place=one.place)

    def _check(self, goal: Goal, rest: PlanState) -> Iterator[Changes]:
        """Evaluate a comparison or function, later if something in it is still open, with a guess if it stays so."""
        premise = map_premise(goal.premise, lambda term: resolve(term, rest.known))
        if not isinstance(premise, Atom | Equality):
            return
        if rest.assumed & set(premise_variables(premise)):
            yield from self._plan(replace(rest, waited=0))
        elif _ready(premise):
            for bindings in islice(step(self._model, premise, {}), _ROWS):
                yield from self._plan(replace(rest, known=learn(rest.known, bindings, premise), waited=0))
        elif isinstance(premise, Equality) and isinstance(premise.left, Variable) and not premise.negated:
            if premise.left.name in variables(premise.right):
                return
            yield from self._plan(replace(rest, known={**rest.known, premise.left.name: premise.right}, waited=0))
        else:
            yield from self._wait(goal, premise, rest)

    def _wait(self, goal: Goal, premise: Premise, rest: PlanState) -> Iterator[Changes]:
        """Put a goal behind the others; when all are waiting, try values for its first open variable."""
        if rest.waited < len(rest.goals):
            yield from self._plan(replace(rest, goals=(*rest.goals, goal), waited=rest.waited + 1))
            return
        name = next((name for name in premise_variables(premise) if not is_wildcard(name)), None)
        if name is None:
            return
        for value in guesses(self._model, premise, name, [resolve_atom(atom, rest.known) for atom in rest.added]):
            known = {**rest.known, name: Constant(value=value, place=premise.place)}
            guessed = rest.guessed | {name}
            yield from self._plan(replace(rest, goals=(goal, *rest.goals), known=known, guessed=guessed, waited=0))

    def _negation(self, goal: Goal, rest: PlanState) -> Iterator[Changes]:
        """Let an absence be: nothing to do when nothing matches, otherwise remove whatever does."""
        if not isinstance(goal.premise, Negation):
            return
        atom = resolve_atom(goal.premise.atom, rest.known)
        names = {name for term in atom.arguments for name in variables(term) if not is_wildcard(name)}
        if rest.assumed & names:
            yield from self._plan(replace(rest, waited=0))
        elif names:
            yield from self._wait(goal, replace(goal.premise, atom=atom), rest)
        else:
            rows = tuple(islice(rows_for(self._model, atom, {}), _BLOCKING))
            yield from self._without(atom.symbol, rows, goal.depth, replace(rest, waited=0))

    def _without(self, symbol: Symbol, rows: tuple[Row, ...], depth: int, rest: PlanState) -> Iterator[Changes]:
        """Take away each row in turn: remove a fact it rests on, or make something true that must be absent."""
        if not rows:
            yield from self._plan(rest)
            return
        if symbol in PREDICATES:
            return
        resting = self._resting(Fact(symbol, rows[0]))
        if set(resting.facts) & set(rest.removed):
            yield from self._without(symbol, rows[1:], depth, rest)
            return
        if rest.left:
            for fact in resting.facts[:_LEAVES]:
                if self._changeable(fact.symbol):
                    fewer = replace(rest, removed=(*rest.removed, fact), left=rest.left - 1)
                    yield from self._without(symbol, rows[1:], depth, fewer)
        if depth:
            for absent in resting.absences[:_LEAVES]:
                wanted = Goal(self._names.atom(absent, self._names.fresh()), depth - 1)
                yield from self._without(symbol, rows[1:], depth, replace(rest, goals=(wanted, *rest.goals)))

    def _resting(self, fact: Fact) -> DerivationLeaves:
        if fact not in self._leaves:
            self._leaves[fact] = rests_on(self._model, fact)
        return self._leaves[fact]

    def _changes(self, state: PlanState) -> Changes:
        """Return the changes of a finished plan, with examples where any value would do."""
        certain = {name: term for name, term in state.known.items() if name not in state.guessed}
        patterns = [resolve_atom(atom, certain) for atom in state.added]
        used = Counter(name for atom in patterns for term in atom.arguments for name in variables(term))
        known = dict(state.known)
        changes = {FactChange(kind="remove", fact=fact) for fact in state.removed}
        for atom in patterns:
            for column, term in enumerate(resolve_atom(atom, known).arguments):
                if isinstance(term, Variable):
                    known[term.name] = Constant(value=example(self._model, atom.symbol, column), place=atom.place)
            row = tuple(term.value for term in resolve_atom(atom, known).arguments if isinstance(term, Constant))
            if len(row) < len(atom.arguments):
                return frozenset()
            chosen = [column for column, term in enumerate(atom.arguments) if not isinstance(term, Constant)]
            names = {column: set(variables(atom.arguments[column])) for column in chosen}
            free = tuple(c for c in chosen if not names[c] & state.guessed and all(used[n] == 1 for n in names[c]))
            shared = tuple(column for column in chosen if column not in free)
            changes.add(FactChange(kind="add", fact=Fact(atom.symbol, row), free=free, examples=shared))
        return frozenset(changes)


def _ready(premise: Atom | Equality) -> bool:
    """Say whether everything a comparison or function needs is known."""
    if isinstance(premise, Equality):
        sides = (premise.left, premise.right)
        known = sum(isinstance(term, Constant) for term in sides)
        return known == 2 or (known == 1 and not premise.negated and any(isinstance(term, Variable) for term in sides))
    modes = PREDICATES[premise.symbol].modes
    return all(isinstance(term, Constant) for term, mode in zip(premise.arguments, modes, strict=True) if mode == "+")


_LOOKED_AT = 1_000
_KNOWN_TRIED = 3


def guesses(model: Model, premise: Premise, name: str, added: Sequence[Atom]) -> Iterator[Value]:
    """Yield values worth trying for a variable: next to what it is compared with, then as its columns have them."""
    yield from dict.fromkeys((*_near(premise), *_columns(model, name, added)))


def _near(premise: Premise) -> Iterator[Value]:
    """Yield the constants of a comparison and the values just beside them."""
    for term in terms_of(premise):
        if not isinstance(term, Constant):
            continue
        yield term.value
        if isinstance(term.value, int | Time | Duration):
            kind, number = type(term.value), term.value if isinstance(term.value, int) else term.value.held
            yield from (kind(near) for near in (number + 1, number - 1) if SMALLEST_NUMBER <= near <= LARGEST_NUMBER)


def _columns(model: Model, name: str, added: Sequence[Atom]) -> Iterator[Value]:
    for atom in added:
        for column, term in enumerate(atom.arguments):
            if isinstance(term, Variable) and term.name == name:
                yield from islice(dict.fromkeys(_values(model, atom.symbol, column)), _KNOWN_TRIED)
                yield example(model, atom.symbol, column)
            elif name in variables(term):
                yield 0


def _values(model: Model, symbol: Symbol, column: int) -> Iterator[Value]:
    return (row[column] for row in islice(model.rows(symbol), _LOOKED_AT))


def example(model: Model, symbol: Symbol, column: int) -> Value:
    """Return a value of the kind a column has that no fact has there yet; a name when nothing is known of it."""
    known = set(_values(model, symbol, column))
    kind = next(iter(known), None)
    if isinstance(kind, int):
        largest = max(value for value in known if isinstance(value, int))
        return min(largest + 1, LARGEST_NUMBER)
    texts = chain(("any",), (f"any{number}" for number in count(2)))
    if kind is None or isinstance(kind, Name):
        return next(name for text in texts if (name := Name(f"/{text}")) not in known)
    return next(text for text in texts if text not in known) if isinstance(kind, str) else kind
