"""What must hold without a test that says it: the same answer again, of the annotated type, and an end.

What happens within reasonable sizes decides: on an input that is no larger than those that were given. Running out of
time or memory on anything beyond that is never held against a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.core import Verdict, clipped, mismatch, same, shown
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._program import OUT_OF, Answer, Program, ask
from mayfly.gates.proof._run_tests import Ran
from mayfly.gates.proof._test_source import Case
from mayfly.gates.proof._trials import Outcome, Tried
from mayfly.gates.proof._values import ProofOptions, refuse
from mayfly.sandbox import Sandbox


def refuse_outcome(
    sandbox: Sandbox, program: Program, ran: Ran, outcome: Outcome, options: ProofOptions
) -> list[Verdict]:
    """Return the verdicts on a program whose answers waver, are of another type, or do not come on common inputs."""
    tried, given = outcome.tried, outcome.inputs
    suspected = suspects(given, tried.more) if tried.more else [one for one in given if one.inside]
    convicted = convict(sandbox, program, suspected, options)
    return [*_steady(ran.cases, ran.answers, tried), *_typed(program, tried, given), *convicted]


def _steady(cases: Sequence[Case], answers: Sequence[Answer], tried: Tried) -> Iterator[Verdict]:
    """Yield a verdict for the first test whose answer another run, or another order, changed."""
    for number, again in enumerate(tried.tests):
        for case, before, after in zip(cases, answers, again, strict=True):
            if case.replay or _alike(before, after):
                continue
            code, how = ("NONDETERMINISTIC", "again") if number == 0 else ("ORDER", "in another order")
            yield refuse(
                code=code,
                message=f"{case.name}: run {how}, {shown(case.test.input)} gave {_told(after)}, before {_told(before)}",
                fix="make the result depend on the input alone: no randomness, no clock, no state between calls",
            )
            return


def _alike(one: Answer, other: Answer) -> bool:
    return one.errors[:1] == other.errors[:1] and same(one.value, other.value)


def _told(answer: Answer) -> str:
    return shown(answer.value) if answer.ok else answer.error


def _typed(program: Program, tried: Tried, given: Sequence[Given]) -> Iterator[Verdict]:
    """Yield a verdict for the first input of the domain whose result does not fit the annotation."""
    returns = program.entry.returns
    for one, answer in zip(given, tried.more, strict=False):
        if answer.ok and mismatch(answer.value, program.returns):
            yield refuse(
                code="WRONG_TYPE",
                message=f"{shown(one.input)} gives {shown(answer.value)}, which is no {returns}",
                measured=shown(answer.value),
                limit=returns,
                fix="return a value of the annotated type on every path",
            )
            return


def suspects(given: Sequence[Given], answers: Sequence[Answer]) -> list[Given]:
    """Return the inputs of reasonable size on which a program seemed to run out of time, memory or stack."""
    pairs = zip(given, answers, strict=False)
    return [one for one, answer in pairs if one.inside and set(answer.errors) & OUT_OF]


def convict(sandbox: Sandbox, program: Program, given: Sequence[Given], options: ProofOptions) -> Iterator[Verdict]:
    """Run each suspected input alone with all the time and memory a program gets; refuse the first that fails again."""
    generous = replace(program, timeout=options.total_seconds, memory=options.memory)
    for one in given[: options.suspects]:
        (answer,) = ask(sandbox, generous, [{"input": one.input}])
        if set(answer.errors) & OUT_OF:
            yield _verdict(one, answer)
            return


def _verdict(given: Given, answer: Answer) -> Verdict:
    return refuse(
        code="ADVERSARIAL",
        message=f"{shown(given.input)} ends in {clipped(answer.error, 200)}",
        measured=answer.errors[0],
        line=answer.line,
        fix="end in a value or a clean error for every input like the examples",
    )
