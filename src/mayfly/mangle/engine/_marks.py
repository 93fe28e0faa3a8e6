"""Signs, numbers and small values that all parts of the engine know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Time

if TYPE_CHECKING:
    from mayfly.mangle._checked import CheckedRule

NATURAL: Final = -1
"""Stands for the place of no premise: the rule is evaluated as it was checked."""
WILDCARD: Final = "_"
MARK: Final = "@"
FIRST: Final = Time(SMALLEST_NUMBER)
LAST: Final = Time(LARGEST_NUMBER)
TICK: Final = 20_000
FIRST_LOOK: Final = 64

Made: TypeAlias = Callable[..., None]
"""A rule as a function; `_emit` says how it is called."""


def timed(symbol: Symbol) -> Symbol:
    """Return the predicate that keeps the facts of *symbol* that have a time."""
    return Symbol(MARK + symbol.name, symbol.arity + 2)


def is_timed(symbol: Symbol) -> bool:
    """Tell whether a predicate is one that keeps facts with a time."""
    return symbol.name.startswith(MARK)


def is_builtin(symbol: Symbol) -> bool:
    """Tell computed predicates such as `:lt` from those that have rows."""
    return symbol.name.startswith(":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the rules of a program are compiled against."""

    numbers: Mapping[Symbol, int]
    called: frozenset[Symbol]
    """External and deferred predicates: asked with what is bound, not looked up."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recipe:
    """How to read an origin: the rule, the names of the values it holds, and the row's columns that hold others."""

    rule: CheckedRule
    names: tuple[str, ...]
    columns: tuple[tuple[str, int], ...]
