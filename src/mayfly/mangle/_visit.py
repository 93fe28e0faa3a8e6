"""Walk over terms and premises: the one place that knows which parts each kind of premise has."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from mayfly.mangle._ast import Apply, Atom, Equality, Interval, Premise, Term, Timed, Variable


def terms_of(premise: Premise) -> tuple[Term, ...]:
    """Return the terms of a premise from left to right."""
    if isinstance(premise, Equality):
        return (premise.left, premise.right)
    return premise.arguments if isinstance(premise, Atom) else premise.atom.arguments


def atom_of(premise: Premise) -> Atom | None:
    """Return the atom that a premise is about, negated or at a time as well; None for an equality."""
    if isinstance(premise, Atom):
        return premise
    return None if isinstance(premise, Equality) else premise.atom


def all_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield every variable of some terms, also those inside functions, in the order they are written."""
    for term in terms:
        if isinstance(term, Variable):
            yield term
        elif isinstance(term, Apply):
            yield from all_variables(term.arguments)


def variables(term: Term) -> Iterator[Variable]:
    """Yield the variables of one term."""
    return all_variables((term,))


def interval_variables(interval: Interval | None) -> Iterator[Variable]:
    """Yield the variables that stand for an end of an interval."""
    if interval is not None:
        # A point in time has the same bound at both ends.
        for bound in dict.fromkeys((interval.start, interval.end)):
            if isinstance(bound.end, Variable):
                yield bound.end


def premise_variables(premise: Premise) -> Iterator[Variable]:
    """Yield every variable of a premise."""
    found = all_variables(terms_of(premise))
    if not isinstance(premise, Timed):
        return found
    return chain(found, interval_variables(premise.annotation), interval_variables(premise.window))


def map_atom(atom: Atom, change: Callable[[Term], Term]) -> Atom:
    """Return an atom with each argument changed; the same atom where nothing changes."""
    arguments = tuple(map(change, atom.arguments))
    same = all(new is old for new, old in zip(arguments, atom.arguments, strict=True))
    return atom if same else replace(atom, arguments=arguments)


def map_premise(premise: Premise, change: Callable[[Term], Term]) -> Premise:
    """Return a premise with each of its terms changed; times stay as they are."""
    if isinstance(premise, Equality):
        return replace(premise, left=change(premise.left), right=change(premise.right))
    if isinstance(premise, Atom):
        return map_atom(premise, change)
    return replace(premise, atom=map_atom(premise.atom, change))
