"""The proof gate: run the tests where they cannot be cheated, and say who speaks for a program and what is open."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from mayfly.core import UNSET, OpenPoint, Proof, Verdict, Witness, shown
from mayfly.gates._entry import Entry
from mayfly.gates.proof._adversary import attack, convict, suspects
from mayfly.gates.proof._domain import Domain, Given
from mayfly.gates.proof._doubts import crash, surprise
from mayfly.gates.proof._empty import empty_results
from mayfly.gates.proof._mutants import Mutant, lines_of, mutants_of, without_own_tests
from mayfly.gates.proof._mutants_run import Fate, Trial, Tried, try_variants
from mayfly.gates.proof._options import ProofOptions
from mayfly.gates.proof._properties import GATE, steady, typed
from mayfly.gates.proof._report import AdversaryReport, Disputed, ProofReport, Question, Survivor
from mayfly.gates.proof._rivals import Rival, callable_as
from mayfly.gates.proof._run_tests import Case, Ran, TestResult, cases_of, run_tests
from mayfly.gates.proof._run_tests_ask import Answer, Program, ask
from mayfly.gates.proof._strength import class_doubt, strength_of, witnesses_among
from mayfly.gates.proof._suite import WRITTEN, Suite
from mayfly.gates.proof._survivors import Judged, judge_fates, open_inputs, question_of, survivors_of, telling_of
from mayfly.sandbox import Sandbox

_SHOWN_FAILURES = 5


@dataclass(kw_only=True)
class _Work:
    """What one proof has found so far."""

    program: Program
    suite: Suite
    cases: list[Case] = field(default_factory=list)
    ran: Ran = field(default_factory=lambda: Ran([], [], []))
    quiet: Program | None = None
    skip: frozenset[int] = frozenset()
    given: list[Given] = field(default_factory=list)
    large: list[Given] = field(default_factory=list)
    mutants: list[Mutant] = field(default_factory=list)
    rivals: list[Rival] = field(default_factory=list)
    tried: Tried = field(default_factory=Tried)
    judged: Judged = field(default_factory=lambda: Judged([], {}))
    survivors: tuple[Survivor, ...] = ()
    crash: tuple[Given, Answer] | None = None
    witnesses: list[Witness] = field(default_factory=list)
    open: list[OpenPoint] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    adversary: AdversaryReport = field(default_factory=AdversaryReport)

    @property
    def sources(self) -> list[str]:
        """Every program that is tried beside the one to be proven."""
        return [*(mutant.source for mutant in self.mutants), *(rival.source for rival in self.rivals)]

    def alive(self, *, rivals: bool) -> list[int]:
        """Return the places of the mutants, or of the rivals, that no test catches."""
        count = len(self.mutants)
        return [at for at in self.judged.counted if (at >= count) == rivals and not self.judged.caught[at]]


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
        program = self._program(source, entry, imports)
        if suite.witness:
            return self._witnessed(program, suite, started)
        with ThreadPoolExecutor(2) as others:
            running = others.submit(run_tests, self.sandbox, program, suite)
            # While the tests run on another core, make ready what comes after them.
            work = self._ready(program, suite, rivals, parts, mutants=0 if foretold else self.options.mutants)
            again = None if work.sources or work.given else others.submit(self._again, work)
            work.ran = running.result()
            failed = failures_of(work.ran)
            if failed:
                return _report(replace(work, verdicts=failed), started)
            empty = empty_results(self.sandbox, program, work.ran.cases)
            if empty.vacuous:
                work.verdicts.append(vacuous())
                return _report(work, started)
            if empty.meant and empty.uncaught:
                work.notes.append("every expected output is the same value")
            self._try(work, others, again)
        return self._conclude(work, started, foretold=foretold, doubt=doubt)

    def _witnessed(self, program: Program, suite: Suite, started: float) -> ProofReport:
        """Run the tests alone: somebody else has worked out every one of their outputs from the input itself."""
        work = _Work(program=program, suite=suite, cases=cases_of(suite, program.entry))
        work.ran = run_tests(self.sandbox, program, suite)
        failed = failures_of(work.ran)
        if failed:
            return _report(replace(work, verdicts=failed), started)
        count = len(work.ran.results)
        work.witnesses = [Witness(kind="reading", author="reading", count=count, what=suite.witness)]
        work.verdicts.append(_accepted(work, None))
        return _report(work, started)

    def rerun(
        self, source: str, entry: Entry, suite: Suite, *, imports: Collection[str] | None
    ) -> tuple[TestResult, ...]:
        """Run the tests alone again, as they were stored."""
        return tuple(run_tests(self.sandbox, self._program(source, entry, imports), suite).results)

    def _program(self, source: str, entry: Entry, imports: Collection[str] | None) -> Program:
        allowed = None if imports is None else frozenset(imports)
        return Program(source=source, entry=entry, imports=allowed, timeout=self.options.timeout)

    def _ready(
        self, program: Program, suite: Suite, rivals: Sequence[Rival], parts: Collection[str], *, mutants: int
    ) -> _Work:
        """Make inputs and mutants; nothing is run."""
        options = self.options
        work = _Work(program=program, suite=suite, cases=cases_of(suite, program.entry))
        known = [case.test.input for case in work.cases if not case.replay and not case.test.raises]
        domain = Domain(program.entry, [*known, *suite.samples], pattern=suite.pattern, never=suite.never)
        work.given = domain.make(options.inputs) if options.inputs else []
        work.large = domain.large() if options.adversary else []
        work.quiet = replace(program, source=without_own_tests(program.source))
        work.skip = lines_of(program.source, parts)
        work.mutants = mutants_of(work.quiet.source, mutants, skip=work.skip) if mutants else []
        work.rivals = [made for rival in rivals if (made := callable_as(rival, program.entry, program.source))]
        return work

    def _try(self, work: _Work, others: ThreadPoolExecutor, again: Future[Tried] | None) -> None:
        """Run mutants, rivals and the inputs of the domain, in as few jobs as the cores allow."""
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
            more_seconds=options.input_seconds,
            total=options.total_seconds,
        )
        attacked = others.submit(attack, self.sandbox, program, work.large, options) if work.large else None
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

    def _conclude(self, work: _Work, started: float, *, foretold: int, doubt: str) -> ProofReport:
        tried, ran = work.tried, work.ran
        if tried.problem:
            work.notes.append(f"wrong programs could not be tried: {tried.problem}")
        work.verdicts += steady(ran.cases, ran.answers, tried)
        work.verdicts += typed(work.program, tried, work.given)
        if self.options.adversary:
            suspected = suspects(work.given, tried.more) if tried.more else [one for one in work.given if one.inside]
            work.verdicts += convict(self.sandbox, work.program, suspected, self.options)
        if any(verdict.decision == "reject" for verdict in work.verdicts):
            return _report(work, started)
        mutants = [at for at in work.judged.counted if at < len(work.mutants)]
        work.survivors = survivors_of(work.mutants, Judged(mutants, work.judged.caught), tried, work.given)
        work.crash = crash(work.program.source, ran.cases, work.given, tried.more)
        if foretold:
            told = f"{foretold} of your examples foretold without being shown"
            work.witnesses.append(Witness(kind="held-out", author="examples", count=foretold, what=told))
        work.witnesses += witnesses_among(self.sandbox, work.program, ran.cases, work.suite)
        work.witnesses += self._agreeing(work)
        work.open += self._open(work, by_search=foretold > 0)
        if lacking := class_doubt(work.cases, work.witnesses, doubt):
            work.open.append(OpenPoint(kind="classes", author="examples", count=1, what=lacking))
        question = self._question(work)
        work.verdicts.append(_accepted(work, question))
        return _report(work, started, question)

    def _agreeing(self, work: _Work) -> Iterator[Witness]:
        """Yield the rivals that answer as the program does, to every test and on enough inputs of the domain."""
        answered = sum(answer.ok for answer in work.tried.more)
        if answered < self.options.agreeing:
            return
        for at, rival in enumerate(work.rivals, len(work.mutants)):
            fate = work.tried.fates[at] if at < len(work.tried.fates) else Fate(skipped=True)
            caught = work.judged.caught.get(at, False)
            if fate.skipped or caught or fate.broken or fate.changed or fate.disagrees:
                continue
            told = f"a second program agrees on {answered} inputs"
            yield Witness(kind="rival", author=rival.author, count=answered, what=told)

    def _open(self, work: _Work, *, by_search: bool) -> Iterator[OpenPoint]:
        """Yield what can occur and nobody settles; a rival that agrees everywhere settles what mutants leave open."""
        tried, given = work.tried, work.given
        if {witness.kind for witness in work.witnesses} == {"held-out"} and not by_search:
            # Whoever writes for an intent gets such examples right in many wrong ways: they show the middle of it.
            said = "only examples speak for it: nothing was tested that follows from the words"
            yield OpenPoint(kind="words", author="intent", count=1, what=said)
        for at in work.alive(rivals=True):
            telling = telling_of(tried.fates[at], tried, given)
            if telling is not None:
                place, other = telling
                told = shown(other.value, 80) if other.ok else other.error
                mine = shown(tried.more[place].value, 80)
                said = f"a second program gives {told} for {shown(given[place].input, 80)}, not {mine}"
                yield OpenPoint(kind="rival", author=work.rivals[at - len(work.mutants)].author, count=1, what=said)
        telling_mutants = [one for one in work.survivors if one.input]
        if telling_mutants and not any(witness.kind == "rival" for witness in work.witnesses):
            first, count = telling_mutants[0].describe(), len(telling_mutants)
            others = f" (and {count - 1} more)" if count > 1 else ""
            said = f"a mistake would not be noticed: {first}{others}"
            yield OpenPoint(kind="mistake", author="mutants", count=count, what=said)
        if work.crash is not None:
            said = f"it fails on {shown(work.crash[0].input, 80)}: {work.crash[1].error}"
            yield OpenPoint(kind="failure", author="domain", count=1, what=said)
        if odd := surprise(work.ran.cases, given, tried.more):
            said = f"it gives another kind of result than the tests: {odd}"
            yield OpenPoint(kind="result", author="domain", count=1, what=said)

    def _question(self, work: _Work) -> Question | None:
        """Ask about a rival program first; a mutant that survives is the next best."""
        tried, name = work.tried, work.program.entry.name
        rivals = [tried.fates[at] for at in work.alive(rivals=True)]
        mutants = [tried.fates[at] for at in work.alive(rivals=False)]
        return question_of(rivals, tried, work.given, name) or question_of(mutants, tried, work.given, name)


def failures_of(ran: Ran) -> list[Verdict]:
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


def vacuous() -> Verdict:
    """Return the verdict on tests that everything passes."""
    return Verdict(
        decision="reject",
        gate=GATE,
        code="VACUOUS",
        message="the tests prove nothing: every empty result passes them all",
        fix="add a test that fails for None, for an empty list and for the input handed back",
    )


def _accepted(work: _Work, question: Question | None) -> Verdict:
    return tell_strength(work.witnesses, work.open, question)


def tell_strength(witnesses: Sequence[Witness], open_: Sequence[OpenPoint], question: Question | None) -> Verdict:
    """Return the verdict that says how strong the proof is, what it rests on and what would make it stronger."""
    strength = strength_of(witnesses, open_)
    told = "; ".join(map(str, witnesses)) or "only what its author was shown speaks for it"
    if open_:
        told += "; open: " + "; ".join(map(str, open_))
    fix = None
    if strength == "weak":
        fix = "add examples (of three or more some are held out), tests (--tests), or a model that writes tests"
    if strength != "strong" and question is not None:
        fix = f"answer: {question.text}"
    return Verdict(decision="accept", gate=GATE, code=strength.upper(), message=told, fix=fix)


def _report(work: _Work, started: float, question: Question | None = None) -> ProofReport:
    accepted = all(verdict.decision != "reject" for verdict in work.verdicts)
    mutants = [at for at in work.judged.counted if at < len(work.mutants)]
    proof = Proof(
        strength=strength_of(work.witnesses, work.open) if accepted else "none",
        tests=len(work.ran.results),
        held_out=sum(result.kind == "held-out" for result in work.ran.results),
        mutants_killed=sum(work.judged.caught[at] for at in mutants) if accepted else 0,
        mutants=len(mutants) if accepted else 0,
        evidence=tuple(work.witnesses) if accepted else (),
        open=tuple(work.open) if accepted else (),
    )
    return ProofReport(
        proof=proof,
        verdicts=tuple(work.verdicts),
        results=tuple(work.ran.results),
        survivors=work.survivors,
        unreached=tuple(sorted(work.tried.known - work.tried.reached - work.skip)),
        notes=tuple(work.notes),
        question=question,
        open=(*open_inputs(_untold(work), work.tried, work.given), *([work.crash[0].input] if work.crash else ())),
        disputed=tuple(_disputed(work.ran)),
        adversary=work.adversary,
        milliseconds=(time.monotonic() - started) * 1000,
    )


def _disputed(ran: Ran) -> Iterator[Disputed]:
    """Yield the tests from the intent that the program fails, where all others pass; else it is simply wrong."""
    failed = [result.passed for result in ran.results]
    pairs = [(case, answer) for case, answer, ok in zip(ran.cases, ran.answers, failed, strict=True) if not ok]
    if all(case.test.kind in WRITTEN for case, _ in pairs):
        for case, answer in pairs:
            yield Disputed(test=case.test, gave=answer.value if answer.ok and not case.replay else UNSET)


def _untold(work: _Work) -> list[Fate]:
    """Return what became of the programs that no test catches."""
    return [work.tried.fates[at] for rivals in (False, True) for at in work.alive(rivals=rivals)]
