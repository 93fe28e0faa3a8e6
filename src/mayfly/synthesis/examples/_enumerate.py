"""Bottom-up enumeration of typed expressions over numbers, lists and records, one for each distinct behaviour."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from mayfly.core import same
from mayfly.synthesis.examples._dates import date_numbers
from mayfly.synthesis.examples._emit import annotation, element
from mayfly.synthesis.examples._numbers import WHOLE, number_sources
from mayfly.synthesis.examples._ops import call, helper, native
from mayfly.synthesis.examples._search import FittingProgram
from mayfly.synthesis.examples._task import SearchTask, leaf, steady
from mayfly.synthesis.examples._tree import (
    ApplyOperation,
    Each,
    Expr,
    InputPart,
    Literal,
    LoopItem,
    Op,
    TreeScope,
    Value,
)
from mayfly.synthesis.examples._typed import (
    ADD,
    DIVIDE,
    FLOOR_DIVIDE,
    MULTIPLY,
    SUBTRACT,
    ElementLoop,
    TypedRule,
    loops,
    rules,
)

_MOST = 6000
_ROUNDS = 3
_DEPTH = 2
_TAKEN = {
    "str": helper("text_of", words="{0}"),
    "int": helper("int_of", "int", words="{0}"),
    "float": helper("float_of", "float", words="{0}"),
    "bool": helper("truth_of", "bool", words="{0}"),
    "list[str]": helper("texts_of", "list[str]", words="{0}"),
    "list[int]": helper("ints_of", "list[int]", words="{0}"),
    "list[float]": helper("floats_of", "list[float]", words="{0}"),
    "list[dict[str, object]]": helper("records_of", "list[dict[str, object]]", words="{0}"),
}
_COUNT = helper("as_count", "int", words="{0}")
_REAL = helper("real", "float", words="{0}")
FIELD_OF = native("field of", "{0}[{1}]", returns="object", words="field {1} of {0}")
_TYPED_FIELD = replace(FIELD_OF, returns="element")
_SORTED_BY = helper("sorted_by", "list[dict[str, object]]", words="{0} in the order of {1}")


class FailedValue:
    """Stand for the value of an expression that fails on an input."""


FAILED = FailedValue()


def gives(values: Sequence[Value], wanted: Sequence[Value]) -> bool:
    """Whether the values for the examples, which come first, are those that are wanted."""
    return all(same(value, target) for value, target in zip(values, wanted, strict=False))


def known_values(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return values with None where an expression failed."""
    return tuple(None if value is FAILED else value for value in values)


class EnumeratedTerm(NamedTuple):
    """An expression with its type, its cost and its value for every input."""

    cost: float
    kind: str
    expr: Expr
    values: tuple[Value, ...]


class Bank:
    """All expressions found so far, by type; for each behaviour only the cheapest is kept."""

    def __init__(self, task: SearchTask, seconds: float) -> None:
        self.task = task
        self.end = min(task.deadline, time.thread_time() + seconds)
        self.by_kind: dict[str, list[EnumeratedTerm]] = {}
        self.seen: dict[str, float] = {}
        self.hit = math.inf

    def add(self, cost: float, kind: str, expr: Expr, values: tuple[Value, ...]) -> None:
        """Keep an expression that works on all examples and does something new."""
        if any(value is FAILED for value in values[: self.task.count]):
            return
        key = kind + repr(values)
        if key not in self.seen and len(key) < 20_000:
            self.seen[key] = cost
            self.by_kind.setdefault(kind, []).append(EnumeratedTerm(cost, kind, expr, values))
            if gives(values, self.task.wanted):
                self.hit = min(self.hit, cost)

    def full(self) -> bool:
        """Whether there is no room or no time for more."""
        return len(self.seen) > _MOST or time.thread_time() > self.end

    def all(self) -> list[EnumeratedTerm]:
        """Return everything, cheapest first."""
        return sorted((entry for entries in self.by_kind.values() for entry in entries), key=lambda entry: entry.cost)


def fill(task: SearchTask, *, seconds: float, rounds: int = _ROUNDS) -> Bank:
    """Return what can be computed from the inputs of a task in a few steps."""
    bank = Bank(task, seconds)
    for entry in leaf_entries(task):
        bank.add(*entry)
    numbers, texts = _constants(task)
    every = list(rules(numbers, texts))
    every_loop = list(loops(numbers))
    for number in range(rounds):
        known = {kind: list(entries) for kind, entries in bank.by_kind.items()}
        _pairs(bank, known, every, 24 if number else 40)
        if bank.hit < math.inf:
            break
        for entry in sorted((entry for entries in known.values() for entry in entries), key=lambda entry: entry.cost):
            if bank.full() or entry.cost > bank.hit:
                return bank
            _extend(bank, entry, every, every_loop)
        if bank.hit < math.inf:
            break
    return bank


def _extend(bank: Bank, entry: EnumeratedTerm, every: Sequence[TypedRule], every_loop: Sequence[ElementLoop]) -> None:
    """Apply every rule and every loop to one entry."""
    for rule in every:
        if len(rule.takes) == 1 and rule.takes[0] == entry.kind and not bank.full():
            _apply(bank, rule, (entry,))
    for loop in every_loop:
        if entry.kind == f"list[{loop.takes}]" and not bank.full():
            expr = Each(source=entry.expr, body=loop.body, test=loop.test)
            _add(bank, entry.cost + loop.cost, f"list[{loop.gives}]", expr)


def _pairs(bank: Bank, known: dict[str, list[EnumeratedTerm]], every: Sequence[TypedRule], width: int) -> None:
    cheapest = {kind: sorted(entries, key=lambda entry: entry.cost)[:width] for kind, entries in known.items()}
    for rule in every:
        if len(rule.takes) != 2:
            continue
        for left in cheapest.get(rule.takes[0], ()):
            for right in cheapest.get(rule.takes[1], ()):
                if bank.full():
                    return
                if left is not right:
                    _apply(bank, rule, (left, right))


def _apply(bank: Bank, rule: TypedRule, entries: tuple[EnumeratedTerm, ...]) -> None:
    constants = tuple(Literal(constant) for constant in rule.constants)
    cost = rule.cost + sum(entry.cost for entry in entries)
    values = run_on(rule.op, [entry.values for entry in entries], rule.constants)
    expr = ApplyOperation(op=rule.op, args=(*[entry.expr for entry in entries], *constants))
    bank.add(cost, rule.gives, expr, values)


def run_on(op: Op, vectors: Sequence[Sequence[Value]], constants: Sequence[Value] = ()) -> tuple[Value, ...]:
    """Return what an operation gives along the values of its arguments, `FAILED` where one of them is or it fails."""
    return tuple([_run(op, arguments, constants) for arguments in zip(*vectors, strict=True)])


def _run(op: Op, arguments: Sequence[Value], constants: Sequence[Value]) -> Value:
    if any(argument is FAILED for argument in arguments):
        return FAILED
    try:
        return op.run(*arguments, *constants)
    except (ValueError, TypeError, IndexError, KeyError, ArithmeticError, AttributeError):
        return FAILED


def _add(bank: Bank, cost: float, kind: str, expr: Expr) -> None:
    bank.add(cost, kind, expr, evaluated(expr, bank.task.inputs))


def evaluated(expr: Expr, inputs: Sequence[Value]) -> tuple[Value, ...]:
    """Return the value of an expression for every input, `FAILED` where it fails."""
    values: list[Value] = []
    for given in inputs:
        try:
            values.append(expr.value(TreeScope(given)))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            values.append(FAILED)
    return tuple(values)


def leaf_entries(task: SearchTask) -> Iterator[EnumeratedTerm]:
    """Yield every part of the inputs with its type, the numbers in texts, and the fields of lists of records."""
    examples = task.inputs[: task.count]
    whole = annotation(examples)
    for path in _paths(examples[0], _DEPTH):
        values = [leaf(value, path) for value in examples]
        kind = annotation(values)
        plain = "object" not in whole and len(path) <= 1
        if not plain and kind not in _TAKEN:
            continue
        if not steady(examples, path):
            continue
        expr: Expr = InputPart(path) if plain else call(_TAKEN[kind], InputPart(path))
        entry = EnumeratedTerm(0.3 + 0.1 * len(path), kind, expr, evaluated(expr, task.inputs))
        yield entry
        if kind.startswith("list[dict[str, "):
            yield from _plucked(task, entry)
    for cost, source, exact in (*number_sources(task.columns, task.count), *date_numbers(task)):
        inner = source.args[0] if isinstance(source, ApplyOperation) and source.op is WHOLE else None
        integral = all(value is not None and value[0] % 10 ** value[1] == 0 for value in exact[: task.count])
        made = inner if inner is not None else call(_COUNT if integral else _REAL, source)
        yield EnumeratedTerm(cost + 0.4, "int" if integral else "float", made, evaluated(made, task.inputs))


def _paths(value: Value, depth: int) -> Iterator[tuple[str | int, ...]]:
    yield ()
    if depth and isinstance(value, dict):
        for key, inner in value.items():
            yield from ((str(key), *rest) for rest in _paths(inner, depth - 1))
    elif depth and isinstance(value, list) and len(value) <= 6:
        for index, inner in enumerate(value):
            yield from ((index, *rest) for rest in _paths(inner, depth - 1))


def _plucked(task: SearchTask, entry: EnumeratedTerm) -> Iterator[EnumeratedTerm]:
    """Yield one field of every record in a list; of records with values of many kinds also those in its order."""
    records = [record for value in entry.values[: task.count] if isinstance(value, list) for record in value]
    keys = set.intersection(*[set(record) for record in records]) if records else set()
    plain = None if entry.kind == "list[dict[str, object]]" else element(element(entry.kind))
    for key in sorted(keys):
        kind = plain or annotation([record[key] for record in records])
        if plain or kind in _TAKEN:
            body = call(_TYPED_FIELD, LoopItem(), key) if plain else call(_TAKEN[kind], call(FIELD_OF, LoopItem(), key))
            expr = Each(source=entry.expr, body=body)
            yield EnumeratedTerm(entry.cost + 0.8, f"list[{kind}]", expr, evaluated(expr, task.inputs))
        if not plain and kind in ("int", "float", "str"):
            ordered = call(_SORTED_BY, entry.expr, key)
            yield EnumeratedTerm(entry.cost + 1.0, entry.kind, ordered, evaluated(ordered, task.inputs))


def _constants(task: SearchTask) -> tuple[tuple[Value, ...], tuple[str, ...]]:
    """Return the constants worth trying: small ones, and those that all outputs share."""
    numbers: list[Value] = [1, 2, 0, 3, 10, 100]
    flat = [inner for value in task.wanted for inner in _scalars(value)]
    if all(isinstance(value, list) for value in task.wanted) and len(flat) < 40:
        numbers += [value for value in dict.fromkeys(flat) if type(value) in (int, float)][:6]
    marks = [", ", ",", " ", "-", "", ";", "/", "\n", "|", ":", "."]
    texts = [str(text) for value in task.inputs[: task.count] for text in _scalars(value) if isinstance(text, str)]
    texts += [text for text in flat if isinstance(text, str)]
    return tuple(dict.fromkeys(numbers)), tuple(mark for mark in marks if any(mark in text for text in texts))


def _scalars(value: Value) -> Iterator[Value]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    else:
        yield value


def matching(bank: Bank, wanted: Sequence[Value], most: int) -> list[FittingProgram]:
    """Return the expressions of the bank that give what is wanted."""
    fitting = (entry for entry in bank.all() if gives(entry.values, wanted))
    return [FittingProgram(entry.cost, entry.expr, known_values(entry.values)) for entry in islice(fitting, most)]


_CHEAP = 1.8


def linear(bank: Bank, wanted: Sequence[Value]) -> list[FittingProgram]:
    """Return the wanted numbers as a multiple of a number in the inputs, perhaps with something added."""
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in wanted):
        return []
    found: list[FittingProgram] = []
    for entry in bank.all():
        if entry.kind in ("int", "float") and entry.cost < _CHEAP:
            expr = _line(entry, wanted, whole=all(isinstance(value, int) for value in wanted))
            values = evaluated(expr, bank.task.inputs) if expr is not None else ()
            if expr is not None and gives(values, wanted):
                found.append(FittingProgram(entry.cost + 3.2, expr, known_values(values)))
    return found[:4]


def _line(entry: EnumeratedTerm, wanted: Sequence[Value], *, whole: bool) -> Expr | None:
    """Return the straight line through the examples, if its slope is a simple fraction."""
    pairs = [(Fraction(str(a)), Fraction(str(b))) for a, b in zip(entry.values, wanted, strict=False)]
    (x, y), (u, v) = pairs[0], next((pair for pair in pairs if pair[0] != pairs[0][0]), pairs[0])
    if x == u:
        return None
    slope = (v - y) / (u - x)
    offset = y - slope * x
    simple = slope.limit_denominator(1000)
    if not simple or abs(simple - slope) > Fraction(1, 10**9) or (offset and len(pairs) < 3) or simple == 1:
        return None
    before = (offset / simple).limit_denominator(100)
    inner = entry.expr if not offset else call(ADD if before > 0 else SUBTRACT, entry.expr, _number(abs(before)))
    scaled = inner if abs(simple.numerator) == simple.numerator == 1 else call(MULTIPLY, inner, simple.numerator)
    if simple.denominator == 1:
        return scaled
    return call(FLOOR_DIVIDE if whole and entry.kind == "int" else DIVIDE, scaled, simple.denominator)


def _number(value: Fraction) -> Value:
    return value.numerator if value.denominator == 1 else float(value)
