"""The cheapest ways to write all outputs as pieces one after the other: a k-best path over places in the outputs."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterator, Sequence
from itertools import count as counter
from typing import NamedTuple

from mayfly.synthesis.examples._places import PlacedPieces
from mayfly.synthesis.examples._task import OutputPiece, SearchTask, Texts
from mayfly.synthesis.examples._tree import Concat, Expr, Literal

State = tuple[int, ...]
_APART = re.compile(r"[-–—~]|[^\W\d_]{2}")
_NAMES = re.compile(
    r"\b(?:(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*|may|[ap]m)\b",
    re.IGNORECASE,
)
_PATHS = 6
_LONG = 60
# Rivals that are so much dearer are not asked about.
_SLACK = 4.0
_MOST_STEPS = 4000


class FittingProgram(NamedTuple):
    """A program that fits all examples: its cost and what it gives for every input."""

    cost: float
    expr: Expr
    values: tuple[object, ...]


class _Path(NamedTuple):
    atom: OutputPiece
    before: _Path | None


def search(
    task: SearchTask, atoms: Sequence[OutputPiece], sources: Sequence[PlacedPieces], wanted: int
) -> list[FittingProgram]:
    """Return up to *wanted* candidates that differ in what they give, cheapest first."""
    goal = tuple(len(output) for output in task.outputs)
    start: State = (0,) * task.count
    order = counter()
    heap: list[tuple[float, int, State, _Path | None]] = [(0.0, next(order), start, None)]
    visits: dict[State, int] = {}
    edges: dict[State, list[OutputPiece]] = {}
    found: dict[Texts, FittingProgram] = {}
    steps = 0
    paths = min(_PATHS, wanted + 1)
    limit = math.inf
    while heap and len(found) < wanted and steps < _MOST_STEPS:
        cost, _, state, path = heapq.heappop(heap)
        if cost > limit:
            break
        if state == goal and path is not None:
            candidate = _candidate(cost, path, len(task.inputs))
            limit = min(limit, cost + _SLACK)
            found.setdefault(tuple(str(value) if value is not None else None for value in candidate.values), candidate)
            continue
        steps += 1
        if visits.get(state, 0) >= paths:
            continue
        visits[state] = visits.get(state, 0) + 1
        if state not in edges:
            task.check_time()
            edges[state] = _edges(task, state, atoms, sources)
        for atom in edges[state]:
            if path is not None and _both_constant(path.atom, atom):
                continue
            price = atom.cost + 0.3 + _fit(path, atom)
            after = tuple(place + len(value or "") for place, value in zip(state, atom.values, strict=False))
            if visits.get(after, 0) < paths and cost + price <= limit:
                heapq.heappush(heap, (cost + price, next(order), after, _Path(atom, path)))
    return sorted(found.values(), key=lambda candidate: candidate.cost)


def _fit(path: _Path | None, atom: OutputPiece) -> float:
    """Return what it costs or saves to put an atom after those of a path: parts of one date belong together."""
    if path is None:
        return 0.0
    before = path.atom.group
    if isinstance(path.atom.expr, Literal):
        before = path.before.atom.group if path.before is not None else (0, 0)
    apart = isinstance(path.atom.expr, Literal) and _APART.search(path.atom.values[0] or "") is not None
    if atom.group == before:
        return 0.0 if before == (0, 0) else -0.3 if apart else -0.5
    if isinstance(atom.expr, Literal):
        return 0.0
    if atom.group[0] == before[0]:
        return -0.45 if apart else -0.1
    return 1.2 if before != (0, 0) else 0.8


def _both_constant(first: OutputPiece, second: OutputPiece) -> bool:
    return isinstance(first.expr, Literal) and isinstance(second.expr, Literal)


def _edges(
    task: SearchTask, state: State, atoms: Sequence[OutputPiece], sources: Sequence[PlacedPieces]
) -> list[OutputPiece]:
    """Return the atoms that continue every output here, the cheapest for each vector of values."""
    best: dict[tuple[Texts, tuple[int, int]], OutputPiece] = {}
    for atom in _continuing(task, state, atoms, sources):
        key = (atom.values, atom.group)
        if key not in best or atom.cost < best[key].cost:
            best[key] = atom
    return sorted(best.values(), key=lambda atom: atom.cost)[:400]


def _continuing(
    task: SearchTask, state: State, atoms: Sequence[OutputPiece], sources: Sequence[PlacedPieces]
) -> Iterator[OutputPiece]:
    outputs = task.outputs
    yield from _constants(task, state)
    for atom in atoms:
        if _fits(atom, outputs, state):
            yield atom
    for source in sources:
        for atom in source.at(state):
            if _fits(atom, outputs, state):
                yield atom


def _fits(atom: OutputPiece, outputs: Sequence[str], state: State) -> bool:
    for output, value, place in zip(outputs, atom.values, state, strict=False):
        if not output.startswith(value or "", place):
            return False
    return True


def _constants(task: SearchTask, state: State) -> Iterator[OutputPiece]:
    rests = [output[place:] for output, place in zip(task.outputs, state, strict=True)]
    shortest = min(rests, key=len)
    size = 0
    while size < len(shortest) and all(rest[size] == shortest[size] for rest in rests):
        size += 1
    for length in sorted({*range(1, min(size, _LONG) + 1), size} - {0}):
        text = shortest[:length]
        yield OutputPiece(constant_cost(task, text), Literal(text), (text,) * len(task.inputs))


def constant_cost(task: SearchTask, text: str) -> float:
    """Return what writing a constant costs: letters more than marks, and more if the inputs hold them anyway."""
    solid = [char for char in text if char.isalnum()]
    digits = [char for char in solid if char.isdigit()]
    cost = (
        0.6
        + 0.7 * min(len(solid), 12)
        + (1.2 + 0.8 * min(len(digits), 4) if digits else 0.0)
        + 0.15 * min(len(text) - len(solid), 20)
    )
    if solid and any(text.strip() in (column.texts[0] or "") for column in task.columns):
        cost += 1.5
    if _NAMES.search(text):
        cost += 1.5
    if task.count == 1 and solid:
        cost += 0.5 * min(len(solid), 8)
    return cost


def _candidate(cost: float, path: _Path, size: int) -> FittingProgram:
    atoms: list[OutputPiece] = []
    step: _Path | None = path
    while step is not None:
        atoms.append(step.atom)
        step = step.before
    atoms.reverse()
    parts = [atom.expr for atom in atoms]
    expr = parts[0] if len(parts) == 1 else Concat(tuple(parts))
    values = tuple(_joined([atom.values[index] for atom in atoms]) for index in range(size))
    return FittingProgram(cost, expr, values)


def _joined(values: list[str | None]) -> str | None:
    return None if None in values else "".join(value or "" for value in values)
