"""Programs with conditions: examples are parted by a question about the input, and each part is solved apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mayfly.synthesis.examples._conditions import Condition, conditions
from mayfly.synthesis.examples._ops import LOOKED_UP, call
from mayfly.synthesis.examples._search import Candidate
from mayfly.synthesis.examples._task import Task
from mayfly.synthesis.examples._tree import Choose, Expr, Literal

Writer = Callable[[Task, int], list[Candidate]]
_CHOICE = 2.5
_MOST_SPLITS = 24


def branch(task: Task, wanted: int, write: Writer, *, depth: int = 1) -> list[Candidate]:
    """Return programs with up to two conditions, cheapest first."""
    solver = _Solver(task, write, depth)
    found: list[Candidate] = []
    for condition in conditions(task)[:_MOST_SPLITS]:
        task.check_time()
        yes = [index for index in range(task.count) if condition.answers[index]]
        no = [index for index in range(task.count) if not condition.answers[index]]
        first = solver.arm(yes)
        second = solver.arm(no) if first else []
        if first and second:
            found.extend(_joined(condition, first, second))
    distinct: dict[str, Candidate] = {}
    for candidate in sorted(found, key=lambda each: each.cost):
        distinct.setdefault(repr(candidate.values), candidate)
    return list(distinct.values())[:wanted]


def _joined(condition: Condition, first: Sequence[Candidate], second: Sequence[Candidate]) -> list[Candidate]:
    """Join the best of both arms, and each of them with the second best of the other."""
    pairs = [(yes, no) for yes in first[:2] for no in second[:2]]
    made: list[Candidate] = []
    for yes, no in pairs:
        values = tuple(
            a if answer else b for a, b, answer in zip(yes.values, no.values, condition.answers, strict=True)
        )
        made.append(
            Candidate(yes.cost + no.cost + condition.cost + _CHOICE, _choose(condition.expr, yes.expr, no.expr), values)
        )
    return made


def _choose(test: Expr, yes: Expr, no: Expr) -> Choose:
    if isinstance(no, Choose):
        return Choose(arms=((test, yes), *no.arms), otherwise=no.otherwise)
    return Choose(arms=((test, yes),), otherwise=no)


class _Solver:
    """Solve arms, each set of examples once."""

    def __init__(self, task: Task, write: Writer, depth: int) -> None:
        self.task, self.write, self.depth = task, write, depth
        self.known: dict[tuple[int, ...], list[Candidate]] = {}

    def arm(self, chosen: list[int]) -> list[Candidate]:
        """Return the programs for some of the examples, with their values in the order of the whole task."""
        key = tuple(chosen)
        if key not in self.known:
            part = self.task.part(chosen)
            found = self.write(part, 2)
            if not found and self.depth and len(chosen) > 1:
                found = branch(part, 2, self.write, depth=self.depth - 1)
            self.known[key] = [self._restored(candidate, chosen) for candidate in found]
        return self.known[key]

    def _restored(self, candidate: Candidate, chosen: list[int]) -> Candidate:
        rest = [index for index in range(len(self.task.inputs)) if index not in chosen]
        values: list[object] = [None] * len(self.task.inputs)
        for value, index in zip(candidate.values, [*chosen, *rest], strict=True):
            values[index] = value
        return candidate._replace(values=tuple(values))


def look_up(task: Task) -> list[Candidate]:
    """Return programs that only know the examples: a table from one column to the output."""
    found: list[Candidate] = []
    for column in task.columns:
        table: dict[str, str] = {}
        pairs = list(zip(column.texts, task.outputs, strict=False))
        for text, output in pairs:
            table.setdefault(text or "", output)
        if all(table[text or ""] == output for text, output in pairs):
            values = tuple(None if text is None else table.get(text) for text in column.texts)
            size = sum(min(len(text), 20) + min(len(output), 20) for text, output in table.items())
            found.append(
                Candidate(4.0 + len(table) + 0.45 * size, call(LOOKED_UP, Literal(table), column.expr), values)
            )
    return found[:1]
