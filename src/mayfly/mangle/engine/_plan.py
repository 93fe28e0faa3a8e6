"""What the engine knows of one rule before any fact is there: where it may start, what it reads, its functions.

Only data: how it is found out and how functions are made is in `_planned`, which a program that was kept rarely needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mayfly.mangle._checked import Rule
    from mayfly.mangle._symbols import Symbol

Made: TypeAlias = Callable[..., None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the rules of a program are compiled against."""

    numbers: Mapping[Symbol, int]
    called: frozenset[Symbol]
    """External and deferred predicates: asked with what is bound, not looked up."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recipe:
    """How to read an origin: the rule, the names of the values it holds, and the row's columns that hold others."""

    rule: Rule
    names: tuple[str, ...]
    columns: tuple[tuple[str, int], ...]


class Plan:
    """One rule, ready to be evaluated from any premise that has new rows; functions are made when first needed."""

    rule: Rule
    setting: Setting
    head: int
    aggregates: bool
    merges: bool
    fails_at: int
    """The first premise that can end in an error; the ones before it have to be evaluated in any case."""
    reads: dict[int, int]
    """Place of each positive premise with rows, and the number of its predicate."""
    negates: list[int]
    calls: list[int]
    group: int
    asks: bool
    """Whether what it gives depends on more than facts: an external predicate, asked by itself or through a deferred
    one, or the time of the evaluation."""
    required: tuple[int, ...]
    """The predicates without whose rows the rule neither gives anything nor fails."""
    starts: frozenset[int]
    """The premises that may be evaluated first."""
    lazy: frozenset[str]
    made: dict[int, Made]

    def __getattr__(self, name: str) -> frozenset[int] | frozenset[str]:
        """Find out what only a rule that is evaluated needs, when it is first asked for."""
        if name not in ("starts", "lazy"):
            raise AttributeError(name)
        from mayfly.mangle.engine import _planned

        found = _planned.starts(self) if name == "starts" else _planned.lazy(self)
        setattr(self, name, found)
        return found

    def function(self, start: int, *, record: bool) -> Made:
        """Return the function that derives this rule's rows from those of one premise, or as it is written."""
        kind = start * 4 + (2 if record else 0)
        return self.made.get(kind) or self.make(kind)

    def make(self, kind: int) -> Made:
        """Make a function of the kind `premise * 4 + record * 2 + again`: which premise it starts from, whether it
        records origins, whether it is for the rounds of a recursion, when most of what a rule gives is there already.
        """
        from mayfly.mangle.engine._planned import derive

        made = self.made[kind] = derive(self, kind >> 2, record=bool(kind & 2), again=bool(kind & 1))
        return made
