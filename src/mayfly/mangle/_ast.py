"""The syntax tree of a Mangle source: what was written, each part with its place."""

from dataclasses import field
from functools import lru_cache
from typing import TypeAlias

from mayfly.mangle._symbols import Place as Place
from mayfly.mangle._symbols import Symbol as Symbol
from mayfly.mangle._symbols import node
from mayfly.mangle._values import Value


# The name is what somebody wrote: the table is bounded, and what falls out of it is made again.
@lru_cache(maxsize=8192)
def symbol_of(name: str, arity: int) -> Symbol:
    """Return a predicate, one object for all its uses."""
    return Symbol(name, arity)


@node
class Variable:
    """A variable; `_` is the wildcard, each one a variable of its own."""

    name: str
    place: Place


@node
class Constant:
    """A constant."""

    value: Value
    place: Place


@node
class Apply:
    """A function applied: `fn:plus(X, 1)`; lists, maps, structs are fn:list, fn:map, fn:struct; `.Foo<…>` is fn:Foo."""

    function: str
    arguments: "tuple[Term, ...]"
    place: Place


Term: TypeAlias = Variable | Constant | Apply


@node
class Atom:
    """A predicate with its arguments; comparisons `X < Y` are atoms of `:lt`, `:le`, `:gt`, `:ge`."""

    predicate: str
    arguments: tuple[Term, ...]
    place: Place
    symbol: Symbol = field(init=False, compare=False, repr=False)
    """Name and arity together."""

    def __init__(self, *, predicate: str, arguments: tuple[Term, ...], place: Place) -> None:
        self.predicate = predicate  # type: ignore[misc]
        self.arguments = arguments  # type: ignore[misc]
        self.place = place  # type: ignore[misc]
        self.symbol = symbol_of(predicate, len(arguments))  # type: ignore[misc]


@node
class Negation:
    """`!p(…)`: no fact matches."""

    atom: Atom
    place: Place


@node
class Equality:
    """`left = right`, or `left != right` when `negated`."""

    left: Term
    right: Term
    negated: bool
    place: Place


@node
class Bound:
    """One end of an interval: a `Time`, a `Duration`, a variable, `now` (the word) or None for open."""

    end: "Constant | Variable | str | None"
    place: Place


@node
class Interval:
    """`@[start, end]`; a point `@[t]` has the same bound twice."""

    start: Bound
    end: Bound
    place: Place


@node
class Timed:
    """A premise with temporal syntax: an operator (`<-`, `[-`, `<+`, `[+`) with its window, and or an annotation."""

    atom: Atom
    operator: str | None
    window: Interval | None
    annotation: Interval | None
    place: Place


Premise: TypeAlias = Atom | Negation | Equality | Timed


@node
class Let:
    """`let X = fn:…`."""

    variable: Variable
    function: Apply
    place: Place


@node
class Transform:
    """`|> do fn:group_by(…), let …` (then `do` is set) or `|> let …`."""

    do: Apply | None
    lets: tuple[Let, ...]
    place: Place


@node
class Clause:
    """A fact (`premises` is None) or a rule; `transforms` in order (more than one is refused by the checks)."""

    head: Atom
    premises: tuple[Premise, ...] | None
    transforms: tuple[Transform, ...]
    time: Interval | None
    place: Place


@node
class Declaration:
    """`Decl p(X, Y) temporal? descr [...] bound [...]… inclusion [...].`"""

    atom: Atom
    descriptions: tuple[Atom, ...]
    bounds: tuple[tuple[Term, ...], ...]
    inclusions: tuple[Atom, ...] | None
    temporal: bool
    place: Place


@node
class Header:
    """`Package name [...]!` or `Use name [...]!`."""

    name: str
    descriptions: tuple[Atom, ...]
    place: Place


@node
class Unit:
    """One source file, parsed."""

    file: str
    package: Header | None
    uses: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    clauses: tuple[Clause, ...]
