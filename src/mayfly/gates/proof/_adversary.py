"""Try a program on much of what it can be given: each input has to end in a value or a clean error.

What happens within reasonable sizes decides: on an input that is no larger than those that were given. Running out of
time or memory on anything beyond that is noted, never held against a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.core import Verdict, clipped, shown
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._doubts import OUT_OF
from mayfly.gates.proof._mutants_run import Trial, run_together
from mayfly.gates.proof._options import ProofOptions
from mayfly.gates.proof._report import AdversaryReport
from mayfly.gates.proof._run_tests_ask import Answer, Program, ask
from mayfly.sandbox import Sandbox

_NOTES = 5


def attack(sandbox: Sandbox, program: Program, given: Sequence[Given], options: ProofOptions) -> AdversaryReport:
    """Run large inputs in one job and note what they ended in; nothing here rejects."""
    trial = Trial(
        program=program,
        asks=(),
        more=given,
        more_seconds=options.large_seconds,
        total=options.large_total_seconds,
        memory=options.memory,
        patience=options.patience,
        grace=options.large_total_seconds,
    )
    tried = run_together(sandbox, trial, ())
    if tried.problem:
        return AdversaryReport(inputs=len(given), notes=(f"one of the large inputs ends the process: {tried.problem}",))
    notes = [f"{shown(one.input, 80)}: {clipped(answer.error, 200)}" for one, answer in _bad(given, tried.more)]
    ran = [answer for answer in tried.more if answer.errors != ("skipped",)]
    return AdversaryReport(inputs=len(ran), errors=sum(not answer.ok for answer in ran), notes=tuple(notes[:_NOTES]))


def suspects(given: Sequence[Given], answers: Sequence[Answer]) -> list[Given]:
    """Return the inputs of reasonable size on which a program seemed to run out of time, memory or stack."""
    return [one for one, _ in _bad(given, answers) if one.inside]


def convict(sandbox: Sandbox, program: Program, given: Sequence[Given], options: ProofOptions) -> list[Verdict]:
    """Run each suspected input alone with all the time and memory a program gets; return the first that fails again."""
    generous = replace(program, timeout=options.total_seconds, memory=options.memory)
    for one in given[: options.suspects]:
        (answer,) = ask(sandbox, generous, [{"input": one.input}])
        if set(answer.errors) & OUT_OF:
            return [_verdict(one, answer)]
    return []


def _bad(given: Sequence[Given], endings: Sequence[Answer]) -> Iterator[tuple[Given, Answer]]:
    for one, answer in zip(given, endings, strict=False):
        if set(answer.errors) & OUT_OF:
            yield one, answer


def _verdict(given: Given, answer: Answer) -> Verdict:
    return Verdict(
        decision="reject",
        gate="proof",
        code="ADVERSARIAL",
        message=f"{shown(given.input)} ends in {clipped(answer.error, 200)}",
        measured=answer.errors[0],
        line=answer.line,
        fix="end in a value or a clean error for every input like the examples",
    )
