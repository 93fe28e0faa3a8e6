"""The syntax tree of a Mangle source: what was written, each part with its place."""

from dataclasses import dataclass
from typing import TypeAlias

from mayfly.mangle._symbols import Place as Place
from mayfly.mangle._symbols import Symbol as Symbol
from mayfly.mangle._values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable; `_` is the wildcard, each one a variable of its own."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A constant."""

    value: Value
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """A function applied: `fn:plus(X, 1)`; lists, maps, structs are fn:list, fn:map, fn:struct; `.Foo<…>` is fn:Foo."""

    function: str
    arguments: "tuple[Term, ...]"
    place: Place


Term: TypeAlias = Variable | Constant | Apply


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A predicate with its arguments; comparisons `X < Y` are atoms of `:lt`, `:le`, `:gt`, `:ge`."""

    predicate: str
    arguments: tuple[Term, ...]
    place: Place

    @property
    def symbol(self) -> Symbol:
        """Name and arity together."""
        return Symbol(self.predicate, len(self.arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """`!p(…)`: no fact matches."""

    atom: Atom
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Equality:
    """`left = right`, or `left != right` when `negated`."""

    left: Term
    right: Term
    negated: bool
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One end of an interval: a `Time`, a `Duration`, a variable, `now` (the word) or None for open."""

    end: "Constant | Variable | str | None"
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """`@[start, end]`; a point `@[t]` has the same bound twice."""

    start: Bound
    end: Bound
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A premise with temporal syntax: an operator (`<-`, `[-`, `<+`, `[+`) with its window, and or an annotation."""

    atom: Atom
    operator: str | None
    window: Interval | None
    annotation: Interval | None
    place: Place


Premise: TypeAlias = Atom | Negation | Equality | Timed


@dataclass(frozen=True, slots=True, kw_only=True)
class Let:
    """`let X = fn:…`."""

    variable: Variable
    function: Apply
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """`|> do fn:group_by(…), let …` (then `do` is set) or `|> let …`."""

    do: Apply | None
    lets: tuple[Let, ...]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A fact (`premises` is None) or a rule; `transforms` in order (more than one is refused by the checks)."""

    head: Atom
    premises: tuple[Premise, ...] | None
    transforms: tuple[Transform, ...]
    time: Interval | None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """`Decl p(X, Y) temporal? descr [...] bound [...]… inclusion [...].`"""

    atom: Atom
    descriptions: tuple[Atom, ...]
    bounds: tuple[tuple[Term, ...], ...]
    inclusions: tuple[Atom, ...] | None
    temporal: bool
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """`Package name [...]!` or `Use name [...]!`."""

    name: str
    descriptions: tuple[Atom, ...]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One source file, parsed."""

    file: str
    package: Header | None
    uses: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    clauses: tuple[Clause, ...]
