"""Look into terms: what they stand for under bindings, what is open in them, how to put values in."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mayfly.mangle._ast import (
    Apply,
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
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import FUNCTIONS, BuiltinError

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


def value_of(term: Term, bindings: Bindings) -> Value | None:
    """Return what a term stands for, None while a variable in it is open; a function may raise BuiltinError."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        return bindings.get(term.name)
    values = [value_of(argument, bindings) for argument in term.arguments]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    function = FUNCTIONS.get(term.function)
    if function is None:
        raise BuiltinError(f"{term.function} is not a function of values")
    return function.taking(len(known))(*known)


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


def fill_atom(atom: Atom, bindings: Bindings) -> Atom:
    """Put values in the place of an atom's variables."""
    arguments = tuple(fill(argument, bindings) for argument in atom.arguments)
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)


def fill_premise(premise: Premise, bindings: Bindings) -> Premise:
    """Put values in the place of a premise's variables."""
    if isinstance(premise, Atom):
        return fill_atom(premise, bindings)
    if isinstance(premise, Negation):
        return Negation(atom=fill_atom(premise.atom, bindings), place=premise.place)
    if isinstance(premise, Equality):
        left, right = fill(premise.left, bindings), fill(premise.right, bindings)
        return Equality(left=left, right=right, negated=premise.negated, place=premise.place)
    return Timed(
        atom=fill_atom(premise.atom, bindings),
        operator=premise.operator,
        window=premise.window,
        annotation=premise.annotation,
        place=premise.place,
    )


def variables(term: Term) -> Iterator[str]:
    """Yield the names of a term's variables in order, wildcards left out."""
    if isinstance(term, Variable):
        if term.name != "_":
            yield term.name
    elif isinstance(term, Apply):
        for argument in term.arguments:
            yield from variables(argument)


def premise_variables(premise: Premise) -> Iterator[str]:
    """Yield the names of a premise's variables in order, wildcards left out."""
    if isinstance(premise, Equality):
        yield from variables(premise.left)
        yield from variables(premise.right)
        return
    atom = premise if isinstance(premise, Atom) else premise.atom
    for argument in atom.arguments:
        yield from variables(argument)
    for interval in (premise.window, premise.annotation) if isinstance(premise, Timed) else ():
        for bound in () if interval is None else (interval.start, interval.end):
            if isinstance(bound.end, Variable):
                yield from variables(bound.end)
