"""Whether the leading program may be believed: rivals that behave otherwise, and examples held out."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.core import same
from mayfly.synthesis.examples._decisions import Doubt
from mayfly.synthesis.examples._ops import CONTAINS, ENDS, LOOKED_UP, STARTS
from mayfly.synthesis.examples._search import FittingProgram
from mayfly.synthesis.examples._solve import solve
from mayfly.synthesis.examples._task import SearchTask, SearchTimeout
from mayfly.synthesis.examples._tree import ApplyOperation, Choose, Expr, Literal, TreeScope, Value, walk

# The numbers below were chosen on four folds of tasks and measured on the fifth (bench/by_example.py).
# A rival that is dearer by one has a seventh of the weight (e to the power of minus two).
_SHARPNESS = 2.0
# What weight the leading answer needs on every further input; at 0.5 too many claims are wrong, at 0.7 too few remain.
SHARE = 0.6
# Which share of the outputs may look unlike all examples, where those look alike.
STRANGE = 0.25
# How many examples are left out, one at a time; more take longer and say the same.
_HELD_OUT = 4
# So many notations of one thing are a mixture, of which further ones may be missing.
_FEW = 6
_WORDS = (CONTAINS.name, STARTS.name, ENDS.name, "equals")


@dataclass(frozen=True, kw_only=True)
class Trust:
    """What speaks for the leading program and what against.

    *share* is the weight of its answer among those of all programs that fit, on the further input where it is least;
    *strange* is for which share of the further inputs its answer looks unlike all examples, where those look alike;
    *doubt* is why a yes or no that it decides is not settled.
    """

    share: float
    foretold: int
    tried: int
    strange: float
    failing: bool
    shown_only: bool
    probed: bool
    doubt: Doubt | None = None

    def confident(self, *, share: float = SHARE, strange: float = STRANGE) -> bool:
        """Whether to claim that the program is right.

        Nothing is claimed from one example, of a program that only says what it was shown, or of one that fails on a
        further input. Otherwise its answers have to outweigh those of all rivals and look like the examples, and
        examples that were left out have to be foretold: one where further inputs are known, else most of them.
        """
        if self.doubt is not None or self.shown_only or self.failing or self.share < share or self.strange > strange:
            return False
        return self.foretold >= 1 if self.probed else self.foretold * 3 >= self.tried * 2 > 0


def weigh(task: SearchTask, candidates: Sequence[FittingProgram]) -> Trust:
    """Measure everything that `Trust` says about the first candidate."""
    lead = candidates[0]
    shown_only = task.count < 2 or _shown_only(lead.expr, task)
    tried, foretold = (0, 0) if shown_only else _held_out(task)
    return Trust(
        share=_share(task, candidates),
        foretold=foretold,
        tried=tried,
        strange=_strange(lead, task),
        failing=task.probed and None in lead.values[task.count :],
        shown_only=shown_only,
        probed=task.probed,
    )


def _share(task: SearchTask, candidates: Sequence[FittingProgram]) -> float:
    """Return the weight of the leading answer among all answers, on the further input where it is least."""
    lead = candidates[0]
    weights = [math.exp(-_SHARPNESS * (candidate.cost - lead.cost)) for candidate in candidates]
    least = 1.0
    for index in range(task.count, len(task.inputs)):
        agreeing = total = 0.0
        for candidate, weight in zip(candidates, weights, strict=True):
            value = candidate.values[index]
            total += weight if value is not None else 0.0
            agreeing += weight if value is not None and same(value, lead.values[index]) else 0.0
        least = min(least, agreeing / total) if total else least
    return least


def differing(first: FittingProgram, second: FittingProgram, start: int) -> int | None:
    """Return the first input, from *start* on, for which both give something and not the same."""
    pairs = zip(first.values[start:], second.values[start:], strict=True)
    for index, (left, right) in enumerate(pairs, start):
        if left is not None and right is not None and not same(left, right):
            return index
    return None


def _held_out(task: SearchTask) -> tuple[int, int]:
    """Leave examples out one by one; return how often that was tried and how often the left-out one was foretold.

    Of classes each is left out in turn, and nothing counts unless that beats the guess at the most frequent one.
    """
    right: list[tuple[Value, bool]] = []
    alone = task.without_challenges()
    classes = all(isinstance(value, bool) for value in task.wanted)
    for left_out in _in_turn(task) if classes else range(min(task.count, _HELD_OUT)):
        chosen = [index for index in range(task.count) if index != left_out]
        try:
            found = solve(alone.part(chosen), 1)
        except SearchTimeout:
            break
        told = bool(found) and same(found[0].values[len(chosen)], task.wanted[left_out])
        # What is the same for every input was not foretold from this one.
        right.append((task.wanted[left_out], told and not _is_constant(found[0].expr, task.inputs[left_out])))
    foretold = [value for value, told in right if told]
    # As many of either answer are left out, so that whoever guesses gets half of them right.
    if classes and (len(set(map(bool, foretold))) < 2 or 2 * len(foretold) <= len(right)):
        return len(right), 0
    return len(right), len(foretold)


def _in_turn(task: SearchTask) -> list[int]:
    """Return which examples of a yes or no are left out: as many of either answer."""
    sides = [[index for index in range(task.count) if task.wanted[index] is side] for side in (True, False)]
    return [index for pair in zip(*sides, strict=False) for index in pair][: 2 * _HELD_OUT]


def _is_constant(expr: Expr, given: Value) -> bool:
    """Whether a program gives an input a constant, whatever arm it takes."""
    taken = _taken(expr, given)
    return _is_constant(taken, given) if isinstance(taken, Choose) else isinstance(taken, Literal)


def _taken(expr: Expr, given: Value) -> Expr:
    """Return the arm of a program that an input takes."""
    if not isinstance(expr, Choose):
        return expr
    scope = TreeScope(given)
    return next((result for test, result in expr.arms if test.value(scope)), expr.otherwise)


def _shown_only(expr: Expr, task: SearchTask) -> bool:
    """Whether a program says no more than it was shown.

    That is a constant, a table, a mixture of notations where no further inputs are known, an arm that rests on one
    example, and a question about words of the examples.
    """
    if isinstance(expr, Literal) or (not task.probed and task.count < _FEW and _mixed(expr)):
        return True
    return any(
        (isinstance(part, ApplyOperation) and part.op is LOOKED_UP)
        or (isinstance(part, Choose) and (_thin(part, task) or any(_about_words(test) for test, _ in part.arms)))
        for part in walk(expr)
    )


def _about_words(test: Expr) -> bool:
    """Whether a question compares the input with letters or digits."""
    return any(
        isinstance(part, ApplyOperation)
        and part.op.name in _WORDS
        and any(isinstance(arg, Literal) and re.search(r"\w", str(arg.constant)) for arg in part.args)
        for part in walk(test)
    )


def _thin(part: Choose, task: SearchTask) -> bool:
    """Whether some arm of a condition rests on a single example."""
    from mayfly.synthesis.examples._enumerate import evaluated

    left = list(task.inputs[: task.count])
    for test, _ in part.arms:
        answers = evaluated(test, left)
        chosen = [value for value, answer in zip(left, answers, strict=True) if answer is True]
        left = [value for value, answer in zip(left, answers, strict=True) if answer is not True]
        if len(chosen) < 2:
            return True
    return len(left) < 2


def _mixed(expr: Expr) -> bool:
    """Whether the inputs come in so many notations that a whole table of them is needed."""
    return any(
        isinstance(part, Literal) and isinstance(part.constant, tuple) and len(part.constant) > _FEW
        for part in walk(expr)
    )


def _strange(lead: FittingProgram, task: SearchTask) -> float:
    """Return for which share of the further inputs the output looks unlike the examples, if those look alike."""
    given = [value for value in lead.values[task.count :] if value is not None]
    looks = {_look(value) for value in task.wanted}
    if not given or len(looks) > 1:
        return 0.0
    return sum(_look(value) not in looks for value in given) / len(given)


def _look(value: Value) -> str:
    """Return a text with every word and every number made equal, otherwise the type."""
    if isinstance(value, str):
        return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", value))
    if isinstance(value, dict):
        return ",".join(value)
    return type(value).__name__
