"""The proof gate: run the tests where they cannot be cheated, and measure what passing them is worth."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from mayfly.core import Proof, Verdict, shown
from mayfly.gates._entry import Entry
from mayfly.gates.proof._adversary import attack, convict, suspects
from mayfly.gates.proof._doubts import crash, luck, surprise
from mayfly.gates.proof._empty import Empty, empty_results
from mayfly.gates.proof._mutants import Mutant, lines_of, mutants_of, without_own_tests
from mayfly.gates.proof._mutants_run import Fate, Trial, Tried, try_variants
from mayfly.gates.proof._options import ProofOptions
from mayfly.gates.proof._properties import GATE, steady, typed
from mayfly.gates.proof._report import AdversaryReport, ProofReport, Question, Survivor
from mayfly.gates.proof._run_tests import Case, Ran, TestResult, cases_of, run_tests
from mayfly.gates.proof._run_tests_ask import Answer, Program, ask
from mayfly.gates.proof._strength import Evidence, Weakness, proof_of, weaknesses
from mayfly.gates.proof._suite import Suite
from mayfly.gates.proof._survivors import Judged, judge_fates, open_inputs, question_of, survivors_of, telling_of
from mayfly.gates.proof._values import Given, Inputs
from mayfly.sandbox import Sandbox

# Another version of this gate makes everything be proven again.
_SHOWN_FAILURES = 5


@dataclass(kw_only=True)
class _Work:
    """What one proof has found so far."""

    program: Program
    cases: list[Case] = field(default_factory=list)
    ran: Ran = field(default_factory=lambda: Ran([], [], []))
    quiet: Program | None = None
    skip: frozenset[int] = frozenset()
    given: list[Given] = field(default_factory=list)
    odd: list[Given] = field(default_factory=list)
    mutants: list[Mutant] = field(default_factory=list)
    rivals: list[str] = field(default_factory=list)
    tried: Tried = field(default_factory=Tried)
    judged: Judged = field(default_factory=lambda: Judged([], {}))
    disagreeing: list[int] = field(default_factory=list)
    survivors: tuple[Survivor, ...] = ()
    crash: tuple[Given, Answer] | None = None
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    adversary: AdversaryReport = field(default_factory=AdversaryReport)

    @property
    def sources(self) -> list[str]:
        """Every program that is tried beside the one to be proven."""
        return [*(mutant.source for mutant in self.mutants), *self.rivals]


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
        rivals: Sequence[str] = (),
        parts: Collection[str] = (),
    ) -> ProofReport:
        """Run *suite* against *source* and say what the proof is worth.

        *parts* names what was not written for this program but copied from a library that has tests of its own: it is
        neither made wrong nor has every line of it to be reached.

        *rivals* are other programs for the same request: where one passes the tests and disagrees elsewhere, the tests
        have not settled what is right.
        """
        started = time.monotonic()
        program = self._program(source, entry, imports)
        if suite.witness:
            return self._witnessed(program, suite, started)
        with ThreadPoolExecutor(2) as others:
            running = others.submit(run_tests, self.sandbox, program, suite)
            # While the tests run on another core, make ready what comes after them.
            work = self._ready(program, suite, rivals, parts)
            again = None if work.sources or work.given else others.submit(self._again, work)
            work.ran = running.result()
            failed = _failures(work.ran)
            if failed:
                return _report(replace(work, verdicts=failed), "none", started)
            empty = empty_results(self.sandbox, program, work.ran.cases)
            if empty.vacuous:
                work.verdicts.append(_vacuous())
                return _report(work, "none", started)
            self._try(work, others, again)
        return self._conclude(work, empty, started)

    def _witnessed(self, program: Program, suite: Suite, started: float) -> ProofReport:
        """Run the tests alone: somebody else has worked out every one of their outputs from the input itself."""
        work = _Work(program=program, cases=cases_of(suite, program.entry))
        work.ran = run_tests(self.sandbox, program, suite)
        failed = _failures(work.ran)
        if failed:
            return _report(replace(work, verdicts=failed), "none", started)
        evidence = Evidence(
            tests=len(work.ran.results), held_out=sum(result.kind == "held-out" for result in work.ran.results)
        )
        told = (suite.witness, f"{evidence.tests} tests")
        proof = Proof(strength="strong", tests=evidence.tests, held_out=evidence.held_out, evidence=told)
        work.verdicts.append(_accepted(proof, (), None))
        report = _report(work, "strong", started, evidence)
        return replace(report, proof=proof)

    def rerun(
        self, source: str, entry: Entry, suite: Suite, *, imports: Collection[str] | None
    ) -> tuple[TestResult, ...]:
        """Run the tests alone again, as they were stored."""
        return tuple(run_tests(self.sandbox, self._program(source, entry, imports), suite).results)

    def _program(self, source: str, entry: Entry, imports: Collection[str] | None) -> Program:
        allowed = None if imports is None else frozenset(imports)
        return Program(source=source, entry=entry, imports=allowed, timeout=self.options.timeout)

    def _ready(self, program: Program, suite: Suite, rivals: Sequence[str], parts: Collection[str]) -> _Work:
        """Make inputs and mutants; nothing is run."""
        options = self.options
        work = _Work(program=program, cases=cases_of(suite, program.entry))
        if options.properties or options.adversary or options.rivals:
            self._make_inputs(work, suite)
        work.quiet = replace(program, source=without_own_tests(program.source))
        work.skip = lines_of(program.source, parts)
        work.mutants = mutants_of(work.quiet.source, options.mutants, skip=work.skip) if options.mutants else []
        work.rivals = [rival for rival in rivals if rival != program.source]
        return work

    def _try(self, work: _Work, others: ThreadPoolExecutor, again: Future[Tried] | None) -> None:
        """Run mutants, rivals and generated inputs, in as few jobs as the cores allow."""
        if again is not None:
            work.tried = again.result()
            return
        options, program, sources = self.options, work.program, work.sources
        trial = Trial(
            program=work.quiet or program,
            asks=[json.dumps(case.ask) for case in work.ran.cases],
            more=work.given,
            seconds=options.mutant_seconds,
            factor=options.mutant_factor,
            more_seconds=options.near_seconds,
            total=options.total_seconds,
        )
        attacked = others.submit(attack, self.sandbox, program, work.odd, options) if work.odd else None
        work.tried = try_variants(self.sandbox, trial, sources)
        work.judged = judge_fates(self.sandbox, program, work.ran.cases, work.tried.fates, sources)
        if attacked is not None:
            work.adversary = attacked.result()

    def _again(self, work: _Work) -> Tried:
        """Ask the same in another process, where nothing else is to be tried: what wavers is found out even so."""
        places = [at for at, case in enumerate(work.cases) if not case.replay and not case.problem]
        answers: dict[int, Answer] = dict(
            zip(places, ask(self.sandbox, work.program, [work.cases[at].ask for at in places]), strict=True)
        )
        return Tried(tests=(tuple(answers.get(at, Answer()) for at in range(len(work.cases))),))

    def _make_inputs(self, work: _Work, suite: Suite) -> None:
        options = self.options
        examples = [case.test.input for case in work.cases if not case.replay and not case.test.raises]
        inputs = Inputs(work.program.entry, work.program.source, [*examples, *suite.samples])
        work.given = inputs.near(options.near)
        if options.adversary:
            work.odd = [*inputs.odd(options.odd), *inputs.large()]

    def _conclude(self, work: _Work, empty: Empty, started: float) -> ProofReport:
        options, tried, ran = self.options, work.tried, work.ran
        if tried.problem:
            work.notes.append(f"wrong programs could not be tried: {tried.problem}")
        work.verdicts += steady(ran.cases, ran.answers, tried)
        if options.properties:
            verdicts, notes = typed(work.program, tried, work.given)
            work.verdicts += verdicts
            work.notes += notes
        if options.adversary:
            suspected = suspects(work.given, tried.more) if tried.more else [one for one in work.given if one.inside]
            work.verdicts += convict(self.sandbox, work.program, suspected, options)
        if empty.meant and empty.uncaught:
            work.notes.append("every expected output is the same value")
        return self._finish(work, self._evidence(work, empty), started)

    def _evidence(self, work: _Work, empty: Empty) -> Evidence:
        tried, ran, options = work.tried, work.ran, self.options
        count = len(work.mutants)
        mutants = [at for at in work.judged.counted if at < count]
        rivals = [at for at in work.judged.counted if at >= count and not work.judged.caught[at]]
        work.disagreeing = [at for at in rivals if telling_of(tried.fates[at], tried, work.given)]
        work.survivors = survivors_of(work.mutants, _only(work.judged, count), tried, work.given)
        if options.properties:
            work.crash = crash(work.program.source, ran.cases, work.given, tried.more)
        return Evidence(
            tests=len(ran.results),
            held_out=sum(result.kind == "held-out" for result in ran.results),
            killed=sum(work.judged.caught[at] for at in mutants),
            mutants=len(mutants),
            uncaught=empty.uncaught,
            unreached=tuple(sorted(tried.known - tried.reached - work.skip)),
            telling=tuple(one.describe() for one in work.survivors if one.input) if options.rivals else (),
            crash=_told_crash(work.crash),
            surprise=surprise(ran.cases, work.given, tried.more) if options.properties else "",
            luck=luck(ran.cases, work.program.source),
            rivals=len(work.disagreeing),
        )

    def _finish(self, work: _Work, evidence: Evidence, started: float) -> ProofReport:
        options = self.options
        if any(verdict.decision == "reject" for verdict in work.verdicts):
            return _report(work, "none", started, evidence)
        found = weaknesses(evidence, options)
        proof = proof_of(evidence, options)
        question = self._question(work) if options.rivals else None
        work.verdicts.append(_accepted(proof, found, question))
        return _report(work, proof.strength, started, evidence, found, question)

    def _question(self, work: _Work) -> Question | None:
        """Ask about a rival program first; a mutant that survives is the next best."""
        tried, name = work.tried, work.program.entry.name
        rivals = [tried.fates[at] for at in work.disagreeing]
        alive = [at for at in work.judged.counted if at < len(work.mutants) and not work.judged.caught[at]]
        mutants = [tried.fates[at] for at in alive]
        return question_of(rivals, tried, work.given, name) or question_of(mutants, tried, work.given, name)


def _failures(ran: Ran) -> list[Verdict]:
    """Return the verdicts of a suite that is empty or that the program does not pass."""
    if not ran.cases:
        fix = "write tests that can fail: examples, checks or test functions"
        return [Verdict(decision="reject", gate=GATE, code="NO_TESTS", message="there are no tests", fix=fix)]
    failed = [
        Verdict(
            decision="reject",
            gate=GATE,
            code="NONDETERMINISTIC" if "NONDETERMINISTIC" in result.error else "TEST_FAILED",
            message=f"{result.name}{f', input {result.input}' if result.input else ''}: {result.error}",
            measured=result.got or None,
            limit=result.expected or None,
            line=result.line,
            fix="make the program give the expected output",
        )
        for result in ran.failed
    ]
    return failed[:_SHOWN_FAILURES]


def _vacuous() -> Verdict:
    return Verdict(
        decision="reject",
        gate=GATE,
        code="VACUOUS",
        message="the tests prove nothing: every empty result passes them all",
        fix="add a test that fails for None, for an empty list and for the input handed back",
    )


def _accepted(proof: Proof, found: Sequence[Weakness], question: Question | None) -> Verdict:
    told = f"{proof.tests} tests, {proof.mutants_killed} of {proof.mutants} wrong programs caught"
    if proof.evidence:
        told = "; ".join(proof.evidence)
    if proof.strength == "strong":
        return Verdict(decision="accept", gate=GATE, code="STRONG", message=told)
    fix = f"answer: {question.text}" if question else "add examples, or tests that pin the rest of the behaviour"
    return Verdict(
        decision="accept", gate=GATE, code="WEAK", message=f"{told}; {'; '.join(one.text for one in found)}", fix=fix
    )


def _report(
    work: _Work,
    strength: str,
    started: float,
    evidence: Evidence | None = None,
    found: Sequence[Weakness] = (),
    question: Question | None = None,
) -> ProofReport:
    held_out = sum(result.kind == "held-out" for result in work.ran.results)
    proof = Proof(
        strength="none" if strength == "none" else ("strong" if strength == "strong" else "weak"),
        tests=len(work.ran.results),
        held_out=held_out,
        mutants_killed=evidence.killed if evidence else 0,
        mutants=evidence.mutants if evidence else 0,
    )
    return ProofReport(
        proof=proof,
        verdicts=tuple(work.verdicts),
        results=tuple(work.ran.results),
        survivors=work.survivors,
        unreached=evidence.unreached if evidence else (),
        weaknesses=tuple(one.text for one in found),
        doubts=tuple(one.code for one in found),
        notes=tuple(work.notes),
        question=question,
        open=(*open_inputs(_untold(work), work.tried, work.given), *([work.crash[0].input] if work.crash else ())),
        adversary=work.adversary,
        milliseconds=(time.monotonic() - started) * 1000,
    )


def _told_crash(found: tuple[Given, Answer] | None) -> str:
    return f"{shown(found[0].input, 80)} ends in {found[1].error}" if found else ""


def _untold(work: _Work) -> list[Fate]:
    """Return what became of the programs that no test catches."""
    alive = [at for at in work.judged.counted if not work.judged.caught[at]]
    return [work.tried.fates[at] for at in alive]


def _only(judged: Judged, count: int) -> Judged:
    return Judged([at for at in judged.counted if at < count], judged.caught)
