"""Run variants of a program against its tests: many in one job, both cores, and alone where one spoils a job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._run_tests_ask import CORES, Answer, Program, read
from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Sandbox

_ALONE = 1.0


class Fate(NamedTuple):
    """How one variant fared: not different at all, dead at once, other answers to tests, or other answers elsewhere."""

    same: bool = False
    broken: str = ""
    changed: dict[int, Answer] = {}  # noqa: RUF012 - never written to
    disagrees: tuple[tuple[int, Answer], ...] = ()
    skipped: bool = False


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What the original answered again, and the fate of every variant."""

    tests: tuple[tuple[Answer, ...], ...] = ()
    more: tuple[Answer, ...] = ()
    fates: tuple[Fate, ...] = ()
    known: frozenset[int] = frozenset()
    reached: frozenset[int] = frozenset()
    spent: tuple[float, ...] = ()
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What variants are tried with."""

    program: Program
    asks: Sequence[str]
    more: Sequence[Given] = ()
    seconds: float = 0.05
    more_seconds: float = 0.1
    total: float = 5.0
    memory: int | None = None
    patience: int = 3
    factor: float = 20.0
    grace: float = 2.0

    def request(self, variants: Sequence[str], *, cover: bool, backwards: bool) -> dict[str, Any]:
        """Return what the far side is asked."""
        source, name = self.program.callable
        tail = source[len(self.program.source) :]
        return {
            "programs": [source, *(variant + tail for variant in variants)],
            "entry": name,
            "waits": self.program.waits,
            "lines": self.program.lines,
            "imports": None if self.program.imports is None else sorted(self.program.imports),
            "tests": list(self.asks),
            "more": [given.text for given in self.more],
            "seconds": self.seconds,
            "more_seconds": self.more_seconds,
            "total": self.total,
            "differing": 3,
            "patience": self.patience,
            "generous": self.program.timeout,
            "factor": self.factor,
            "cover": cover,
            "backwards": backwards,
        }


def try_variants(sandbox: Sandbox, trial: Trial, variants: Sequence[str]) -> Tried:
    """Try all variants, dealt over the cores; the original runs in every job, in one of them backwards."""
    jobs = CORES if variants else 1
    hands = [list(variants[at::jobs]) for at in range(jobs)]
    with ThreadPoolExecutor(jobs) as threads:
        tried = list(threads.map(lambda at: _try(sandbox, trial, hands[at], cover=at == 0), range(jobs)))
    fates = [tried[at % jobs].fates[at // jobs] for at in range(len(variants))]
    tests = tuple(answers for part in tried for answers in part.tests)
    # A job that was spoilt has been run again without further inputs; another may still have them.
    full = max(tried, key=lambda part: len(part.more))
    return replace(tried[0], tests=tests, fates=tuple(fates), more=full.more, spent=full.spent)


def _try(sandbox: Sandbox, trial: Trial, variants: Sequence[str], *, cover: bool) -> Tried:
    tried = run_together(sandbox, trial, variants, cover=cover, backwards=not cover)
    if not tried.problem:
        return tried
    if trial.more:
        return _try(sandbox, replace(trial, more=()), variants, cover=cover)
    return _one_by_one(sandbox, replace(trial, total=_ALONE, grace=_ALONE), variants, cover=cover)


def _one_by_one(sandbox: Sandbox, trial: Trial, variants: Sequence[str], *, cover: bool) -> Tried:
    """Give each variant a job of its own; one that ends it is broken, and after a few of those the rest is skipped."""
    tried = run_together(sandbox, trial, (), cover=cover)
    fates: list[Fate] = []
    for variant in variants:
        if tried.problem or sum(bool(fate.broken) for fate in fates) > trial.patience:
            fates.append(Fate(skipped=True))
            continue
        alone = run_together(sandbox, trial, (variant,))
        fates.append(Fate(broken=alone.problem) if alone.problem else alone.fates[0])
    return replace(tried, fates=tuple(fates))


def run_together(
    sandbox: Sandbox, trial: Trial, variants: Sequence[str], *, cover: bool = False, backwards: bool = False
) -> Tried:
    """Run the original and *variants* in one job; a job that gives no answer is a problem, told."""
    request = trial.request(variants, cover=cover, backwards=backwards)
    result = sandbox.run(
        far_side("answer", "session", "many"), "run", request, timeout=trial.total + trial.grace, memory=trial.memory
    )
    if not result.ok or not isinstance(result.value, dict):
        return Tried(problem=f"{result.status}: {result.error}")
    value = cast("dict[str, Any]", result.value)
    first = value["first"]
    if "broken" in first:
        return Tried(problem=f"error: {first['broken']}")
    covered = value["covered"] or {"known": [], "reached": []}
    return Tried(
        tests=(tuple(_read(text) for text in first["tests"]),),
        more=tuple(_read(text) for text in first["more"]),
        fates=tuple(_fate(item) for item in value["others"]),
        known=frozenset(covered["known"]),
        reached=frozenset(covered["reached"]),
        spent=tuple(first["spent"]),
    )


def _read(text: str) -> Answer:
    data = json.loads(text)
    return Answer(errors=("skipped",)) if "skipped" in data else read(data)


def _fate(item: dict[str, Any]) -> Fate:
    return Fate(
        same=bool(item.get("same")),
        broken=str(item.get("broken", "")),
        changed={int(at): _read(text) for at, text in item.get("changed", {}).items()},
        disagrees=tuple((int(at), _read(text)) for at, text in item.get("more", ())),
        skipped=bool(item.get("skipped")),
    )
