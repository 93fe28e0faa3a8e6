"""Put the premises of a rule into an order in which each can be evaluated from what the ones before it bind.

Written order counts: a comparison, a builtin or a function whose variables have no value yet is an error, as it is in
the language. What may wait is moved to where its variables have values: a negation, an inequality, and an equality of
two variables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Symbol, Timed, Variable
from mayfly.mangle._visit import interval_variables, premise_variables, variables
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.check._known import KnownPredicates
from mayfly.mangle.check._terms import Wildcards, is_wildcard, nested_variables


class PremiseStep(NamedTuple):
    """One premise: as it was written, and with a name for each wildcard."""

    written: Premise
    named: Premise


class Stuck(NamedTuple):
    """A premise that cannot be evaluated where it stands, and the variable that has no value."""

    premise: Premise
    variable: Variable


def steps(premises: Sequence[Premise]) -> list[PremiseStep]:
    """Return the premises, each with its wildcards named."""
    wildcards = Wildcards()
    return [PremiseStep(premise, wildcards.premise(premise)) for premise in premises]


def delay_negations(written: Sequence[PremiseStep], bound: set[str], known: KnownPredicates) -> list[PremiseStep]:
    """Move each negation to where its variables occur in something positive, and use what reflects a prefix.

    A negation whose variables never occur elsewhere ends up last, where the checks find them unbound.
    """
    bound = set(bound)
    ordered: list[PremiseStep] = []
    waiting: list[tuple[PremiseStep, set[str]]] = []
    size = -1
    for step in written:
        premise = step.named
        if isinstance(premise, Negation) and not _needs(premise) <= bound:
            waiting.append((step, _needs(premise)))
            continue
        reflected = _reflected(premise, bound, known)
        ordered.append(step if reflected is None else PremiseStep(reflected, reflected))
        tests = isinstance(premise, Negation) or (isinstance(premise, Equality) and premise.negated)
        if reflected is None and not tests:
            bound |= {variable.name for variable in premise_variables(premise)}
        if waiting and len(bound) > size:
            size = len(bound)
            ordered += [other for other, needs in waiting if needs <= bound]
            waiting = [entry for entry in waiting if not entry[1] <= bound]
    return ordered + [step for step, _ in waiting]


def _needs(premise: Premise) -> set[str]:
    return {variable.name for variable in premise_variables(premise) if not is_wildcard(variable.name)}


def _reflected(premise: Premise, bound: set[str], known: KnownPredicates) -> Atom | None:
    """Return the test of the prefix that can stand for a predicate that reflects one, if its argument is known."""
    if not isinstance(premise, Atom) or len(premise.arguments) != 1:
        return None
    prefix, argument = known.reflects.get(premise.symbol), premise.arguments[0]
    if prefix is None or not isinstance(argument, Variable):
        return None
    declared = known.declared[premise.symbol]
    always_input = bool(declared.modes) and all(mode[0] == "+" for mode in declared.modes)
    if not always_input and argument.name not in bound:
        return None
    constant = Constant(value=prefix, place=premise.place)
    return Atom(predicate=":match_prefix", arguments=(argument, constant), place=premise.place)


@dataclass(slots=True, kw_only=True)
class Evaluation:
    """Follow an evaluation from left to right: which variables have a value."""

    known: KnownPredicates
    bound: set[str]
    ordered: list[PremiseStep] = field(default_factory=list)
    waiting: dict[int, PremiseStep] = field(default_factory=dict)
    stuck: list[Stuck] = field(default_factory=list)
    _wanted: dict[str, list[int]] = field(default_factory=dict)
    """By variable: the premises that wait and have it."""

    def run(self, given: Sequence[PremiseStep]) -> None:
        """Take the premises in order; what may wait and cannot be evaluated yet comes as early as it can."""
        for number, step in enumerate(given):
            missing = self._missing(step.named)
            if missing is None:
                self._take(step)
            elif self._may_wait(step.named):
                self.waiting[number] = step
                for variable in premise_variables(step.named):
                    self._wanted.setdefault(variable.name, []).append(number)
            else:
                self.stuck.append(Stuck(step.written, missing))
                self._take(step)
        for step in self.waiting.values():
            missing = self._missing(step.named)
            if missing is not None:
                self.stuck.append(Stuck(step.written, missing))

    def _may_wait(self, premise: Premise) -> bool:
        """Tell what the language evaluates without an error although a variable has no value yet."""
        if not isinstance(premise, Equality):
            return isinstance(premise, Negation)
        if not premise.negated:
            return isinstance(premise.left, Variable) and isinstance(premise.right, Variable)
        return all(each.name in self.bound for each in nested_variables((premise.left, premise.right)))

    def _take(self, step: PremiseStep) -> None:
        ready: list[int] = []
        self._place(step, ready)
        while ready:
            waited = self.waiting.pop(heappop(ready), None)
            if waited is not None:
                self._place(waited, ready)

    def _place(self, step: PremiseStep, ready: list[int]) -> None:
        """Put a premise next, and note which of the waiting ones can be evaluated now."""
        self.ordered.append(step)
        new = {variable.name for variable in premise_variables(step.named)} - self.bound
        self.bound |= new
        for number in {number for name in new for number in self._wanted.get(name, ()) if number in self.waiting}:
            if self._missing(self.waiting[number].named) is None:
                heappush(ready, number)

    def _missing(self, premise: Premise) -> Variable | None:
        """Return a variable that must have a value before this premise and has none."""
        return next((each for each in self._required(premise) if each.name not in self.bound), None)

    def _required(self, premise: Premise) -> Iterator[Variable]:
        if isinstance(premise, Negation):
            return (each for each in premise_variables(premise) if not is_wildcard(each.name))
        if isinstance(premise, Equality):
            return self._required_by_equality(premise)
        if isinstance(premise, Timed):
            return self._required_by_timed(premise)
        return self._required_by_atom(premise)

    def _required_by_equality(self, premise: Equality) -> Iterator[Variable]:
        sides = (premise.left, premise.right)
        if premise.negated or all(isinstance(side, Apply) for side in sides):
            yield from premise_variables(premise)
            return
        yield from nested_variables(sides)
        names = [side for side in sides if isinstance(side, Variable)]
        if len(names) == 2 and not any(name.name in self.bound for name in names):
            yield from (name for name in names if not is_wildcard(name.name))
            yield from names

    def _required_by_timed(self, premise: Timed) -> Iterator[Variable]:
        yield from nested_variables(premise.atom.arguments)
        yield from interval_variables(premise.window)

    def _required_by_atom(self, premise: Atom) -> Iterator[Variable]:
        modes = _input_modes(premise.symbol, self.known)
        for argument, mode in zip(premise.arguments, modes, strict=True):
            if mode == "+" or isinstance(argument, Apply):
                yield from variables(argument)


def _input_modes(symbol: Symbol, known: KnownPredicates) -> tuple[str, ...]:
    """Return which columns must be known before a predicate is asked; stored facts can be asked in any way."""
    predicate = PREDICATES.get(symbol)
    if predicate is not None:
        return predicate.modes
    declared = known.get(symbol)
    if declared is not None and (declared.external or declared.deferred) and declared.modes:
        return declared.modes[0]
    return ("?",) * symbol.arity
