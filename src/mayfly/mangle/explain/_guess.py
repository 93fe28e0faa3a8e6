"""Guess values for what a plan leaves open."""

from collections.abc import Iterator, Sequence
from itertools import islice

from mayfly.mangle._ast import Atom, Constant, Equality, Premise, Symbol, Term, Variable
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Name, Time, Value
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._terms import variables

_LOOKED_AT = 1_000
_KNOWN_TRIED = 3


def guesses(model: Model, premise: Premise, name: str, added: Sequence[Atom]) -> Iterator[Value]:
    """Yield values worth trying for a variable: next to what it is compared with, then as its columns have them."""
    tried: set[Value] = set()
    for value in (*_near(premise), *_columns(model, name, added)):
        if value not in tried:
            tried.add(value)
            yield value


def _near(premise: Premise) -> Iterator[Value]:
    """Yield the constants of a comparison and the values just beside them."""
    if isinstance(premise, Equality):
        terms: tuple[Term, ...] = (premise.left, premise.right)
    elif isinstance(premise, Atom):
        terms = premise.arguments
    else:
        return
    for term in terms:
        if isinstance(term, Constant):
            yield term.value
            yield from _beside(term.value)


def _beside(value: Value) -> Iterator[Value]:
    if isinstance(value, int):
        yield from (near for near in (value + 1, value - 1) if SMALLEST_NUMBER <= near <= LARGEST_NUMBER)
    elif isinstance(value, Time):
        yield from (Time(value.held + 1), Time(value.held - 1))
    elif isinstance(value, Duration):
        yield from (Duration(value.held + 1), Duration(value.held - 1))


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
    if kind is None or isinstance(kind, Name):
        return next(Name(text) for text in _texts("/any") if Name(text) not in known)
    if isinstance(kind, str):
        return next(text for text in _texts("any") if text not in known)
    return kind


def _texts(first: str) -> Iterator[str]:
    yield first
    number = 2
    while True:
        yield f"{first}{number}"
        number += 1
