"""The proof gate: run the tests where they cannot be cheated, and say who speaks for a program and what is open.

A proof goes from value to value: a suite is taken apart (`Case`) and run (`Ran`); inputs of the domain (`Given`) and
mutants and rivals (`Variants`) are made and tried (`Outcome`); that is weighed (`Assessment`) and told (`ProofReport`).
A stage that refuses ends it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from mayfly.core import UNSET, OpenPoint, Proof, Verdict, Witness, same
from mayfly.gates._entry import Entry
from mayfly.gates.proof._domain import make_inputs
from mayfly.gates.proof._program import Answer, Program
from mayfly.gates.proof._properties import refuse_outcome
from mayfly.gates.proof._run_tests import Ran, judge_answers, refuse_vacuous, run_cases, run_tests
from mayfly.gates.proof._strength import Assessment, assess, witnesses_among
from mayfly.gates.proof._test_source import cases_of
from mayfly.gates.proof._trials import Outcome, run_trials
from mayfly.gates.proof._values import WRITTEN, Disputed, ProofOptions, ProofReport, Suite, TestResult, refuse
from mayfly.gates.proof._variants import Rival, make_variants
from mayfly.sandbox import Sandbox

Asking = Callable[[Sequence[object]], list[Answer]]


class Prover:
    """Prove programs in one sandbox; safe to share between threads."""

    def __init__(self, sandbox: Sandbox, options: ProofOptions | None = None) -> None:
        self.sandbox = sandbox
        self.options = options or ProofOptions()

    def prove(
        self,
        source: str,
        entry: Entry,
        suite: Suite,
        *,
        imports: Collection[str] | None,
        rivals: Sequence[Rival] = (),
        parts: Collection[str] = (),
        foretold: int = 0,
        doubt: str = "",
    ) -> ProofReport:
        """Run *suite* against *source* and say what the proof is worth.

        *foretold* counts the examples that the search for a program foretold when it was not shown them. Such a program
        was compared with all others that fit, so that mistakes put into it say nothing: nobody would have written them.
        *doubt* is why the search does not vouch for a yes or no that its program decides.

        *parts* names what was not written for this program but copied from a library that has tests of its own: it is
        not made wrong. *rivals* are other programs for the same request, written apart: one that passes the tests and
        agrees over the domain is a witness, and where one disagrees, what is right is open.
        """
        started = time.monotonic()
        options = self.options
        program = self._program(source, entry, imports)
        cases = cases_of(suite, entry)
        if suite.witness:
            ran = run_cases(self.sandbox, program, cases)
            return _report(started, ran, assessment=_accept_reading(suite, ran))
        with ThreadPoolExecutor(1) as others:
            # While the tests run on another core, make ready what comes after them.
            running = others.submit(run_tests, self.sandbox, program, cases)
            inputs = make_inputs(entry, suite, cases, options)
            variants = make_variants(program, rivals, parts, mutants=0 if foretold else options.mutants)
            ran = running.result()
        if ran.refused:
            return _report(started, ran)
        outcome = run_trials(self.sandbox, program, ran, inputs, variants, options)
        refused = refuse_outcome(self.sandbox, program, ran, outcome, options)
        if refused:
            return _report(started, ran, outcome, refused=refused)
        assessment = assess(
            self.sandbox, program, suite, ran, outcome, agreeing=options.agreeing, foretold=foretold, doubt=doubt
        )
        return _report(started, ran, outcome, assessment)

    def rerun(
        self, source: str, entry: Entry, suite: Suite, *, imports: Collection[str] | None
    ) -> tuple[TestResult, ...]:
        """Run the tests alone again, as they were stored."""
        return run_cases(self.sandbox, self._program(source, entry, imports), cases_of(suite, entry)).results

    def _program(self, source: str, entry: Entry, imports: Collection[str] | None) -> Program:
        allowed = None if imports is None else frozenset(imports)
        return Program(source=source, entry=entry, imports=allowed, timeout=self.options.timeout)


def _accept_reading(suite: Suite, ran: Ran) -> Assessment:
    """Say that an independent reading vouches: it has worked out every output from the input itself."""
    return Assessment(
        witnesses=(Witness(kind="reading", author="reading", count=len(ran.results), what=suite.witness),)
    )


def _report(
    started: float,
    ran: Ran,
    outcome: Outcome | None = None,
    assessment: Assessment | None = None,
    *,
    refused: Sequence[Verdict] = (),
) -> ProofReport:
    """Tell what a proof found; *refused* are the verdicts on its trials, those on its tests are with them."""
    rejected = (*ran.refused, *refused)
    found = Assessment() if rejected or assessment is None else assessment
    proof = Proof(
        strength="none" if rejected else found.strength,
        tests=len(ran.results),
        held_out=sum(result.kind == "held-out" for result in ran.results),
        evidence=found.witnesses,
        open=found.open,
    )
    report = ProofReport(
        proof=proof,
        verdicts=rejected or (found.describe(),),
        results=ran.results,
        notes=ran.notes,
        survivors=found.survivors,
        question=found.question,
        disputed=tuple(_disputed(ran)),
        milliseconds=(time.monotonic() - started) * 1000,
    )
    return report if outcome is None else _with_trials(report, outcome)


def _with_trials(report: ProofReport, outcome: Outcome) -> ProofReport:
    """Add to a report what the trials gave."""
    tried, proof = outcome.tried, report.proof
    if report.accepted:
        caught = [killed for at, killed in outcome.caught.items() if at < len(outcome.variants.mutants)]
        proof = replace(proof, mutants=len(caught), mutants_killed=sum(caught))
    problem = (f"wrong programs could not be tried: {tried.problem}",) if tried.problem else ()
    return replace(report, proof=proof, notes=(*report.notes, *problem))


def _disputed(ran: Ran) -> Iterator[Disputed]:
    """Yield the tests from the intent that the program fails, where all others pass; else it is simply wrong."""
    passed = [result.passed for result in ran.results]
    pairs = [(case, answer) for case, answer, ok in zip(ran.cases, ran.answers, passed, strict=True) if not ok]
    if all(case.test.kind in WRITTEN for case, _ in pairs):
        for case, answer in pairs:
            yield Disputed(test=case.test, gave=answer.value if answer.ok and not case.replay else UNSET)


def prove_by_asking(
    sandbox: Sandbox, source: str, entry: Entry, suite: Suite, asking: Asking, *, language: str
) -> ProofReport:
    """Run *suite* on the program of any language behind *asking*, twice, and say what the proof is worth.

    Mistakes are put into Python programs alone to see whether the tests notice, so what the tests would not notice
    stays open, unless an independent reading vouches for every output.
    """
    started = time.monotonic()
    cases = cases_of(suite, entry)
    # A test function that does more than claim outputs speaks Python to the program.
    asked = [case for case in cases if case.replay is None]
    skipped = len(cases) - len(asked)
    notes = (f"{skipped} test functions are for Python and were not run",) if skipped else ()
    inputs = [case.test.input for case in asked if not case.problem]
    first = asking(inputs)
    ran = replace(judge_answers(sandbox, asked, first), notes=notes)
    if not ran.refused and any(map(_differ, first, asking(inputs))):
        ran = replace(ran, refused=(_wavering(),))
    if suite.witness:
        return replace(_report(started, ran, assessment=_accept_reading(suite, ran)), disputed=())
    program = Program(source=source, entry=entry, imports=None)
    ran = replace(refuse_vacuous(sandbox, program, ran), notes=notes)
    said = f"mistakes put into it were not tried: that is not done for {language}"
    untried = OpenPoint(kind="mistake", author="mutants", count=1, what=said)
    witnesses = () if ran.refused else tuple(witnesses_among(sandbox, program, asked, suite))
    return replace(_report(started, ran, assessment=Assessment(witnesses=witnesses, open=(untried,))), disputed=())


def _differ(one: Answer, other: Answer) -> bool:
    return one.errors != other.errors or not same(one.value, other.value)


def _wavering() -> Verdict:
    return refuse(
        code="NONDETERMINISTIC",
        message="the same input gives another output the second time",
        fix="use neither chance nor the time",
    )
