"""Changes to what is given, and the trial that shows what a program says after them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from mayfly.mangle._ast import Atom, Symbol
from mayfly.mangle._values import Row, Value
from mayfly.mangle.engine import External, Limits, Model, Program, compile_program
from mayfly.mangle.explain._solve import externals, told
from mayfly.mangle.explain._why import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """One fact to add or to take away.

    In the `free` columns any value would do; those in `examples` were chosen so that other premises hold.
    """

    kind: Literal["add", "remove"]
    fact: Fact
    free: tuple[int, ...] = field(default=(), compare=False)
    examples: tuple[int, ...] = field(default=(), compare=False)

    @property
    def shape(self) -> tuple[str, Symbol, tuple[Value | None, ...]]:
        """What remains of the change when the chosen values are left out."""
        chosen = {*self.free, *self.examples}
        row = tuple(None if column in chosen else value for column, value in enumerate(self.fact.row))
        return self.kind, self.fact.symbol, row


Changes: TypeAlias = frozenset[FactChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Changes that together make a goal hold, tried by evaluating the program with them."""

    changes: tuple[FactChange, ...]


class ChangeTrial:
    """Evaluate a model's program again with changes to what it was given."""

    def __init__(self, model: Model, goal: Atom, *, seconds: float) -> None:
        self._model = model
        self._goal = goal
        self._seconds = seconds
        self._told = list(told(model))
        self._sources = externals(model)
        self._given = frozenset(Fact(given.symbol, given.row) for given in model.program.checked.given)
        self._programs: dict[frozenset[Fact], Program] = {frozenset(): model.program}

    def evaluate(self, changes: Changes) -> Model:
        """Return the model after the changes; a program that then fails raises MangleError."""
        removed = frozenset(change.fact for change in changes if change.kind == "remove")
        added = [change.fact for change in changes if change.kind == "add"]
        kept = [fact for fact in self._told if Fact(*fact) not in removed]
        return self._program(removed).evaluate(
            [*kept, *(fact for fact in added if fact.symbol not in self._sources)],
            goals={self._goal.symbol},
            externals=self._externals(added, removed),
            limits=Limits(seconds=self._seconds),
        )

    def _program(self, removed: frozenset[Fact]) -> Program:
        checked = self._model.program.checked
        without = removed & self._given
        if without not in self._programs:
            kept = tuple(given for given in checked.given if Fact(given.symbol, given.row) not in without)
            self._programs[without] = compile_program(replace(checked, given=kept))
        return self._programs[without]

    def _externals(self, added: Iterable[Fact], removed: frozenset[Fact]) -> Mapping[Symbol, External]:
        changed = {fact.symbol for fact in (*added, *removed)}
        return {
            symbol: _answer(external, symbol, [fact.row for fact in added if fact.symbol == symbol], removed)
            if symbol in changed
            else external
            for symbol, external in self._sources.items()
        }


def _answer(external: External, symbol: Symbol, added: list[Row], removed: frozenset[Fact]) -> External:
    """Return an external predicate that answers as if the world had changed."""

    def changed(asked: tuple[Value | None, ...]) -> Iterator[Row]:
        yield from (row for row in external(asked) if Fact(symbol, row) not in removed)
        for row in added:
            if all(value is None or value == own for value, own in zip(asked, row, strict=True)):
                yield row

    return changed
