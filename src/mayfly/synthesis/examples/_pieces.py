"""Whole pieces of the input: words, fields, matches, what stands between marks, and their first or last letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from mayfly.synthesis.examples._ops import (
    CAPITALIZE,
    ENCLOSED,
    FIELD,
    FIRST,
    FROM,
    LAST,
    LOWER,
    PIECE,
    STRIP,
    TITLE,
    UNTIL,
    UPPER,
    WORD,
    ZFILL,
    call,
)
from mayfly.synthesis.examples._places import TOKENS, marks, output_shape
from mayfly.synthesis.examples._task import InputColumn, OutputPiece, SearchTask, Texts, as_texts, computed
from mayfly.synthesis.examples._tree import Expr, Op, Value

_PAIRS = ("()", "[]", "<>", "{}", '""', "''", "><")
_MOST = 8
_CASES: tuple[tuple[Op, float], ...] = ((LOWER, 0.8), (UPPER, 0.8), (CAPITALIZE, 0.9), (TITLE, 1.0))


class AtomPool:
    """Collect atoms whose values occur in the outputs, the cheapest for each vector of values."""

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.lowered = [output.lower() for output in task.outputs]
        self.best: dict[tuple[Texts, int], OutputPiece] = {}
        self.group = (0, 0)

    def offer(self, cost: float, expr: Expr, values: Texts) -> None:
        """Take an atom if all outputs hold its values, somewhere and not all empty."""
        known = values[: self.task.count]
        if not any(known):
            return
        for value, output in zip(known, self.task.outputs, strict=True):
            if value is None or value not in output:
                return
        key = (values, hash(self.group))
        if key not in self.best or cost < self.best[key].cost:
            self.best[key] = OutputPiece(cost, expr, values, self.group)

    def near(self, values: Texts) -> bool:
        """Whether the outputs hold the values if case does not matter."""
        known = values[: self.task.count]
        return all(value and value.lower() in output for value, output in zip(known, self.lowered, strict=True))

    def offer_changed(self, cost: float, op: Op, expr: Expr, values: Texts, *args: Value) -> None:
        """Offer the values changed by an operation."""
        changed = mapped(lambda value: op.run(value, *args), values)
        if changed != values:
            self.offer(cost, call(op, expr, *args), changed)

    def offer_cased(self, cost: float, expr: Expr, values: Texts) -> None:
        """Offer the values as they are and in every case."""
        if not self.near(values):
            return
        self.offer(cost, expr, values)
        for op, more in _CASES:
            self.offer_changed(cost + more, op, expr, values)

    def offer_all(self, cost: float, expr: Expr, values: Texts) -> None:
        """Offer the values, in every case, and their first and last letters."""
        self.offer_cased(cost, expr, values)
        known = [value for value in values[: self.task.count] if value]
        if len(known) < self.task.count:
            return
        sizes = [len(value) for value in known]
        for size in range(1, min(5, max(sizes))):
            cuts = [(FIRST, cost + 0.7 + 0.2 * size), (LAST, cost + 0.9 + 0.2 * size)]
            if min(sizes) > size:
                cuts += [(FROM, cost + 1.7 + 0.3 * size), (UNTIL, cost + 1.5 + 0.3 * size)]
            for op, dearer in cuts:
                cut = mapped(lambda value, op=op, size=size: op.run(value, size), values)
                self.offer_cased(dearer, call(op, expr, size), cut)
        if all(value.isdigit() for value in known):
            for width in range(max(sizes), 11):
                self.offer_changed(cost + 1.0, ZFILL, expr, values, width)

    def atoms(self) -> list[OutputPiece]:
        """Return what was collected."""
        return list(self.best.values())


def mapped(function: Callable[..., Value], values: Texts) -> Texts:
    """Apply a function to every value that is there; where it fails there is no value."""
    return as_texts(computed(function, values))


def add_pieces(pool: AtomPool, column: InputColumn) -> None:
    """Offer every piece of one column."""
    best: dict[Texts, OutputPiece] = {}
    for atom in pieces(column, pool.task.count):
        if atom.values not in best or atom.cost < best[atom.values].cost:
            best[atom.values] = atom
    for cost, expr, values, _ in best.values():
        pool.task.check_time()
        pool.offer_all(cost, expr, values)
    shape = output_shape(pool.task.outputs)
    if shape:
        for cost, expr, values, _ in _counted(column, pool.task.count, _matches(shape), 1.5, PIECE, (shape,)):
            pool.offer(cost, expr, values)


def pieces(column: InputColumn, count: int) -> Iterator[OutputPiece]:
    """Yield the column as a whole and every word, field, match and enclosed part of it."""
    texts = [text for text in column.texts[:count] if text is not None]
    yield OutputPiece(0.5, column.expr, column.texts)
    stripped = mapped(str.strip, column.texts)
    if stripped != column.texts:
        yield OutputPiece(0.9, call(STRIP, column.expr), stripped)
    yield from _counted(column, count, lambda text: text.split(), 0.9, WORD, ())
    for mark in marks(texts):
        if mark != " ":
            yield from _counted(column, count, _fields(mark), 1.0, FIELD, (mark,))
    for pattern, cost in TOKENS.items():
        yield from _counted(column, count, _matches(pattern), 1.1 + cost, PIECE, (pattern,))
    for mark in marks(texts):
        if not mark.isspace():
            pattern = rf"\S*{re.escape(mark)}\S*"
            yield from _counted(column, count, _matches(pattern), 1.6, PIECE, (pattern,))
    yield from _enclosed(column, count, texts)


def _counted(
    column: InputColumn, count: int, split: Callable[[str], Sequence[str]], cost: float, op: Op, args: tuple[str, ...]
) -> Iterator[OutputPiece]:
    """Yield the parts that a way of splitting gives, counted from the start and from the end."""
    parts = [None if text is None else split(text) for text in column.texts]
    least = min(len(part) for part in parts[:count] if part is not None)
    if least == 1 and all(part is not None and len(part) == 1 for part in parts[:count]) and op is not PIECE:
        return
    for index in range(min(least, _MOST)):
        for place, more in ((index, 0.2 * index), (-index - 1, 0.2 * index + 0.12)):
            values = tuple(
                [None if part is None or not -len(part) <= place < len(part) else part[place] for part in parts]
            )
            yield OutputPiece(cost + more, call(op, column.expr, *args, place), values)


def _fields(mark: str) -> Callable[[str], list[str]]:
    return lambda text: [part.strip() for part in text.split(mark)] if mark in text else []


def _matches(pattern: str) -> Callable[[str], list[str]]:
    compiled = re.compile(pattern)
    return lambda text: [match.group() for match in compiled.finditer(text)]


def _enclosed(column: InputColumn, count: int, texts: list[str]) -> Iterator[OutputPiece]:
    found = marks(texts)
    pairs = [(pair[0], pair[1], 0.0) for pair in _PAIRS if pair[0] in found and pair[1] in found]
    others = [mark for mark in found if mark not in "()[]<>{}\"'"]
    pairs += [(left, right, 0.5) for left in others for right in others]
    for left, right, more in pairs[:64]:
        pattern = re.compile(re.escape(left) + "(.*?)" + re.escape(right), re.DOTALL)
        yield from _counted(column, count, pattern.findall, 1.1 + more, ENCLOSED, (left, right))
