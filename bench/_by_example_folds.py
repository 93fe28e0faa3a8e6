"""When to claim, chosen on four folds of the tasks and reported on the fifth, for each of the five."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from bench._by_example_trials import FOLDS, Task, Trial, trial
from bench._table import Table, number, spread
from mayfly.synthesis.examples import SHARE, STRANGE

HEAD = ("tasks", "fold", "share", "strange", "trials", "solved", "wrong", "solved %", "claims right", "p50 ms")
# What is chosen from: the weight that the leading answer needs, and how many answers may look unlike the examples.
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9)
STRANGES = (0.0, 0.25, 0.5, 1.0)
# What is asked of the four folds: the bar is 95 %, and what is chosen there looks a little better than it is.
TARGET = 0.96
# Beside the examples as they come, others are drawn: the program was written with the first ones in view, and two
# drawings of each task choose other limits than the next two do.
DRAWN = (1, 2, 3, 4, 5, 6)


class Limits(NamedTuple):
    """One choice of when to claim."""

    share: float = SHARE
    strange: float = STRANGE

    def claims(self, one: Trial) -> bool:
        """Whether the program of a trial is claimed to be right."""
        return one.trust is not None and one.trust.confident(share=self.share, strange=self.strange)


def unseen(tasks: Sequence[Task], count: int) -> Table:
    """Measure tasks that took no part in any choice, with the limits that the synthesizer has."""
    rows: list[list[str]] = []
    for probes in (True, False):
        for drawings in ((0,), DRAWN):
            trials = [
                one for task in tasks for each in drawings if (one := trial(task, count, probes=probes, drawn=each))
            ]
            source = f"{tasks[0].source}{', drawn' if drawings == DRAWN else ''}"
            row = _row(source, "with" if probes else "without", [(Limits(), trials)])
            rows.append(row)
    return Table(
        title=f"Programs by example, {count} examples, tasks written last",
        caption="With and without the remaining inputs as probes; these tasks took no part in any choice.",
        head=("tasks", "probes", *HEAD[2:]),
        rows=rows,
    )


def folds(tasks: Sequence[Task], count: int, *, probes: bool) -> Table:
    """Measure every task once, then choose and report fold by fold."""
    drawings = (0, *DRAWN)
    trials = [one for task in tasks for drawn in drawings if (one := trial(task, count, probes=probes, drawn=drawn))]
    chosen = [choose([one for one in trials if one.task.fold != fold]) for fold in range(FOLDS)]
    rows: list[list[str]] = []
    for source in dict.fromkeys(task.source for task in tasks):
        mine = [one for one in trials if one.task.source == source]
        first = [[one for one in mine if one.task.fold == fold and not one.drawn] for fold in range(FOLDS)]
        drawn = [[one for one in mine if one.task.fold == fold and one.drawn] for fold in range(FOLDS)]
        rows += [_row(source, str(fold), [(chosen[fold], first[fold])]) for fold in range(FOLDS)]
        rows.append(_row(source, "all", list(zip(chosen, first, strict=True))))
        rows.append(_row(f"{source}, drawn", "all", list(zip(chosen, drawn, strict=True))))
    known = "and the remaining inputs, without outputs, as probes" if probes else "and no further inputs"
    return Table(
        title=f"Programs by example, {count} examples, {'with' if probes else 'without'} probes, by folds",
        caption=f"Given are the first {count} examples (drawn: any {count}) {known}; right means right on all others. "
        f"Share and strange were chosen on the other four folds.",
        head=HEAD,
        rows=rows,
    )


def choose(trials: Sequence[Trial]) -> Limits:
    """Return the limits that solve most where enough claims are right, or the strictest."""
    good = [
        limits for limits in map(Limits._make, product(SHARES, STRANGES)) if _scored([(limits, trials)])[3] >= TARGET
    ]
    return max(good, key=lambda limits: _scored([(limits, trials)])[1], default=Limits(SHARES[-1], STRANGES[0]))


def _scored(parts: Iterable[tuple[Limits, Sequence[Trial]]]) -> tuple[int, int, int, float]:
    """Return how many trials there are, how many are solved and wrongly claimed, and the share of right claims."""
    pairs = [(limits.claims(one), one.right) for limits, trials in parts for one in trials]
    solved = sum(claimed and right for claimed, right in pairs)
    wrong = sum(claimed and not right for claimed, right in pairs)
    return len(pairs), solved, wrong, solved / (solved + wrong) if solved + wrong else 0.0


def _row(source: str, fold: str, parts: Sequence[tuple[Limits, Sequence[Trial]]]) -> list[str]:
    count, solved, wrong, right = _scored(parts)
    limits = [f"{parts[0][0].share:g}", f"{parts[0][0].strange:g}"] if len(parts) == 1 else ["", ""]
    times = spread([one.milliseconds for _, trials in parts for one in trials])
    shares = [f"{100 * solved / count:.1f} %", f"{100 * right:.1f} %"]
    return [source, fold, *limits, str(count), str(solved), str(wrong), *shares, number(times.middle)]
