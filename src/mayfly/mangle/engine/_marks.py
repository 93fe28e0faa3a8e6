"""Signs and numbers that all parts of the engine know."""

from typing import Final

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Time

NATURAL: Final = -1
"""Stands for the place of no premise: the rule is evaluated as it was checked."""
WILDCARD: Final = "_"
MARK: Final = "@"
FIRST: Final = Time(SMALLEST_NUMBER)
LAST: Final = Time(LARGEST_NUMBER)
TICK: Final = 20_000
FIRST_LOOK: Final = 64


def timed(symbol: Symbol) -> Symbol:
    """Return the predicate that keeps the facts of *symbol* that have a time."""
    return Symbol(MARK + symbol.name, symbol.arity + 2)


def is_timed(symbol: Symbol) -> bool:
    """Tell whether a predicate is one that keeps facts with a time."""
    return symbol.name.startswith(MARK)


def is_builtin(symbol: Symbol) -> bool:
    """Tell computed predicates such as `:lt` from those that have rows."""
    return symbol.name.startswith(":")
