"""Judge what became of each wrong program: caught by a test, or a survivor that shows what the tests leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.core import same, shown
from mayfly.gates.proof._calls import Replay, replay
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._mutants import Mutant
from mayfly.gates.proof._mutants_run import Fate, Tried
from mayfly.gates.proof._report import Question, Survivor
from mayfly.gates.proof._run_tests import Case, judge
from mayfly.gates.proof._run_tests_ask import Answer, Program
from mayfly.sandbox import Sandbox


class Judged(NamedTuple):
    """The variants that count, and of each whether the tests catch it."""

    counted: list[int]
    caught: dict[int, bool]


def judge_fates(
    sandbox: Sandbox, program: Program, cases: Sequence[Case], fates: Sequence[Fate], sources: Sequence[str]
) -> Judged:
    """Decide for each variant that differs from the program at all whether a test fails on it."""
    counted = [at for at, fate in enumerate(fates) if not fate.same and not fate.skipped]
    caught = {at: bool(fates[at].broken) for at in counted}
    asked = [(at, cases[place], answer) for at in counted for place, answer in fates[at].changed.items()]
    plain = [(at, case, answer) for at, case, answer in asked if not case.replay]
    results = judge(sandbox, [case for _, case, _ in plain], [answer for _, _, answer in plain])
    for (at, _, _), result in zip(plain, results, strict=True):
        caught[at] = caught[at] or not result.passed
    for at, case, answer in asked:
        if case.replay and not caught[at]:
            changed = replace(program, source=sources[at])
            caught[at] = _replay_fails(sandbox, changed, case.replay, answer)
    return Judged(counted, caught)


def _replay_fails(sandbox: Sandbox, program: Program, recorded: Replay, answer: Answer) -> bool:
    if not answer.steps:
        return True
    again = replace(recorded, answers=list(answer.steps), steps=[], passed=False, failed="")
    replay(sandbox, program, [again], rounds=5)
    return not again.passed


def survivors_of(
    mutants: Sequence[Mutant], judged: Judged, tried: Tried, given: Sequence[Given]
) -> tuple[Survivor, ...]:
    """Describe the mutants that no test catches, the most telling first."""
    found = []
    for at in judged.counted:
        if judged.caught[at]:
            continue
        mutant, fate = mutants[at], tried.fates[at]
        survivor = Survivor(
            line=mutant.line,
            change=mutant.change,
            kind=mutant.kind,
            reached=mutant.line not in tried.known - tried.reached,
        )
        telling = telling_of(fate, tried, given)
        if telling is not None:
            place, other = telling
            answers = (shown(tried.more[place].value), shown(other.value) if other.ok else other.error)
            survivor = replace(survivor, input=shown(given[place].input), answers=answers)
        found.append(survivor)
    return tuple(sorted(found, key=lambda one: (not one.input, one.reached, one.line)))


def telling_of(fate: Fate, tried: Tried, given: Sequence[Given]) -> tuple[int, Answer] | None:
    """Return the simplest input of the domain on which a variant that passes the tests gives another value."""
    places = [
        (place, other)
        for place, other in fate.disagrees
        if place < len(tried.more)
        and tried.more[place].ok
        and not (other.ok and same(other.value, tried.more[place].value))
    ]
    return min(places, key=lambda pair: (not pair[1].ok, given[pair[0]].size), default=None)


def open_inputs(fates: Sequence[Fate], tried: Tried, given: Sequence[Given]) -> tuple[object, ...]:
    """Return the inputs that would tell the program from those of *fates* that pass every test, each once."""
    places = dict.fromkeys(telling[0] for fate in fates if (telling := telling_of(fate, tried, given)) is not None)
    return tuple(given[place].input for place in places)


def question_of(fates: Sequence[Fate], tried: Tried, given: Sequence[Given], name: str) -> Question | None:
    """Return the question whose answer would tell the program from the most telling of *fates*."""
    found = []
    for fate in fates:
        telling = telling_of(fate, tried, given)
        if telling is not None and telling[1].ok:
            found.append((given[telling[0]].size, telling[0], telling[1]))
    if not found:
        return None
    _, place, other = min(found, key=lambda item: item[:2])
    mine = tried.more[place].value
    text = f"what should {name}({shown(given[place].input)}) give: {shown(mine)} or {shown(other.value)}?"
    return Question(input=given[place].input, answers=(mine, other.value), text=text)
