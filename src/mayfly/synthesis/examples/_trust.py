"""Whether the leading program may be believed: rivals that behave otherwise, and examples held out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.core import same
from mayfly.synthesis.examples._ops import LOOKED_UP
from mayfly.synthesis.examples._search import Candidate
from mayfly.synthesis.examples._solve import solve
from mayfly.synthesis.examples._task import OutOfTime, Task
from mayfly.synthesis.examples._tree import Apply, Choose, Expr, Literal, Value, walk

_HELD_OUT = 4
_FEW = 6


@dataclass(frozen=True, kw_only=True)
class Trust:
    """What speaks for the leading program and what against."""

    margin: float
    held_out: int
    predicted: int
    thin_arms: bool
    table: bool
    mixed: bool
    failing: float
    odd: float
    probed: bool

    def confident(self, count: int) -> bool:
        """Whether to claim that the program is right.

        One example proves nothing, and two only where further inputs are known. An arm or a table that rests on one
        example each, a failure on a further input, or a mixture of notations of which others may be missing, is no
        ground for a claim either. Otherwise rivals have to be well behind, and most examples predicted by the others.
        """
        if count < 2 or self.table or self.thin_arms or self.failing or (self.mixed and count < 6):
            return False
        if count == 2:
            return self.probed and self.margin >= 0.7 and self.predicted >= 1 and self.odd <= 0.2
        return self.margin >= 0.25 and self.predicted * 3 >= self.held_out * 2


def weigh(task: Task, candidates: Sequence[Candidate]) -> Trust:
    """Measure everything that `Trust` says about the first candidate."""
    lead = candidates[0]
    thin = _thin(lead.expr, task)
    table = any(isinstance(part, Apply) and part.op is LOOKED_UP for part in walk(lead.expr))
    held, predicted = (0, 0) if task.count < 2 or thin or table else _held_out(task)
    given = lead.values[task.count :]
    failing = sum(value is None for value in given) / len(given) if given and task.probed else 0.0
    return Trust(
        margin=_margin(task, candidates),
        held_out=held,
        predicted=predicted,
        thin_arms=thin,
        table=table,
        mixed=not task.probed and _mixed(lead.expr),
        failing=failing,
        odd=oddness(lead, task),
        probed=task.probed,
    )


def _margin(task: Task, candidates: Sequence[Candidate]) -> float:
    """Return by how much the cheapest rival is dearer that gives something else for some input."""
    lead = candidates[0]
    for rival in candidates[1:]:
        if differing(lead, rival, task.count) is not None:
            return rival.cost - lead.cost
    return 9.0


def differing(first: Candidate, second: Candidate, start: int) -> int | None:
    """Return the first input, from *start* on, for which both give something and not the same."""
    pairs = zip(first.values[start:], second.values[start:], strict=True)
    for index, (left, right) in enumerate(pairs, start):
        if left is not None and right is not None and not same(left, right):
            return index
    return None


def _held_out(task: Task) -> tuple[int, int]:
    """Leave examples out one by one; return how often that was tried and how often the left-out one was predicted."""
    tried = predicted = 0
    alone = task.without_challenges()
    for left_out in range(min(task.count, _HELD_OUT)):
        chosen = [index for index in range(task.count) if index != left_out]
        try:
            found = solve(alone.part(chosen), 1)
        except OutOfTime:
            break
        tried += 1
        predicted += bool(found) and same(found[0].values[len(chosen)], task.wanted[left_out])
    return tried, predicted


def _thin(expr: Expr, task: Task) -> bool:
    """Whether some arm of a condition rests on a single example."""
    from mayfly.synthesis.examples._enumerate import evaluated

    for part in walk(expr):
        if not isinstance(part, Choose):
            continue
        left = list(task.inputs[: task.count])
        for test, _ in part.arms:
            answers = evaluated(test, left)
            chosen = [value for value, answer in zip(left, answers, strict=True) if answer is True]
            left = [value for value, answer in zip(left, answers, strict=True) if answer is not True]
            if len(chosen) < 2:
                return True
        if len(left) < 2:
            return True
    return False


def _mixed(expr: Expr) -> bool:
    """Whether the inputs come in so many notations that a whole table of them is needed."""
    return any(
        isinstance(part, Literal) and isinstance(part.constant, tuple) and len(part.constant) > _FEW
        for part in walk(expr)
    )


def oddness(candidate: Candidate, task: Task) -> float:
    """Return for which share of the further inputs the output looks like none of the wanted ones."""
    given = [value for value in candidate.values[task.count :] if value is not None]
    if not given:
        return 0.0
    known = {_look(value) for value in task.wanted}
    return sum(_look(value) not in known for value in given) / len(given)


def _look(value: Value) -> str:
    if isinstance(value, str):
        return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", value))[:80]
    if isinstance(value, dict):
        return ",".join(value)
    return type(value).__name__
