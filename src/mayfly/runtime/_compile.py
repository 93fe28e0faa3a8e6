"""From a task to an admitted agent: remembered, or written, gated and proven now."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly import forge, gates
from mayfly.core import UNSET, Artifact, Contract, Example, HelpNeeded, MayflyError, Tier, same, sorts_into_classes
from mayfly.library import Remembered, Tampered
from mayfly.runtime._collapse import Collapse
from mayfly.runtime._known import answered_since, key_of, promoted_for
from mayfly.runtime._question import ask_of_data, is_about_data
from mayfly.runtime._task import LONGEST_SAMPLE, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mayfly.core import Proof
    from mayfly.forge import Forge, Made, ModelArchitect, Request
    from mayfly.gates import Admission, Entry, Rival, RivalQuestion, Suite, Test
    from mayfly.models import Model
    from mayfly.runtime._parts import Parts
    from mayfly.runtime._question import Asked
    from mayfly.runtime._story import Story
    from mayfly.runtime._task import Task


# Seconds of CPU for programs by example where a model can be asked: of 150 tasks those claimed right were found within
# 0.12 s (80 of 80), and a search without end costs a first answer as much as loading the client of a model does.
_SOON = 0.25


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """Hold an agent that every gate admitted."""

    artifact: Artifact
    entry: Entry
    proof: Proof
    admission: Admission | None = None
    suite: Suite | None = None
    question: RivalQuestion | None = None
    key: str = ""
    # The model that was named, which is part of the question.
    author: str | None = None
    repeat: bool = False
    # Whether it was taken from what is promoted.
    promoted: bool = False
    # What an independent reading of the same input gives, where there is one.
    expected: object = UNSET

    @property
    def reading(self) -> str:
        """How the request was read, where it was read and not written by a model."""
        return str(self.artifact.provenance.get("reading", ""))

    @property
    def kept(self) -> bool:
        """Whether the source outlives the run."""
        return bool(self.key)

    def remember(self, parts: Parts, task: Task, story: Story, *, not_understood: float = 0.0) -> None:
        """Keep the agent and the share of lines it does not understand; at tier ephemeral nothing is kept."""
        if not self.key:
            return
        told = {"not_understood": not_understood, "input": not task.is_without_input}
        agent = Remembered(
            artifact=replace(self.artifact, provenance={**self.artifact.provenance, **told}),
            proof=self.proof,
            versions=parts.versions(),
            intent=task.intent,
            spread=self.entry.spread,
            asked=key_of(parts, task, self.author, lasting=True),
        )
        # What a person answered speaks for the program whenever the same is asked again.
        unasked = key_of(parts, replace(task, answers=(), never=()), self.author)
        for key in dict.fromkeys((self.key, unasked)) if self.proof.holds else (self.key,):
            parts.memo.put(key, agent)
        story.cached(self.artifact, self.key, hit=False)


def find_again(parts: Parts, task: Task, story: Story, *, model: str | None) -> Compiled | None:
    """Return the agent that was proven for the same question, checked as if a stranger had brought it."""
    if task.profile.tier is Tier.EPHEMERAL:
        return None
    key = key_of(parts, task, model)
    try:
        found = parts.memo.get(key, versions=parts.versions())
    except Tampered as error:
        story.tell("tampered", str(error))
        parts.memo.forget(key)
        raise Collapse(str(error), error.code) from error
    if found is None:
        return None
    admission = parts.again.check(found.artifact, profile=task.profile)
    if admission.decision == "reject" or admission.entry is None:
        return None
    entry = replace(admission.entry, spread=found.spread)
    story.cached(found.artifact, key, hit=True)
    return Compiled(artifact=found.artifact, entry=entry, proof=found.proof, key=key, repeat=True)


@dataclass(frozen=True, kw_only=True)
class Writing:
    """Everything that one compilation works with."""

    parts: Parts
    task: Task
    story: Story
    # Who is asked, and under what name that was said.
    model: Model | None
    named: str | None
    suite: Suite | None
    # Tests that bind whatever is written, besides those that are written for it.
    given: tuple[Test, ...]
    shown: tuple[Example, ...]
    held_out: tuple[Example, ...]
    # What the question asks for, where the task is a question about data that was understood.
    question: Asked | None

    def request(self, contract: Contract, examples: tuple[Example, ...] | None = None) -> Request:
        """Return what a writer may know."""
        request = replace(self.task.request(self.shown if examples is None else examples), contract=contract)
        if self.question is None:
            return request
        asked = self.question
        return replace(request, proposal=asked.proposal, whole=asked.items, complete=asked.complete)

    def tests(self, suite: Suite) -> Suite:
        """Return the tests with what a person answered since they were written."""
        answers = [
            gates.Test(name=f"answer {number}", kind="answer", input=one.input, expected=one.output)
            for number, one in enumerate(self.task.answers, 1)
        ]
        # A test that an answer, or a case that was given, contradicts is wrong.
        said = (*self.task.answers, *(Example(input=one.input, output=one.expected) for one in self._cases()))
        kept = [test for test in suite.tests if not any(forge.contradicts(test, one) for one in said)]
        return replace(suite, tests=(*kept, *answers, *self.given), never=(*suite.never, *self.task.never))

    def _cases(self) -> Iterator[Test]:
        return (test for test in self.given if test.expected is not UNSET)

    def forge(self, model: Model | None) -> Forge:
        """Return a forge for one writer."""
        pool = self.story.pool
        return forge.Forge(
            gates=self.parts.gates(self._judge(model), pool),
            reflector=forge.Reflector(model, pool),
            arbiter=forge.Arbiter(model, pool),
            attempts=_attempts(self.parts.settings.forge.attempts, self.task),
        )

    def _judge(self, model: Model | None) -> Model | None:
        """Return who judges: below tier authored a model is asked where somebody said so, or wrote its answers down."""
        kept = self.task.profile.tier not in (Tier.EPHEMERAL, Tier.MEMO)
        # A recording of such a run is answered like the run.
        told = model is not None and model.name.startswith(("scripted:", "replay:"))
        return model if kept or told or self.parts.settings.forge.judge == "model" else None


def compile_task(
    parts: Parts,
    task: Task,
    story: Story,
    *,
    model: str | None,
    suite: Suite | None = None,
    record: Path | None = None,
    given: tuple[Test, ...] = (),
) -> Compiled:
    """Write, gate and prove, also by the tests that were *given*; raise what stood in the way.

    The synthesizer goes first, since it costs nothing; a model is asked where that gives nothing strong, and what was
    found is then a rival of what the model writes.
    """
    story.check()
    parts.types.start()
    story.pool = parts.pool(story.id, story.stop, story.fence)
    shown, held_out = forge.hold_out(task.examples)
    asked = parts.model(model, record) if model else None
    writes = asked is not None and asked.serves("architect")
    if not writes:
        _refuse_nothing_to_see(task)
    question = _ask(task, needed=not writes) if is_about_data(task) and (suite is None or not writes) else None
    work = Writing(
        parts=parts,
        task=task,
        story=story,
        model=asked,
        named=model,
        suite=suite,
        given=given,
        shown=shown,
        held_out=held_out,
        question=question,
    )
    promoted = promoted_for(work)
    made = promoted or answered_since(work) or _made(work, asked if writes else None)
    compiled = replace(_compiled(parts, task, story, made, model=model), promoted=promoted is not None)
    by_reading = made.artifact.author == forge.ExampleArchitect.name
    if question is None or not question.complete or not by_reading:
        return compiled
    return replace(compiled, expected=question.proposal.answer.value)


def _made(work: Writing, model: Model | None) -> Made:
    """Have the synthesizer write, and where that is not enough a model."""
    if model is None:
        return _synthesized(work)
    made = None
    if work.task.examples or work.question is not None:
        with suppress(forge.CannotWrite, HelpNeeded):
            made = _synthesized(work)
    return made if made is not None and _speaks_enough(work, made) else _written(work, model, made)


def _speaks_enough(work: Writing, made: Made) -> bool:
    """Say whether no model need be asked any more: the proof is strong, or a person has spoken for the program."""
    proof = made.admission.proof
    if proof is None or not proof.holds:
        return False
    if sorts_into_classes(work.task.examples):
        # Which of two answers is meant stands in the words: a model turns them into tests before anything is believed.
        return any(witness.kind in ("tests", "reading") for witness in proof.evidence)
    return proof.strength == "strong" or bool(work.task.answers)


def _synthesized(work: Writing) -> Made:
    """Return a program by example or by reading; raise what stood in the way.

    It is shown all examples: the search holds them out itself, one after the other. What a person answered tells
    rivals apart as an example does, and speaks for the program as one does: where the search foretold it.
    """
    task = work.task
    seconds = work.parts.settings.forge.synthesis
    # Where a model can be asked anyway, what is not found soon is not looked for long.
    architect = forge.ExampleArchitect(seconds=min(seconds, _SOON) if work.model is not None else seconds)
    contract = task.contract or forge.contract_of(work.request(Contract()))
    request = replace(work.request(contract, task.examples), never=task.never)
    tests = work.tests(work.suite or forge.TestWriter().write(request))
    told = tuple(one for one in task.answers if not any(same(one.input, known.input) for known in task.examples))
    if told and task.examples:
        request = replace(request, examples=(*task.examples, *told))
        shown = (replace(test, kind="example") if test.kind == "answer" else test for test in tests.tests)
        tests = replace(tests, tests=tuple(shown))
    return work.forge(None).make(architect, request, tests, watch=work.story.watch)


def _written(work: Writing, model: Model, before: Made | None) -> Made:
    """Return what a model writes, after a contract was agreed on and tests were written by somebody else."""
    pool, story = work.story.pool, work.story
    known = work.task.contract or forge.contract_of(work.request(Contract()))
    contract = known if work.task.contract else forge.ContractWriter(model, pool).write(work.request(known), known)
    story.watch("contract", contract)
    request = work.request(contract)
    writer = forge.TestWriter(model, pool)
    tests = work.tests(work.suite or writer.write(request, held_out=work.held_out, exact=False))
    if not tests.tests:
        # Whatever is written now could not be proven, so nothing is spent on writing it.
        raise Collapse("there are no tests: give examples, or a model that writes tests", "NO_TESTS")
    # A program that only parts the examples into classes says nothing about another one.
    apart = before is None or sorts_into_classes(work.task.examples)
    rivals = () if apart or before is None else (gates.Rival(before.artifact.source, before.artifact.author),)
    architect = forge.ModelArchitect(model, pool)
    made = work.forge(model).make(architect, request, tests, rivals=rivals, watch=story.watch)
    return _beside_second(work, architect, request, made, rivals)


def _beside_second(
    work: Writing, architect: ModelArchitect, request: Request, made: Made, rivals: tuple[Rival, ...]
) -> Made:
    """Hold a program against a second one by the same model, where too little speaks for it and that may be asked."""
    proof, wanted = made.admission.proof, work.parts.settings.forge.rivals
    few = proof is None or not proof.holds
    if not (wanted >= 1 and few) and not (wanted >= 2 and proof is not None and proof.open):
        return made
    try:
        second = architect.write(replace(request, apart=True))
    except MayflyError:
        return made  # What was spent or refused leaves the first program as it is.
    work.story.watch("wrote", (len(made.attempts) + 2, second))
    every = (*rivals, gates.Rival(second.source, f"{architect.name}, apart"))
    again = work.forge(None).prove_beside(made, request, every)
    work.story.watch("judged", again.admission)
    return again


def _ask(task: Task, *, needed: bool) -> Asked | None:
    """Read the question; where a model writes, a question that is not understood is no hindrance."""
    try:
        return ask_of_data(task)
    except forge.CannotWrite:
        if needed:
            raise
        return None


def _refuse_nothing_to_see(task: Task) -> None:
    """Say what is wrong with an input that a format should be learned from and that shows nothing."""
    if task.lines is None or task.sample or task.examples:
        return
    empty = not size_of(task.lines)
    reason = "the input is empty" if empty else f"the first line of the input is longer than {LONGEST_SAMPLE} bytes"
    told = f"{reason}: there is nothing to learn its format from"
    raise forge.CannotWrite(told, helps=("examples", "a model (--model)"))


def _attempts(limit: int, task: Task) -> int:
    """Return how often may be tried: what is asked simply is asked less often."""
    return max(1, limit - 1) if task.simple else limit


def _compiled(parts: Parts, task: Task, story: Story, made: Made, *, model: str | None) -> Compiled:
    admission, tests = made.admission, made.suite
    report = admission.report
    if report is None or admission.entry is None:
        raise Collapse("nothing was proven", "NO_PROOF")
    kept = task.profile.tier is not Tier.EPHEMERAL
    story.created(admission, len(made.attempts) + 1)
    keep_proof(parts, story, admission, tests, task.profile.imports, kept=kept)
    return Compiled(
        artifact=admission.artifact,
        entry=admission.entry,
        proof=replace(report.proof, id=story.id),
        admission=admission,
        suite=tests,
        question=report.question,
        key=key_of(parts, task, model) if kept else "",
        author=model,
    )


def keep_proof(
    parts: Parts, story: Story, admission: Admission, tests: Suite, imports: frozenset[str], *, kept: bool
) -> None:
    """Record the proof; source and tests are kept beside it unless the tier forbids that."""
    report, entry = admission.report, admission.entry
    if report is None or entry is None:
        return
    if kept:
        parts.ledger.put_blob(admission.artifact.source.encode("utf-8", "surrogatepass"))
    story.add(
        gates.ProofMade(
            strength=report.proof.strength,
            tests=report.proof.tests,
            held_out=report.proof.held_out,
            mutants=report.proof.mutants,
            mutants_killed=report.proof.mutants_killed,
            source_hash=admission.artifact.hash,
            suite_hash=parts.keep_suite(tests) if kept else None,
            entry=entry.name if kept else "",
            spread=entry.spread,
            imports=tuple(sorted(imports)),
            results=tuple(asdict(result) for result in report.results[:50] if kept),
            notes=report.notes[:20] if kept else (),
            accounts=str(admission.artifact.provenance.get("accounts", "")),
        )
    )
