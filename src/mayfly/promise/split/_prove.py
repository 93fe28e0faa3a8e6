"""Prove how the results of parts are joined: the agent is run on whole inputs and on their pieces, and has to agree.

To join results of parts is right for all inputs or for none, so the inputs need not be likely: the sample as it is,
its lines doubled, shuffled, reversed and with other digits and words in them, cut where it hurts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mayfly.core import InputError
from mayfly.promise.split._merge import LISTS, candidates, merge, text_of
from mayfly.promise.split._trials import SINGLES, WINDOW, CutTrial, Lines, constants, limits_of, trials_of

# Returns what the agent gives for lines; a `TrialFailed` says why that is nothing.
Run = Callable[[Sequence[str]], object]
LARGEST_LIMIT = 20_000


class TrialFailed(Exception):
    """The agent gave no value for some lines."""


class OutOfTime(Exception):
    """The time for trials is up."""


@dataclass(frozen=True, kw_only=True)
class MergeProof:
    """Say how results of parts are joined; without a *kind* they cannot be, for the *reason*."""

    kind: str | None
    reason: str
    trials: int = 0


@dataclass(kw_only=True)
class _Evidence:
    """What is left of the ways that might be right, and what the results were like."""

    run: Run
    ways: set[str] | None = None
    largest: int = 0
    trials: int = 0
    why: str = ""
    known: dict[tuple[str, ...], object] = field(default_factory=dict)

    def tried(self, lines: Lines) -> object:
        """Return what the agent gives for *lines*, or the `TrialFailed`."""
        key = tuple(lines)
        if key not in self.known:
            found: object
            try:
                found = self.run(lines)
            except TrialFailed as error:
                found = error
            if len(lines) > WINDOW:
                return found
            self.known[key] = found
        return self.known[key]

    def look(self, trial: CutTrial, whole: object) -> None:
        """Drop every way that does not give *whole* from the pieces of *trial*."""
        self.trials += 1
        parts = [self.tried(piece) for piece in trial.pieces()]
        wrong = [part for part in parts if isinstance(part, TrialFailed)]
        if isinstance(whole, TrialFailed) and wrong:
            return
        where = f"{trial.name}, cut at line {', '.join(map(str, trial.cuts[:3]))}"
        if wrong or isinstance(whole, TrialFailed):
            self.ways, self.why = set(), f"{where}: {wrong[0] if wrong else whole}"
            return
        self._compare(whole, parts)
        self.why = f"{where}: the results of the parts do not make up the result of the whole"

    def _compare(self, whole: object, parts: Sequence[object]) -> None:
        ways = set(candidates(whole)) if self.ways is None else self.ways
        self.largest = max(self.largest, len(whole) if isinstance(whole, (*LISTS, dict)) else 0)
        expected = text_of(whole)
        self.ways = {way for way in ways if _gives(way, parts, expected)}


def _gives(way: str, parts: Sequence[object], expected: str) -> bool:
    try:
        return text_of(merge(way, parts)) == expected
    except InputError:
        return False


def prove_merge(run: Run, sample: Sequence[str], source: str) -> MergeProof:
    """Find the one way to join results of parts of inputs like *sample*; anything short of that is no way."""
    lines = list(sample)
    if len(lines) < 2:
        return MergeProof(kind=None, reason="the sample has fewer than two lines")
    limits = limits_of(source)
    if any(limit > LARGEST_LIMIT for limit in limits):
        return MergeProof(kind=None, reason=f"the agent stops after {max(limits)}, more than could be tried")
    evidence = _Evidence(run=run)
    try:
        _look(evidence, lines, source)
    except OutOfTime:
        return MergeProof(kind=None, reason="there was no time to prove how results of parts are joined")
    if not evidence.ways:
        return MergeProof(kind=None, reason=evidence.why, trials=evidence.trials)
    return _concluded(evidence, limits)


def _look(evidence: _Evidence, lines: Lines, source: str) -> None:
    most = max([number for number in constants(source) if number <= LARGEST_LIMIT], default=0)
    for trial in trials_of(lines, busy=_busy(evidence, lines), most=most):
        whole = evidence.tried(trial.lines)
        if isinstance(whole, TrialFailed) and evidence.ways is None:
            evidence.why = f"the agent fails on the sample: {whole}"
            return
        evidence.look(trial, whole)
        if not evidence.ways:
            return


def _busy(evidence: _Evidence, lines: Lines) -> Lines:
    """Return the few lines of the sample for which the agent has the most to say."""
    pieces = [lines[start : start + WINDOW] for start in range(0, len(lines), WINDOW)]
    while True:
        found = max(pieces, key=lambda piece: _weight(evidence.tried(piece)))
        if len(found) <= SINGLES:
            return found
        third = len(found) // 3
        # They overlap, so that what is found in lines that follow each other is whole in one of them.
        pieces = [found[: 2 * third], found[third:]]


def _weight(value: object) -> float:
    if isinstance(value, (*LISTS, dict)):
        return len(value)
    return abs(value) if isinstance(value, (int, float)) else 0


def _concluded(evidence: _Evidence, limits: Sequence[int]) -> MergeProof:
    ways = sorted(evidence.ways or ())
    orders = {_without_order(way) for way in ways}
    if len(orders) != 1:
        told = " or ".join(sorted({" ".join(way.split(" ")[:2]) for way in ways}))
        reason = f"the sample does not tell whether results of parts are joined by {told}"
        return MergeProof(kind=None, reason=reason, trials=evidence.trials)
    kind = _with_orders(ways)
    whole = kind in ("sum", "min", "max", "first", "last")
    if not whole and any(limit >= evidence.largest for limit in limits):
        reason = f"the agent may stop after {max(limits)} results, and no trial gave more than {evidence.largest}"
        return MergeProof(kind=None, reason=reason, trials=evidence.trials)
    reason = f"joined by {kind}: {evidence.trials} trials gave what the whole gives"
    return MergeProof(kind=kind, reason=reason, trials=evidence.trials)


def _without_order(way: str) -> tuple[str, ...]:
    shape, *rest = way.split(" ", 3)
    return (shape, *rest[:1], *rest[2:])


def _with_orders(ways: Sequence[str]) -> str:
    shape, *rest = ways[0].split(" ", 3)
    if not rest:
        return shape
    orders = ",".join(way.split(" ", 3)[2] for way in ways)
    return " ".join((shape, rest[0], orders, *rest[2:]))
