"""A program that passed every check at load: what the engine compiles and the explanations read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mayfly.mangle._symbols import node

if TYPE_CHECKING:
    from mayfly.mangle._ast import Atom, Clause, Interval, Premise, Term, Transform
    from mayfly.mangle._symbols import Place, Symbol
    from mayfly.mangle._values import Row


@node
class Merge:
    """How a predicate with a functional dependency keeps one row for each key: rows equal in the `source` columns are
    replaced by what `predicate` (old, new, merged) says for the `target` column."""

    source: tuple[int, ...]
    target: int
    predicate: Symbol


@node
class DeclaredPredicate:
    """What is known of one predicate, declared or inferred (`synthetic`)."""

    symbol: Symbol
    columns: tuple[str, ...]
    modes: tuple[tuple[str, ...], ...] = ()
    """Each mode one of "+", "-", "?" for each column."""
    synthetic: bool = False
    external: bool = False
    extensional: bool = False
    private: bool = False
    temporal: bool = False
    merge: Merge | None = None
    doc: str = ""
    place: Place | None = None
    deferred: bool = False
    """Whether its rules are tried only when asked, with the columns of mode "+" known, and never all computed."""
    bounds: tuple[tuple[Term, ...], ...] = ()
    """The declared types: a row must fit one of these alternatives, column by column; none means anything."""
    inclusions: tuple[Atom, ...] = ()
    """What the declaration promises to hold as well for every row."""


@node
class GivenFact:
    """One fact of the source, its functions evaluated."""

    symbol: Symbol
    row: Row
    time: Interval | None
    place: Place


@node
class CheckedRule:
    """One rule, its premises in an order in which each can be evaluated from what the ones before it bind.

    Wildcards of positive atoms stay `_`; so do those of negated atoms, where `!p(X, _)` means that no fact matches.
    """

    number: int
    head: Atom
    premises: tuple[Premise, ...]
    transform: Transform | None
    clause: Clause
    """As it was written, for printing."""

    @property
    def place(self) -> Place:
        """Where the rule begins."""
        return self.clause.place


@node
class CheckedProgram:
    """A whole program: what may be asked, what is given, and the rules by stratum, lowest first."""

    declared: Mapping[Symbol, DeclaredPredicate]
    given: tuple[GivenFact, ...]
    rules: tuple[CheckedRule, ...]
    strata: tuple[tuple[Symbol, ...], ...]
    """Every predicate that has a rule, grouped so that negation and aggregation only look at earlier groups."""
