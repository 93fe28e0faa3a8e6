"""From a task to an admitted agent: promoted or known by its answers, or written, gated and proven now.

The stages stand in the order in which they run; each takes the compilation and returns what the next one needs.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from mayfly import gates
from mayfly.core import (
    UNSET,
    Artifact,
    Contract,
    Example,
    HelpNeeded,
    MayflyError,
    Tier,
    same,
    shown,
    sorts_into_classes,
)
from mayfly.forge._by_example import ExampleArchitect
from mayfly.forge._by_model import ModelArchitect
from mayfly.forge._contract import ContractWriter, contract_of
from mayfly.forge._execute import MOST_MADE, answer_of
from mayfly.forge._known import Compiled, data_facts, key_of, proof_counts, stored_suite
from mayfly.forge._loop import Forge, Made
from mayfly.forge._question import TWO_ANSWERS, agree, ask_of_data, is_about_data, smallest
from mayfly.forge._reflect import Arbiter, Reflector
from mayfly.forge._request import CannotWrite
from mayfly.forge._sampling import HEAD
from mayfly.forge._spread import with_programs
from mayfly.forge._story import Collapse
from mayfly.forge._test_writer import TestWriter, contradicts, hold_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mayfly.forge._request import DataQuestion, Request
    from mayfly.forge._story import Story
    from mayfly.forge._task import Task
    from mayfly.gates import Admission, Rival, Suite, Test
    from mayfly.library import Workshop
    from mayfly.models import Model

# Seconds of CPU for programs by example where a model can be asked: of 150 tasks those claimed right were found within
# 0.12 s (80 of 80), and a search without end costs a first answer as much as loading the client of a model does.
_SOON = 0.25


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """Everything that the stages of one compilation work with."""

    parts: Workshop
    task: Task
    story: Story
    # Who is asked, where anybody is.
    model: Model | None
    suite: Suite | None
    # Tests that bind whatever is written, besides those that are written for it.
    given: tuple[Test, ...]
    shown: tuple[Example, ...]
    held_out: tuple[Example, ...]
    # What the question asks for, where the task is a question about data that was understood.
    question: DataQuestion | None

    def request(self, contract: Contract, examples: tuple[Example, ...] | None = None) -> Request:
        """Return what a writer may know."""
        request = self.task.request(self.shown if examples is None else examples)
        return replace(request, contract=contract, question=self.question)

    def tests(self, suite: Suite) -> Suite:
        """Return the tests with what a person answered since they were written."""
        answers = [
            gates.Test(name=f"answer {number}", kind="answer", input=one.input, expected=one.output)
            for number, one in enumerate(self.task.order.answers, 1)
        ]
        # A test that an answer, or a case that was given, contradicts is wrong.
        said = (*self.task.order.answers, *(Example(input=one.input, output=one.expected) for one in self._cases()))
        kept = [test for test in suite.tests if not any(contradicts(test, one) for one in said)]
        return replace(suite, tests=(*kept, *answers, *self.given), never=(*suite.never, *self.task.order.never))

    def _cases(self) -> Iterator[Test]:
        return (test for test in self.given if test.expected is not UNSET)

    def forge(self, model: Model | None) -> Forge:
        """Return a forge for one writer."""
        pool = self.story.pool
        return Forge(
            gates=self.parts.gates(self._judge(model), pool),
            reflector=Reflector(model, pool),
            arbiter=Arbiter(model, pool),
            attempts=_attempts(self.parts.settings.forge.attempts, self.task),
        )

    def _judge(self, model: Model | None) -> Model | None:
        """Return who judges: below tier authored a model is asked where somebody said so, or wrote its answers down."""
        kept = self.task.profile.tier not in (Tier.EPHEMERAL, Tier.MEMO)
        # A recording of such a run is answered like the run.
        told = model is not None and model.name.startswith(("scripted:", "replay:"))
        return model if kept or told or self.parts.settings.forge.judge == "model" else None


def compile_task(
    parts: Workshop, task: Task, story: Story, *, suite: Suite | None = None, given: tuple[Test, ...] = ()
) -> Compiled:
    """Write, gate and prove, also by the tests that were *given*; raise what stood in the way.

    The synthesizer goes first, since it costs nothing; a model is asked where that gives nothing strong, and what was
    found is then a rival of what the model writes.
    """
    story.check()
    story.pool = parts.pool(story.id, story.stop, story.fence)
    shown, held_out = hold_out(task.order.examples)
    asked = parts.model(task.order.model, task.order.record) if task.order.model else None
    writes = asked is not None and asked.serves("architect")
    if not writes:
        _refuse_nothing_to_see(task)
    question = _ask(task, needed=not writes) if is_about_data(task) and (suite is None or not writes) else None
    if question is None:
        # Whatever is written now takes lines: an input that has none as it lies is refused before a model is paid.
        _ = task.plain
        parts.types.start()  # it takes seconds, and what our own writer makes of a question is of a known shape
    work = Compilation(
        parts=parts,
        task=task,
        story=story,
        model=asked,
        suite=suite,
        given=given,
        shown=shown,
        held_out=held_out,
        question=question,
    )
    promoted = _promoted_for(work)
    made = promoted or _answered_since(work) or _made(work, asked if writes else None)
    read = question is not None and made.artifact.author == ExampleArchitect.name
    if question is not None and read:
        made = _agreeing(work, question, made)
    compiled = replace(_compiled(work, made), promoted=promoted is not None)
    if task.is_spread(parts.settings):
        return with_programs(parts, task, question if read else None, compiled)
    return compiled


def _agreeing(work: Compilation, question: DataQuestion, made: Made) -> Made:
    """Hold a program against the independent reading of all lines that were looked at.

    Where DuckDB reads odd lines otherwise than the detector, it is written again, for rows that the detector makes.
    """
    proposal, entry = question.proposal, made.admission.entry
    if entry is None:
        return made

    def answer(items: Sequence[object]) -> object:
        work.story.check()
        box, seconds = work.parts.sandbox, work.parts.settings.sandbox.timeout
        return answer_of(box, made.artifact, entry, work.task, proposal.data(items), seconds)

    def differ(items: Sequence[object]) -> bool:
        return not agree(proposal.expected(items), answer(items))

    # Several files are called otherwise where they are tried; the lines of one were read when its question was.
    several = proposal.table.format.files
    if not (differ(question.items) if several else not agree(proposal.answered, answer(question.items))):
        return made
    if proposal.native and work.task.given.size <= MOST_MADE:
        again = replace(question, proposal=replace(proposal, spooled=True))
        work = replace(work, question=again)
        return _agreeing(work, again, _synthesized(work))
    told = f"{TWO_ANSWERS}, such as {shown(smallest(question.items, differ), 300)}"
    raise Collapse(told, "DISAGREE", reading=proposal.reading)


def _answered_since(work: Compilation) -> Made | None:
    """Return the program that was remembered as weak, where the answers given since speak for it.

    Nothing is asked and nothing paid for again; where an answer speaks against it, it is written anew.
    """
    task, parts = work.task, work.parts
    if not (task.order.answers or task.order.never) or task.profile.tier is Tier.EPHEMERAL:
        return None
    order = task.order
    earlier = replace(order, answers=order.answers[:-1]), replace(order, never=order.never[:-1])
    keys = dict.fromkeys(key_of(parts, replace(task, order=one)) for one in earlier)
    found = next((one for key in keys if (one := parts.memo.get(key, versions=parts.versions()))), None)
    made = None if found is None else stored_suite(parts, found.proof.id or "")
    if found is None or made is None:
        return None
    suite = work.tests(replace(made, tests=tuple(test for test in made.tests if test.kind != "answer")))
    admission = parts.gates().admit(
        found.artifact, profile=task.profile, suite=suite, intent=task.order.intent, spread=found.spread
    )
    accepted = admission.decision == "accept" and admission.proof is not None and admission.proof.holds
    return Made(artifact=found.artifact, admission=admission, suite=suite) if accepted else None


def _promoted_for(work: Compilation) -> Made | None:
    """Return the promoted agent for the same question, where it passes the gates of today with its own tests."""
    task, parts = work.task, work.parts
    if task.profile.tier is Tier.EPHEMERAL or work.suite is not None or work.given:
        return None
    found = parts.promotion.agent_for(key_of(parts, task, lasting=True))
    if found is None:
        return None
    suite, about = gates.Suite.from_json(json.loads(found.tests)), found.about
    # Where it comes from is told, not signed: nothing that decides is taken from there.
    told = about.get("provenance")
    artifact = Artifact(
        kind="agent",
        source=found.source,
        entry=str(about["entry"]),
        author=str(about.get("author", "")),
        provenance=told if isinstance(told, dict) else {},
    )
    admission = parts.gates().admit(
        artifact, profile=task.profile, suite=suite, intent=task.order.intent, spread=bool(about["spread"])
    )
    if admission.decision != "accept" or admission.proof is None or not admission.proof.holds:
        return None
    work.story.tell("promoted", found.place)
    return Made(artifact=artifact, admission=admission, suite=suite)


def _made(work: Compilation, model: Model | None) -> Made:
    """Have the synthesizer write, and where that is not enough a model."""
    if model is None:
        return _synthesized(work)
    made = None
    if work.task.order.examples or work.question is not None:
        with suppress(CannotWrite, HelpNeeded):
            made = _synthesized(work)
    return made if made is not None and _speaks_enough(work, made) else _written(work, model, made)


def _speaks_enough(work: Compilation, made: Made) -> bool:
    """Say whether no model need be asked any more: the proof is strong, or a person has spoken for the program."""
    proof = made.admission.proof
    if proof is None or not proof.holds:
        return False
    if sorts_into_classes(work.task.order.examples):
        # Which of two answers is meant stands in the words: a model turns them into tests before anything is believed.
        return any(witness.kind in ("tests", "reading") for witness in proof.evidence)
    return proof.strength == "strong" or bool(work.task.order.answers)


def _synthesized(work: Compilation) -> Made:
    """Return a program by example or by reading; raise what stood in the way.

    It is shown all examples: the search holds them out itself, one after the other. What a person answered tells
    rivals apart as an example does, and speaks for the program as one does: where the search foretold it.
    """
    order = work.task.order
    seconds = work.parts.settings.forge.synthesis
    # Where a model can be asked anyway, what is not found soon is not looked for long.
    architect = ExampleArchitect(seconds=min(seconds, _SOON) if work.model is not None else seconds)
    contract = order.contract or contract_of(work.request(Contract()))
    request = replace(work.request(contract, order.examples), never=order.never)
    tests = work.tests(work.suite or TestWriter().write(request))
    told = tuple(one for one in order.answers if not any(same(one.input, known.input) for known in order.examples))
    if told and order.examples:
        request = replace(request, examples=(*order.examples, *told))
        shown = (replace(test, kind="example") if test.kind == "answer" else test for test in tests.tests)
        tests = replace(tests, tests=tuple(shown))
    return work.forge(None).make(architect, request, tests, watch=work.story.watch)


def _written(work: Compilation, model: Model, before: Made | None) -> Made:
    """Return what a model writes, after a contract was agreed on and tests were written by somebody else."""
    pool, story = work.story.pool, work.story
    known = work.task.order.contract or contract_of(work.request(Contract()))
    contract = known if work.task.order.contract else ContractWriter(model, pool).write(work.request(known), known)
    story.watch("contract", contract)
    request = work.request(contract)
    writer = TestWriter(model, pool)
    tests = work.tests(work.suite or writer.write(request, held_out=work.held_out, exact=False))
    if not tests.tests:
        # Whatever is written now could not be proven, so nothing is spent on writing it.
        raise Collapse("there are no tests: give examples, or a model that writes tests", "NO_TESTS")
    # A program that only parts the examples into classes says nothing about another one.
    apart = before is None or sorts_into_classes(work.task.order.examples)
    rivals = () if apart or before is None else (gates.Rival(before.artifact.source, before.artifact.author),)
    architect = ModelArchitect(model, pool)
    made = work.forge(model).make(architect, request, tests, rivals=rivals, watch=story.watch)
    return _beside_second(work, architect, request, made, rivals)


def _beside_second(
    work: Compilation, architect: ModelArchitect, request: Request, made: Made, rivals: tuple[Rival, ...]
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


def _ask(task: Task, *, needed: bool) -> DataQuestion | None:
    """Read the question; where a model writes, a question that is not understood is no hindrance."""
    try:
        return ask_of_data(task)
    except CannotWrite:
        if needed:
            raise
        return None


def _refuse_nothing_to_see(task: Task) -> None:
    """Say what is wrong with an input that a format should be learned from and that shows nothing."""
    order = task.order
    if order.lines is None or task.sample or order.examples:
        return
    empty = task.given.sample.complete
    reason = "the input is empty" if empty else f"the first line of the input is longer than {HEAD:,} bytes"
    told = f"{reason}: there is nothing to learn its format from"
    raise CannotWrite(told, helps=("examples", "a model (--model)"))


def _attempts(limit: int, task: Task) -> int:
    """Return how often may be tried: what is asked simply is asked less often."""
    return max(1, limit - 1) if task.simple else limit


def _compiled(work: Compilation, made: Made) -> Compiled:
    parts, task, story = work.parts, work.task, work.story
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
        key=key_of(parts, task) if kept else "",
    )


def keep_proof(
    parts: Workshop, story: Story, admission: Admission, tests: Suite, imports: frozenset[str], *, kept: bool
) -> None:
    """Record the proof; source and tests are kept beside it unless the tier forbids that."""
    report, entry = admission.report, admission.entry
    if report is None or entry is None:
        return
    if kept:
        parts.ledger.put_blob(admission.artifact.source.encode("utf-8", "surrogatepass"))
    story.add(
        gates.ProofMade(
            **proof_counts(report.proof),
            source_hash=admission.artifact.hash,
            suite_hash=parts.keep_suite(tests) if kept else None,
            entry=entry.name if kept else "",
            spread=entry.spread,
            imports=tuple(sorted(imports)),
            results=tuple(asdict(result) for result in report.results[:50] if kept),
            notes=report.notes[:20] if kept else (),
            **(data_facts(admission.artifact) if kept else {}),
        )
    )
