"""Unify terms with open variables on both sides, as planning a change needs it."""

from collections.abc import Mapping
from typing import TypeAlias

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Term, Timed, Variable
from mayfly.mangle._values import Value
from mayfly.mangle.explain._terms import Bindings, value_of, variables

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
    arguments = tuple(resolve(argument, known) for argument in atom.arguments)
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


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

    def atom(self, atom: Atom, mark: str) -> Atom:
        """Return an atom with renamed variables."""
        arguments = tuple(self.term(argument, mark) for argument in atom.arguments)
        return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)

    def premise(self, premise: Premise, mark: str) -> Premise:
        """Return a premise with renamed variables."""
        if isinstance(premise, Atom):
            return self.atom(premise, mark)
        if isinstance(premise, Negation):
            return Negation(atom=self.atom(premise.atom, mark), place=premise.place)
        if isinstance(premise, Equality):
            left, right = self.term(premise.left, mark), self.term(premise.right, mark)
            return Equality(left=left, right=right, negated=premise.negated, place=premise.place)
        return Timed(
            atom=self.atom(premise.atom, mark),
            operator=premise.operator,
            window=premise.window,
            annotation=premise.annotation,
            place=premise.place,
        )


def is_wildcard(name: str) -> bool:
    """Say whether a renamed variable was a wildcard."""
    return name.startswith("_")
