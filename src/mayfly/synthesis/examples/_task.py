"""One job of synthesis: the texts that examples and further inputs offer, and the texts that are wanted."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from mayfly.synthesis.examples._ops import STRING, call, helper
from mayfly.synthesis.examples._tree import Expr, InputPart, TreeScope, Value

Texts = tuple[str | None, ...]
_TEXT_OF = helper("text_of", words="{0}")
_MOST_CHALLENGES = 12
_MOST_COLUMNS = 24
_DEPTH = 3


def computed(function: Callable[..., Value], *vectors: Sequence[Value]) -> tuple[Value, ...]:
    """Apply a function along vectors; where an argument is missing or it fails there is no value."""
    made: list[Value] = []
    for values in zip(*vectors, strict=True):
        try:
            made.append(None if None in values else function(*values))
        except (ValueError, OverflowError):
            made.append(None)
    return tuple(made)


def as_texts(values: Sequence[Value]) -> Texts:
    """Return values as texts."""
    return tuple(None if value is None else str(value) for value in values)


class OutputPiece(NamedTuple):
    """A piece of output with its cost, and its value for every input (None where it fails).

    Pieces of one date belong together: the group names the date and, where there are several roundings of it, which.
    """

    cost: float
    expr: Expr
    values: Texts
    group: tuple[int, int] = (0, 0)


class InputColumn(NamedTuple):
    """A text that every example input has."""

    expr: Expr
    texts: Texts


class SearchTimeout(Exception):
    """The time given is over."""


@dataclass(frozen=True, kw_only=True)
class SearchTask:
    """The inputs (examples first, then challenges), the columns of text in them and the wanted texts.

    Spare columns are those that some examples lack; they serve where the task is parted.
    """

    inputs: tuple[Value, ...]
    outputs: tuple[str, ...]
    columns: tuple[InputColumn, ...]
    deadline: float
    wanted: tuple[Value, ...] = ()
    spare: tuple[InputColumn, ...] = ()
    probed: bool = False

    @property
    def count(self) -> int:
        """How many examples there are."""
        return len(self.outputs)

    def check_time(self) -> None:
        """Stop here if the time is over."""
        if time.thread_time() > self.deadline:
            raise SearchTimeout

    def without_challenges(self) -> SearchTask:
        """Return the task with its examples only."""
        columns = tuple(InputColumn(column.expr, column.texts[: self.count]) for column in self.columns)
        return replace(self, inputs=self.inputs[: self.count], columns=columns, probed=False)

    def part(self, chosen: Sequence[int]) -> SearchTask:
        """Return the task with some of the examples; the others become challenges."""
        rest = [index for index in range(len(self.inputs)) if index not in chosen]
        order = [*chosen, *rest]
        every = (*self.columns, *self.spare)
        columns = [InputColumn(column.expr, tuple(column.texts[index] for index in order)) for column in every]
        return SearchTask(
            inputs=tuple(self.inputs[index] for index in order),
            outputs=tuple(self.outputs[index] for index in chosen),
            wanted=tuple(self.wanted[index] for index in chosen),
            columns=tuple(column for column in columns if None not in column.texts[: len(chosen)]),
            spare=tuple(column for column in columns if None in column.texts[: len(chosen)]),
            deadline=self.deadline,
            probed=self.probed,
        )


def make_task(
    inputs: Sequence[Value], wanted: Sequence[Value], challenges: Sequence[Value], *, deadline: float, probed: bool
) -> SearchTask:
    """Make the task of computing what is *wanted*, with a column for every text and number inside the inputs."""
    everything = (*inputs, *challenges)
    columns = list(_columns(everything, len(inputs)))
    return SearchTask(
        inputs=everything,
        outputs=tuple(value if isinstance(value, str) else "" for value in wanted),
        wanted=tuple(wanted),
        columns=tuple(column for column in columns if None not in column.texts[: len(inputs)]),
        spare=tuple(column for column in columns if None in column.texts[: len(inputs)]),
        deadline=deadline,
        probed=probed and bool(challenges),
    )


def _columns(inputs: Sequence[Value], count: int) -> Iterator[InputColumn]:
    paths = [path for path in islice(leaves(inputs[0]), _MOST_COLUMNS) if steady(inputs[:count], path)]
    plain = all(isinstance(leaf(value, path), str) for value in inputs[:count] for path in paths)
    for path in paths:
        texts = tuple(_text(leaf(value, path)) for value in inputs)
        yield InputColumn(_column_expr(path, inputs[:count], plain), texts)


def steady(inputs: Sequence[Value], path: tuple[str | int, ...]) -> bool:
    """Whether every list on the way has the same length in all inputs, so that a position in it means something."""
    for depth, step in enumerate(path):
        if isinstance(step, int):
            held = [leaf(value, path[:depth]) for value in inputs]
            if len({len(each) if isinstance(each, list) else -1 for each in held}) > 1:
                return False
    return True


def _column_expr(path: tuple[str | int, ...], inputs: Sequence[Value], plain: bool) -> Expr:
    values = [leaf(value, path) for value in inputs]
    if plain and len(path) <= 1:
        return InputPart(path)
    if not path:
        return call(STRING, InputPart())
    if all(type(value) is int for value in values) and _all_of(inputs, int):
        return call(STRING, InputPart(path))
    return call(_TEXT_OF, InputPart(path))


def _all_of(inputs: Sequence[Value], kind: type) -> bool:
    return all(type(leaf(value, path)) is kind for value in inputs for path in leaves(value))


def leaves(value: Value, depth: int = _DEPTH) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to every scalar in a value."""
    if isinstance(value, Mapping) and depth:
        for key, inner in value.items():
            yield from ((str(key), *rest) for rest in leaves(inner, depth - 1))
    elif isinstance(value, (list, tuple)) and depth:
        for index, inner in enumerate(value):
            yield from ((index, *rest) for rest in leaves(inner, depth - 1))
    else:
        yield ()


def leaf(value: Value, path: tuple[str | int, ...]) -> Value:
    """Return what the path leads to, or None."""
    try:
        return InputPart(path).value(TreeScope(value))
    except ValueError:
        return None


def _text(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return None


def variations(inputs: Sequence[Value]) -> list[Value]:
    """Make further inputs of the same shape as the examples, by small edits and by mixing them."""
    made: list[Value] = []
    for index, value in enumerate(inputs[:4]):
        other = inputs[(index + 1) % len(inputs)]
        for place, path in enumerate(islice(leaves(value), 4)):
            text, second = leaf(value, path), leaf(other, path)
            if isinstance(text, str):
                near = second if isinstance(second, str) else text
                made.extend(put(value, path, edited) for edited in _edits(text, near, index + place))
            elif isinstance(text, (int, float)) and not isinstance(text, bool):
                made.extend(put(value, path, text + extra) for extra in (1, 7, 10))
    distinct: list[Value] = []
    for value in made:
        if value not in distinct and value not in inputs:
            distinct.append(value)
    return distinct[:_MOST_CHALLENGES]


def _edits(text: str, near: str, turn: int) -> Iterator[str]:
    """Mix a text with another of the same shape; make one of its words or numbers longer or shorter."""
    runs, others = re.findall(r"\w+|\W+", text), re.findall(r"\w+|\W+", near)
    if len(runs) == len(others) > 1:
        yield "".join(
            mine if index % 2 == turn % 2 else theirs
            for index, (mine, theirs) in enumerate(zip(runs, others, strict=True))
        )
    if re.fullmatch(r"-?\d+\.\d+", text):
        yield text + "7"
    places = [index for index, run in enumerate(runs) if run[0].isalnum()]
    for shift in range(min(3, len(places))):
        place = places[(turn + shift) % len(places)]
        run = runs[place]
        if run[-1].isdigit():
            changed = run[:-1] + str((int(run[-1]) + (1, 5, 3)[shift]) % 10)
        else:
            changed = run + run[-1] if shift % 2 == 0 or len(run) < 3 else run[:-1]
        yield "".join([*runs[:place], changed, *runs[place + 1 :]])


def put(value: Value, path: tuple[str | int, ...], new: Value) -> Value:
    """Return a copy of a value with one scalar changed."""
    if not path:
        return new
    if isinstance(value, Mapping):
        return {key: put(inner, path[1:], new) if key == path[0] else inner for key, inner in value.items()}
    assert isinstance(value, (list, tuple))
    return [put(inner, path[1:], new) if index == path[0] else inner for index, inner in enumerate(value)]
