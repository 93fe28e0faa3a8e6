"""Questions about the inputs, and programs with conditions: each part of the examples is solved apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mayfly.synthesis.examples._ops import (
    CONTAINS,
    ENDS,
    HAS,
    IS_ALL,
    IS_EMPTY,
    IS_LOWER,
    IS_UPPER,
    LONGER,
    LOOKED_UP,
    NUMBER_IN,
    STARTS,
    WORD_COUNT,
    call,
    helper,
    native,
)
from mayfly.synthesis.examples._search import FittingProgram
from mayfly.synthesis.examples._task import InputColumn, SearchTask, leaf, leaves
from mayfly.synthesis.examples._tree import Choose, Expr, InputPart, Literal, Op, Value

_FORMS = {
    r"\d+": 0.2,
    r"[^\W\d_]+": 0.3,
    r"\w+": 0.5,
    r"[-+]?\d+(?:[.,]\d+)*": 0.4,
    r"[A-Z]+": 0.4,
    r"\s*": 0.3,
}
_PATTERNS = {r"\d": 0.3, r"[^\W\d_]": 0.3, r"[A-Z]": 0.5, r"[a-z]": 0.5, r"\s": 0.4, r"^\d": 0.5, r"\d$": 0.5}
_MOST = 60
_IS_NONE = native("is missing", "{0} is None", returns="bool", loose=True, words="{0} is missing")
_TRUTH = helper("truth_of", "bool", words="{0}")
_EQUALS = native("equals", "{0} == {1}", returns="bool", loose=True, words="{0} is {1}")
_BELOW = helper("is_below", "bool", words="{0} is below {1}")


class Condition(NamedTuple):
    """A question with its cost and its answer for every input."""

    cost: float
    expr: Expr
    answers: tuple[bool, ...]


def conditions(task: SearchTask) -> list[Condition]:
    """Return questions that part the examples, cheapest first, one for each way of parting them and of answering."""
    best: dict[tuple[bool, ...], Condition] = {}
    for cost, expr, answers in questions(task):
        known = answers[: task.count]
        if all(known) or not any(known):
            continue
        if answers not in best or cost < best[answers].cost:
            best[answers] = Condition(cost, expr, answers)
    return sorted(best.values(), key=lambda condition: condition.cost)[:_MOST]


def questions(task: SearchTask) -> Iterator[Condition]:
    """Yield every question that is tried, also those that do not part the examples."""
    yield from _scalars(task)
    for column in task.columns:
        yield from _forms(column)
        yield from _marks(column, task.count)
        yield from _sizes(column, task.count)
        yield from _thresholds(column, task.count)


def _ask(op: Op, column: InputColumn, cost: float, *args: Value) -> Condition:
    answers = tuple(text is not None and bool(op.run(text, *args)) for text in column.texts)
    return Condition(cost, call(op, column.expr, *args), answers)


def _forms(column: InputColumn) -> Iterator[Condition]:
    yield _ask(IS_EMPTY, column, 0.1)
    yield _ask(IS_UPPER, column, 0.5)
    yield _ask(IS_LOWER, column, 0.5)
    for pattern, cost in _FORMS.items():
        yield _ask(IS_ALL, column, 0.6 + cost, pattern)
    for pattern, cost in _PATTERNS.items():
        yield _ask(HAS, column, 0.6 + cost, pattern)


def _marks(column: InputColumn, count: int) -> Iterator[Condition]:
    known = [text or "" for text in column.texts[:count]]
    for mark in sorted({char for text in known for char in text if not char.isalnum()}):
        yield _ask(CONTAINS, column, 0.5, mark)
        yield _ask(STARTS, column, 0.6, mark)
        yield _ask(ENDS, column, 0.6, mark)
    words = {word for text in known for word in re.findall(r"[^\W\d_]{2,}", text)}
    for word in sorted(words)[:40]:
        yield _ask(CONTAINS, column, 1.0, word)
    for text in known:
        if first := re.match(r"[^\W\d_]{4,}", text):
            yield _ask(STARTS, column, 1.2, first[0])
        if last := re.search(r"[^\W\d_]{2,}$", text):
            yield _ask(ENDS, column, 1.2, last[0])
    for size in (1, 2, 3):
        for text in known:
            if len(text) > size and text[:size].isalnum():
                yield _ask(STARTS, column, 1.9 if text[:size].isdigit() else 1.2, text[:size])
    for text in known:
        if text:
            yield _ask(_EQUALS, column, 1.6, text)


def _sizes(column: InputColumn, count: int) -> Iterator[Condition]:
    known = [text or "" for text in column.texts[:count]]
    for size in sorted({len(text) for text in known})[:-1]:
        yield _ask(LONGER, column, 1.3, size)
    for size in sorted({len(text.split()) for text in known})[:-1]:
        yield _ask(WORD_COUNT, column, 0.9, size)


def _thresholds(column: InputColumn, count: int) -> Iterator[Condition]:
    """Yield comparisons of the first number with round constants between the examples' numbers."""
    try:
        numbers = [NUMBER_IN.run(text, 0) for text in column.texts[:count] if text is not None]
    except ValueError:
        return
    values = sorted({_as_float(number) for number in numbers})
    for low, high in pairwise(values):
        limit = _round_between(low, high)
        units, places = int(limit * 100), 2
        while places and units % 10 == 0:
            units, places = units // 10, places - 1
        yield _ask_number(column, units, places)


def _as_float(number: Value) -> float:
    assert isinstance(number, tuple)
    return float(number[0] / 10 ** number[1])


def _ask_number(column: InputColumn, units: int, places: int) -> Condition:
    def below(text: str | None) -> bool:
        try:
            return text is not None and bool(_BELOW.run(NUMBER_IN.run(text, 0), units, places))
        except ValueError:
            return False

    expr = call(_BELOW, call(NUMBER_IN, column.expr, 0), units, places)
    return Condition(1.4, expr, tuple(below(text) for text in column.texts))


def _round_between(low: float, high: float) -> float:
    """Return the roundest number above *low* and not above *high*."""
    for power in range(6, -3, -1):
        size = 10.0**power
        for factor in (1.0, 0.5):
            step = size * factor
            candidate = (int(low / step) + 1) * step if low >= 0 else -int(-low / step) * step
            if low < candidate <= high:
                return candidate
    return high


def _scalars(task: SearchTask) -> Iterator[Condition]:
    """Yield questions about parts of the input that are missing, true, or equal to a short constant."""
    paths = {path for value in task.inputs[: task.count] for path in leaves(value)}
    for path in sorted(paths, key=str)[:12]:
        values = [leaf(value, path) for value in task.inputs]
        known = values[: task.count]
        if None in known:
            yield Condition(0.2, call(_IS_NONE, InputPart(path)), tuple(value is None for value in values))
        if any(isinstance(value, bool) for value in known) and all(isinstance(value, bool) for value in known):
            yield Condition(0.1, call(_TRUTH, InputPart(path)), tuple(value is True for value in values))


Writer = Callable[[SearchTask, int], list[FittingProgram]]
_CHOICE = 2.5
_MOST_SPLITS = 24


def branch(task: SearchTask, wanted: int, write: Writer, *, depth: int = 1) -> list[FittingProgram]:
    """Return programs with up to two conditions, cheapest first."""
    solver = _Solver(task, write, depth)
    found: list[FittingProgram] = []
    for condition in conditions(task)[:_MOST_SPLITS]:
        task.check_time()
        yes = [index for index in range(task.count) if condition.answers[index]]
        no = [index for index in range(task.count) if not condition.answers[index]]
        first = solver.arm(yes)
        second = solver.arm(no) if first else []
        if first and second:
            found.extend(_joined(condition, first, second))
    distinct: dict[str, FittingProgram] = {}
    for candidate in sorted(found, key=lambda each: each.cost):
        distinct.setdefault(repr(candidate.values), candidate)
    return list(distinct.values())[:wanted]


def _joined(
    condition: Condition, first: Sequence[FittingProgram], second: Sequence[FittingProgram]
) -> list[FittingProgram]:
    """Join the best of both arms, and each of them with the second best of the other."""
    pairs = [(yes, no) for yes in first[:2] for no in second[:2]]
    made: list[FittingProgram] = []
    for yes, no in pairs:
        values = tuple(
            a if answer else b for a, b, answer in zip(yes.values, no.values, condition.answers, strict=True)
        )
        made.append(
            FittingProgram(
                yes.cost + no.cost + condition.cost + _CHOICE, _choose(condition.expr, yes.expr, no.expr), values
            )
        )
    return made


def _choose(test: Expr, yes: Expr, no: Expr) -> Choose:
    if isinstance(no, Choose):
        return Choose(arms=((test, yes), *no.arms), otherwise=no.otherwise)
    return Choose(arms=((test, yes),), otherwise=no)


class _Solver:
    """Solve arms, each set of examples once."""

    def __init__(self, task: SearchTask, write: Writer, depth: int) -> None:
        self.task, self.write, self.depth = task, write, depth
        self.known: dict[tuple[int, ...], list[FittingProgram]] = {}

    def arm(self, chosen: list[int]) -> list[FittingProgram]:
        """Return the programs for some of the examples, with their values in the order of the whole task."""
        key = tuple(chosen)
        if key not in self.known:
            part = self.task.part(chosen)
            found = self.write(part, 2)
            if not found and self.depth and len(chosen) > 1:
                found = branch(part, 2, self.write, depth=self.depth - 1)
            self.known[key] = [self._restored(candidate, chosen) for candidate in found]
        return self.known[key]

    def _restored(self, candidate: FittingProgram, chosen: list[int]) -> FittingProgram:
        rest = [index for index in range(len(self.task.inputs)) if index not in chosen]
        values: list[object] = [None] * len(self.task.inputs)
        for value, index in zip(candidate.values, [*chosen, *rest], strict=True):
            values[index] = value
        return candidate._replace(values=tuple(values))


def look_up(task: SearchTask) -> list[FittingProgram]:
    """Return programs that only know the examples: a table from one column to the output."""
    found: list[FittingProgram] = []
    for column in task.columns:
        table: dict[str, str] = {}
        pairs = list(zip(column.texts, task.outputs, strict=False))
        for text, output in pairs:
            table.setdefault(text or "", output)
        if all(table[text or ""] == output for text, output in pairs):
            values = tuple(None if text is None else table.get(text) for text in column.texts)
            size = sum(min(len(text), 20) + min(len(output), 20) for text, output in table.items())
            found.append(
                FittingProgram(4.0 + len(table) + 0.45 * size, call(LOOKED_UP, Literal(table), column.expr), values)
            )
    return found[:1]
