"""Look into terms: what they stand for, what is open in them, how to put values in, and how to unify two of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mayfly.mangle import _visit
from mayfly.mangle._ast import (
    Apply,
    Atom,
    Constant,
    Equality,
    Place,
    Premise,
    Symbol,
    Term,
    Variable,
)
from mayfly.mangle._evaluate import value_of
from mayfly.mangle._values import Row, Value
from mayfly.mangle._visit import map_atom, map_premise

Bindings: TypeAlias = Mapping[str, Value]

NOWHERE = Place("", 0, 0)
WILDCARD = Variable(name="_", place=NOWHERE)


def extend(arguments: Sequence[Term], row: Row, bindings: Bindings) -> Bindings | None:
    """Return the bindings under which the arguments are the row, or None; nothing is copied when nothing is new."""
    made: dict[str, Value] | None = None
    for argument, value in zip(arguments, row, strict=True):
        if isinstance(argument, Variable):
            if argument.name == "_":
                continue
            known = (bindings if made is None else made).get(argument.name)
            if known is None:
                made = dict(bindings) if made is None else made
                made[argument.name] = value
            elif known != value:
                return None
        elif value_of(argument, bindings if made is None else made) != value:
            return None
    return bindings if made is None else made


def pattern(atom: Atom, bindings: Bindings) -> Atom:
    """Return the atom with every argument that has a value as a constant and the others as wildcards."""
    values = (value_of(argument, bindings) for argument in atom.arguments)
    arguments = tuple(WILDCARD if value is None else Constant(value=value, place=atom.place) for value in values)
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


def fact_atom(symbol: Symbol, row: Row) -> Atom:
    """Return a fact as a ground atom."""
    arguments = tuple(Constant(value=value, place=NOWHERE) for value in row)
    return Atom(predicate=symbol.name, arguments=arguments, place=NOWHERE)


def fill(term: Term, bindings: Bindings) -> Term:
    """Put values in the place of variables, leaving functions unevaluated, for showing."""
    if isinstance(term, Variable):
        value = bindings.get(term.name)
        return term if value is None else Constant(value=value, place=term.place)
    if isinstance(term, Apply):
        arguments = tuple(fill(argument, bindings) for argument in term.arguments)
        return Apply(function=term.function, arguments=arguments, place=term.place)
    return term


def fill_premise(premise: Premise, bindings: Bindings) -> Premise:
    """Put values in the place of a premise's variables."""
    return map_premise(premise, lambda term: fill(term, bindings))


def variables(term: Term) -> Iterator[str]:
    """Yield the names of a term's variables in order, wildcards left out."""
    return (variable.name for variable in _visit.variables(term) if variable.name != "_")


def premise_variables(premise: Premise) -> Iterator[str]:
    """Yield the names of a premise's variables in order, wildcards left out."""
    return (variable.name for variable in _visit.premise_variables(premise) if variable.name != "_")


Substitution: TypeAlias = Mapping[str, Term]


def resolve(term: Term, known: Substitution) -> Term:
    """Return a term with everything known put in and evaluated; a function that fails raises BuiltinError."""
    while isinstance(term, Variable) and term.name in known:
        term = known[term.name]
    if not isinstance(term, Apply):
        return term
    arguments = tuple(resolve(argument, known) for argument in term.arguments)
    whole = Apply(function=term.function, arguments=arguments, place=term.place)
    value = value_of(whole, {})
    return whole if value is None else Constant(value=value, place=term.place)


def resolve_atom(atom: Atom, known: Substitution) -> Atom:
    """Return an atom with everything known put in."""
    return map_atom(atom, lambda term: resolve(term, known))


def unify(ones: tuple[Term, ...], others: tuple[Term, ...], known: Substitution) -> Substitution | None:
    """Return what must be known for two rows of terms to be the same, or None; open functions match nothing."""
    for one, other in zip(ones, others, strict=True):
        left, right = resolve(one, known), resolve(other, known)
        if isinstance(right, Variable) and not isinstance(left, Variable):
            left, right = right, left
        if isinstance(left, Variable):
            if isinstance(right, Variable) and left.name == right.name:
                continue
            if left.name in variables(right):
                return None
            known = {**known, left.name: right}
        elif not (isinstance(left, Constant) and isinstance(right, Constant) and left.value == right.value):
            return None
    return known


def learn(known: Substitution, bindings: Bindings, like: Atom | Equality) -> Substitution:
    """Return what is known together with new values of variables."""
    return {**known, **{name: constant(value, like) for name, value in bindings.items()}}


def constant(value: Value, like: Atom | Equality) -> Constant:
    """Return a value as a constant at the place of what it was found for."""
    return Constant(value=value, place=like.place)


class Renamer:
    """Give the variables of each use of a rule names of their own; every wildcard becomes a variable."""

    def __init__(self) -> None:
        self._uses = 0
        self._wildcards = 0

    def fresh(self) -> str:
        """Return the mark of a new use."""
        self._uses += 1
        return f"#{self._uses}"

    def term(self, term: Term, mark: str) -> Term:
        """Return a term with renamed variables."""
        if isinstance(term, Apply):
            arguments = tuple(self.term(argument, mark) for argument in term.arguments)
            return Apply(function=term.function, arguments=arguments, place=term.place)
        if isinstance(term, Constant):
            return term
        if term.name != "_":
            return Variable(name=term.name + mark, place=term.place)
        self._wildcards += 1
        return Variable(name=f"_{self._wildcards}", place=term.place)

    def premise(self, premise: Premise, mark: str) -> Premise:
        """Return a premise with renamed variables."""
        return map_premise(premise, lambda term: self.term(term, mark))

    def atom(self, atom: Atom, mark: str) -> Atom:
        """Return an atom with renamed variables."""
        return map_atom(atom, lambda term: self.term(term, mark))


def is_wildcard(name: str) -> bool:
    """Say whether a renamed variable was a wildcard."""
    return name.startswith("_")
