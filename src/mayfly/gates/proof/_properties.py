"""What must hold without anybody saying it: the same answer again, in any order, and of the type that is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.core import Verdict, same, shown
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._mutants_run import Tried
from mayfly.gates.proof._run_tests import Case
from mayfly.gates.proof._run_tests_ask import Answer, Program
from mayfly.gates.proof._values_types import Types, fits

GATE = "proof"


def steady(cases: Sequence[Case], answers: Sequence[Answer], tried: Tried) -> Iterator[Verdict]:
    """Yield a verdict for the first test whose answer another run, or another order, changed."""
    for number, again in enumerate(tried.tests):
        for case, before, after in zip(cases, answers, again, strict=True):
            if case.replay or _alike(before, after):
                continue
            code, how = ("NONDETERMINISTIC", "again") if number == 0 else ("ORDER", "in another order")
            yield Verdict(
                decision="reject",
                gate=GATE,
                code=code,
                message=f"{case.name}: run {how}, {shown(case.test.input)} gave {_told(after)}, before {_told(before)}",
                fix="make the result depend on the input alone: no randomness, no clock, no state between calls",
            )
            return


def _alike(one: Answer, other: Answer) -> bool:
    return one.errors[:1] == other.errors[:1] and same(one.value, other.value)


def _told(answer: Answer) -> str:
    return shown(answer.value) if answer.ok else answer.error


def typed(program: Program, tried: Tried, given: Sequence[Given]) -> Iterator[Verdict]:
    """Yield a verdict for the first input of the domain whose result does not fit the annotation."""
    returns = program.entry.returns
    kind = Types(program.source).kind(returns)
    for one, answer in zip(given, tried.more, strict=False):
        if answer.ok and not fits(answer.value, kind):
            yield Verdict(
                decision="reject",
                gate=GATE,
                code="WRONG_TYPE",
                message=f"{shown(one.input)} gives {shown(answer.value)}, which is no {returns}",
                measured=shown(answer.value),
                limit=returns,
                fix="return a value of the annotated type on every path",
            )
            return
