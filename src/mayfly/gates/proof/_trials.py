"""Try a program and its variants: on the tests and on inputs of its domain, many in one job, on both cores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from mayfly.core import same
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._program import CORES, Answer, Program, ask, read_answer
from mayfly.gates.proof._run_tests import Ran, judge, replays_alike
from mayfly.gates.proof._values import ProofOptions
from mayfly.gates.proof._variants import Variants
from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Sandbox

_ALONE = 1.0
# After so many late answers or broken variants the rest is skipped: there is something wrong with the program.
_PATIENCE = 3


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
    more: Sequence[Given]
    options: ProofOptions
    total: float
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
            "seconds": self.options.mutant_seconds,
            "more_seconds": self.options.input_seconds,
            "total": self.total,
            "differing": 3,
            "patience": _PATIENCE,
            "generous": self.program.timeout,
            "factor": self.options.mutant_factor,
            "cover": cover,
            "backwards": backwards,
        }


class Telling(NamedTuple):
    """An input of the domain on which a variant answers otherwise than the program, and both answers."""

    place: int
    given: Given
    mine: object
    other: Answer


class Uncaught(NamedTuple):
    """A variant that passes every test, by its place, and the simplest input that tells it from the program."""

    at: int
    telling: Telling | None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the trials gave: the answers to them, the variants that were caught, the end of large inputs."""

    inputs: Sequence[Given]
    variants: Variants
    tried: Tried
    # Of each variant that differs from the program at all, whether a test fails on it.
    caught: Mapping[int, bool] = field(default_factory=dict)
    uncaught: tuple[Uncaught, ...] = ()

    @property
    def uncaught_mutants(self) -> list[Uncaught]:
        """The mistakes that no test catches."""
        return [one for one in self.uncaught if one.at < len(self.variants.mutants)]

    @property
    def uncaught_rivals(self) -> list[Uncaught]:
        """The rivals that pass every test."""
        return [one for one in self.uncaught if one.at >= len(self.variants.mutants)]


def run_trials(
    sandbox: Sandbox, program: Program, ran: Ran, inputs: Sequence[Given], variants: Variants, options: ProofOptions
) -> Outcome:
    """Run mutants, rivals and the inputs of the domain, in as few jobs as the cores allow."""
    if not variants.sources and not inputs:
        return Outcome(inputs=inputs, variants=variants, tried=_ask_again(sandbox, program, ran))
    trial = Trial(
        program=replace(program, source=variants.quiet),
        asks=[json.dumps(case.ask) for case in ran.cases],
        more=inputs,
        options=options,
        total=options.total_seconds,
    )
    tried = try_variants(sandbox, trial, variants.sources)
    caught = _judge_fates(sandbox, program, ran, tried, variants.sources)
    return Outcome(
        inputs=inputs,
        variants=variants,
        tried=tried,
        caught=caught,
        uncaught=tuple(_uncaught(at, tried, inputs) for at, killed in caught.items() if not killed),
    )


def _ask_again(sandbox: Sandbox, program: Program, ran: Ran) -> Tried:
    """Ask the same in another process, where nothing else is to be tried: what wavers is found out even so."""
    plain = [at for at, case in enumerate(ran.cases) if not case.replay and not case.problem]
    answers = dict(zip(plain, ask(sandbox, program, [ran.cases[at].ask for at in plain]), strict=True))
    return Tried(tests=(tuple(answers.get(at, Answer()) for at in range(len(ran.cases))),))


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
        if tried.problem or sum(bool(fate.broken) for fate in fates) > _PATIENCE:
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
    result = sandbox.run(far_side("answer", "session", "many"), "run", request, timeout=trial.total + trial.grace)
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
    return Answer(errors=("skipped",)) if "skipped" in data else read_answer(data)


def _fate(item: dict[str, Any]) -> Fate:
    return Fate(
        same=bool(item.get("same")),
        broken=str(item.get("broken", "")),
        changed={int(at): _read(text) for at, text in item.get("changed", {}).items()},
        disagrees=tuple((int(at), _read(text)) for at, text in item.get("more", ())),
        skipped=bool(item.get("skipped")),
    )


def _judge_fates(sandbox: Sandbox, program: Program, ran: Ran, tried: Tried, sources: Sequence[str]) -> dict[int, bool]:
    """Decide for each variant that differs from the program at all whether a test fails on it."""
    fates = tried.fates
    counted = [at for at, fate in enumerate(fates) if not fate.same and not fate.skipped]
    caught = {at: bool(fates[at].broken) for at in counted}
    asked = [(at, ran.cases[place], answer) for at in counted for place, answer in fates[at].changed.items()]
    plain = [(at, case, answer) for at, case, answer in asked if not case.replay]
    results = judge(sandbox, [case for _, case, _ in plain], [answer for _, _, answer in plain])
    for (at, _, _), result in zip(plain, results, strict=True):
        caught[at] = caught[at] or not result.passed
    for at, case, answer in asked:
        if case.replay and not caught[at]:
            changed = replace(program, source=sources[at])
            caught[at] = not replays_alike(sandbox, changed, case.replay, answer)
    return caught


def _uncaught(at: int, tried: Tried, given: Sequence[Given]) -> Uncaught:
    """Return a variant with the simplest input of the domain on which it gives another value, if there is one."""
    found = [
        Telling(place, given[place], tried.more[place].value, other)
        for place, other in tried.fates[at].disagrees
        if place < len(tried.more)
        and tried.more[place].ok
        and not (other.ok and same(other.value, tried.more[place].value))
    ]
    return Uncaught(at, min(found, key=lambda one: (not one.other.ok, one.given.size), default=None))
