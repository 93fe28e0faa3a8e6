"""Prove a program of any language by asking it: the tests are the same, and outputs are judged outside of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mayfly.core import OpenPoint, Proof, Verdict, Witness, same
from mayfly.gates._entry import Entry
from mayfly.gates.proof._empty import empty_results
from mayfly.gates.proof._prover import failures_of, tell_strength, vacuous
from mayfly.gates.proof._report import ProofReport
from mayfly.gates.proof._run_tests import Ran, cases_of, judge
from mayfly.gates.proof._run_tests_ask import Answer, Program
from mayfly.gates.proof._strength import strength_of, witnesses_among
from mayfly.gates.proof._suite import Suite
from mayfly.sandbox import Sandbox

Asking = Callable[[Sequence[object]], list[Answer]]


def prove_by_asking(
    sandbox: Sandbox, source: str, entry: Entry, suite: Suite, asking: Asking, *, language: str
) -> ProofReport:
    """Run *suite* on the program behind *asking*, twice, and say what the proof is worth.

    Nobody puts mistakes into programs of other languages than Python to see whether the tests notice, so what the tests
    would not notice stays open, unless an independent reading vouches for every output.
    """
    started = time.monotonic()
    notes: list[str] = []
    cases = cases_of(suite, entry)
    # A test function that does more than claim outputs speaks Python to the program.
    asked = [case for case in cases if case.replay is None]
    if len(asked) < len(cases):
        notes.append(f"{len(cases) - len(asked)} test functions are for Python and were not run")
    plain = [case for case in asked if not case.problem]
    inputs = [case.test.input for case in plain]
    first = asking(inputs)
    answered = dict(zip(map(id, plain), first, strict=True))
    answers = [answered.get(id(case), Answer()) for case in asked]
    ran = Ran(asked, answers, judge(sandbox, asked, answers))
    program = Program(source=source, entry=entry, imports=None)
    verdicts = failures_of(ran)
    if not verdicts and any(map(_differ, first, asking(inputs))):
        verdicts = [_wavers()]
    if not verdicts and not suite.witness and empty_results(sandbox, program, asked).vacuous:
        verdicts = [vacuous()]
    witnesses: list[Witness] = []
    points: list[OpenPoint] = []
    if not verdicts:
        witnesses, points = _spoken_for(sandbox, program, ran, suite, language)
        verdicts = [tell_strength(witnesses, points, None)]
    accepted = all(verdict.decision != "reject" for verdict in verdicts)
    return ProofReport(
        proof=Proof(
            strength=strength_of(witnesses, points) if accepted else "none",
            tests=len(ran.results),
            held_out=sum(result.kind == "held-out" for result in ran.results),
            evidence=tuple(witnesses),
            open=tuple(points),
        ),
        verdicts=tuple(verdicts[:5]),
        results=tuple(ran.results),
        notes=tuple(notes),
        milliseconds=(time.monotonic() - started) * 1000,
    )


def _spoken_for(
    sandbox: Sandbox, program: Program, ran: Ran, suite: Suite, language: str
) -> tuple[list[Witness], list[OpenPoint]]:
    if suite.witness:
        return [Witness(kind="reading", author="reading", count=len(ran.results), what=suite.witness)], []
    said = f"mistakes put into it were not tried: that is not done for {language}"
    found = list(witnesses_among(sandbox, program, ran.cases, suite))
    return found, [OpenPoint(kind="mistake", author="mutants", count=1, what=said)]


def _differ(one: Answer, other: Answer) -> bool:
    return one.errors != other.errors or not same(one.value, other.value)


def _wavers() -> Verdict:
    return Verdict(
        decision="reject",
        gate="proof",
        code="NONDETERMINISTIC",
        message="the same input gives another output the second time",
        fix="use neither chance nor the time",
    )
