"""Find the variables of terms and premises, and tell wildcards apart."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Bound,
    Constant,
    Equality,
    Interval,
    Negation,
    Premise,
    Term,
    Timed,
    Variable,
)

WILDCARD = "_"


def variables(term: Term) -> Iterator[Variable]:
    """Yield every variable of a term, also those inside functions, in the order they are written."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Apply):
        for argument in term.arguments:
            yield from variables(argument)


def all_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield the variables of several terms."""
    for term in terms:
        yield from variables(term)


def interval_variables(interval: Interval | None) -> Iterator[Variable]:
    """Yield the variables that stand for an end of an interval."""
    if interval is not None:
        # A point in time has the same bound at both ends.
        for bound in dict.fromkeys((interval.start, interval.end)):
            if isinstance(bound.end, Variable):
                yield bound.end


def premise_variables(premise: Premise) -> Iterator[Variable]:
    """Yield every variable of a premise."""
    if isinstance(premise, Atom):
        yield from all_variables(premise.arguments)
    elif isinstance(premise, Negation):
        yield from all_variables(premise.atom.arguments)
    elif isinstance(premise, Equality):
        yield from variables(premise.left)
        yield from variables(premise.right)
    else:
        yield from all_variables(premise.atom.arguments)
        yield from interval_variables(premise.annotation)
        yield from interval_variables(premise.window)


def nested_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield the variables that stand inside functions only: matching a fact gives them no value."""
    for term in terms:
        if isinstance(term, Apply):
            yield from variables(term)


def direct_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield the variables that are arguments themselves: matching a fact gives them a value."""
    for term in terms:
        if isinstance(term, Variable):
            yield term


def is_wildcard(name: str) -> bool:
    """Tell whether a variable is a wildcard, numbered or not."""
    return name.startswith(WILDCARD)


def shown(name: str) -> str:
    """Return a variable's name as the author wrote it."""
    return WILDCARD if is_wildcard(name) else name


class Wildcards:
    """Give each wildcard of a rule a name of its own, so that two of them are never taken for the same variable."""

    def __init__(self) -> None:
        self._count = 0

    def premise(self, premise: Premise) -> Premise:
        """Return the premise with its wildcards numbered."""
        if isinstance(premise, Atom):
            return self._atom(premise)
        if isinstance(premise, Negation):
            return replace(premise, atom=self._atom(premise.atom))
        if isinstance(premise, Equality):
            return replace(premise, left=self._term(premise.left), right=self._term(premise.right))
        return self._timed(premise)

    def _timed(self, premise: Timed) -> Timed:
        window = premise.window
        if window is not None:
            window = replace(window, start=self._bound(window.start), end=self._bound(window.end))
        return replace(premise, atom=self._atom(premise.atom), window=window)

    def _bound(self, bound: Bound) -> Bound:
        if not isinstance(bound.end, Variable):
            return bound
        numbered = self._term(bound.end)
        assert isinstance(numbered, Variable)
        return replace(bound, end=numbered)

    def _atom(self, atom: Atom) -> Atom:
        if not any(variable.name == WILDCARD for variable in all_variables(atom.arguments)):
            return atom
        return replace(atom, arguments=tuple(self._term(argument) for argument in atom.arguments))

    def _term(self, term: Term) -> Term:
        if isinstance(term, Constant):
            return term
        if isinstance(term, Apply):
            return replace(term, arguments=tuple(self._term(argument) for argument in term.arguments))
        if term.name != WILDCARD:
            return term
        self._count += 1
        return replace(term, name=f"{WILDCARD}{self._count}")
