"""Say why a fact holds: the tree of rules and facts its first derivation stands on."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from mayfly.mangle._ast import Atom, Negation, Place, Premise, Symbol
from mayfly.mangle._checked import Rule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._text import show_row
from mayfly.mangle._values import Row, Value
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._derive import Because, Derivation, Fact, Use, body_uses, derivation, uses
from mayfly.mangle.explain._solve import rows_for
from mayfly.mangle.explain._terms import Bindings, fact_atom

DEEPEST = 100
LARGEST = 2_000
ROWS_SHOWN = 10

Note: TypeAlias = Literal["", "shown", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of a derivation; `note` says whether its premises are shown elsewhere or were cut off."""

    because: Because
    fact: Fact | None = None
    claim: Premise | None = None
    value: Value | None = None
    bindings: Bindings = field(default_factory=dict)
    rule: Rule | None = None
    place: Place | None = None
    premises: "tuple[Step, ...]" = ()
    note: Note = ""
    more: int = 0
    """How many rows of an aggregate are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A fact of a model with its derivation."""

    model: Model
    root: Step


class Leaves(NamedTuple):
    """What a derivation rests on in the end: facts that no rule made, and patterns that nothing may match."""

    facts: tuple[Fact, ...]
    absences: tuple[Atom, ...]


def why(model: Model, symbol: Symbol, row: Row, *, depth: int = 20) -> Why:
    """Return the derivation of a fact, each fact's own derivation once, at most `depth` rules deep."""
    if next(rows_for(model, fact_atom(symbol, row), {}), None) is None:
        raise MangleError(f"{show_row(symbol, row)} does not hold", stage="eval", fix="ask why not")
    return Why(model=model, root=_Tree(model).grow(Fact(symbol, row), max(0, min(depth, DEEPEST))))


class _Tree:
    """Grow one derivation tree, remembering what it has shown."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._shown: set[Fact] = set()
        self._size = 0

    def grow(self, fact: Fact, depth: int) -> Step:
        """Return the step of a fact with everything below it."""
        self._size += 1
        made = derivation(self._model, fact)
        if made.rule is None:
            return Step(because=made.because, fact=fact, place=made.place)
        if fact in self._shown:
            return _line(fact, made, note="shown")
        if depth == 0 or self._size > LARGEST:
            return _line(fact, made, note="cut")
        self._shown.add(fact)
        rows = [self._row(fact, made.rule, row, depth - 1) for row in made.rows[:ROWS_SHOWN]]
        premises = [self._step(use, depth - 1) for use in uses(self._model, made, fact)]
        return _line(fact, made, premises=(*rows, *premises), more=len(made.rows) - len(rows))

    def _step(self, use: Use, depth: int) -> Step:
        if use.fact is not None:
            return self.grow(use.fact, depth)
        self._size += 1
        return Step(because=use.because, claim=use.claim, value=use.value)

    def _row(self, head: Fact, rule: Rule, row: Bindings, depth: int) -> Step:
        """Return one row of an aggregate: its only premise, or all of them under the values that joined them."""
        steps = tuple(self._step(use, depth) for use in body_uses(self._model, rule, row, head))
        return steps[0] if len(steps) == 1 else Step(because="row", bindings=row, premises=steps)


def _line(fact: Fact, made: Derivation, premises: tuple[Step, ...] = (), note: Note = "", more: int = 0) -> Step:
    return Step(
        because=made.because,
        fact=fact,
        bindings=made.bindings,
        rule=made.rule,
        place=made.place,
        premises=premises,
        note=note,
        more=more,
    )


def leaves(why: Why) -> Leaves:
    """Return every fact without a rule and every absence that the derivation rests on, however deep it is."""
    if why.root.fact is None:
        return Leaves((), ())
    return rests_on(why.model, why.root.fact)


def rests_on(model: Model, fact: Fact) -> Leaves:
    """Return what the first derivation of a fact rests on, walking it without recursion as it may be very deep."""
    facts: dict[Fact, None] = {}
    absences: dict[Atom, None] = {}
    seen = {fact}
    waiting = deque([fact])
    while waiting:
        here = waiting.popleft()
        made = derivation(model, here)
        if made.rule is None:
            facts[here] = None
        for use in _all_uses(model, made, here):
            if isinstance(use.claim, Negation):
                absences[use.claim.atom] = None
            elif use.fact is not None and use.fact not in seen:
                seen.add(use.fact)
                waiting.append(use.fact)
    return Leaves(tuple(facts), tuple(absences))


def _all_uses(model: Model, made: Derivation, fact: Fact) -> Iterator[Use]:
    yield from uses(model, made, fact)
    if made.rule is not None:
        for row in made.rows:
            yield from body_uses(model, made.rule, row, fact)
