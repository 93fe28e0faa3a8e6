"""From a task to an admitted agent: remembered, or written, gated and proven now."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly import forge, gates
from mayfly.core import UNSET, HelpNeeded, Tier, canonical_json
from mayfly.library import Question, Remembered, Tampered
from mayfly.runtime._collapse import Collapse
from mayfly.runtime._question import ask_of_data, is_about_data
from mayfly.runtime._task import LONGEST_SAMPLE, size_of

if TYPE_CHECKING:
    from mayfly.core import Artifact, Proof
    from mayfly.forge import (
        Architect,
    )
    from mayfly.gates import Admission, Entry, RivalQuestion, Suite
    from mayfly.models import Model
    from mayfly.runtime._parts import Parts
    from mayfly.runtime._question import Asked
    from mayfly.runtime._story import Story
    from mayfly.runtime._task import Task


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """Hold an agent that every gate admitted."""

    artifact: Artifact
    entry: Entry
    proof: Proof
    admission: Admission | None = None
    suite: Suite | None = None
    weaknesses: tuple[str, ...] = ()
    question: RivalQuestion | None = None
    key: str = ""
    repeat: bool = False
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

    def remember(self, parts: Parts, task: Task, story: Story) -> None:
        """Keep the agent for the next time; at tier ephemeral nothing is kept."""
        if not self.key:
            return
        agent = Remembered(
            artifact=self.artifact,
            proof=self.proof,
            versions=parts.versions(),
            intent=task.intent,
            spread=self.entry.spread,
        )
        parts.memo.put(self.key, agent)
        story.cached(self.artifact, self.key, hit=False)


def key_of(parts: Parts, task: Task, model: str | None) -> str:
    """Return the key under which the agent for *task* is remembered."""
    profile = task.profile
    return Question(
        intent=task.reading or task.intent,
        examples=[[example.input, example.output] for example in task.examples],
        # Without examples the program follows from what the input looks like, so that belongs to the question.
        shape=None if task.examples or model else _looks(task),
        context={
            **task.context,
            "signature": str(task.signature) if task.signature else None,
            "hints": list(task.hints),
        },
        constraints={"imports": sorted(profile.imports), "depth": profile.depth, "grants": list(profile.grants)},
        tier=profile.tier.value,
        author=model or "examples",
        versions=parts.versions(),
    ).key


def _looks(task: Task) -> object:
    """Return the beginning of the input, by which its format is known."""
    return canonical_json(list(task.sample[:20]))


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


def compile_task(
    parts: Parts,
    task: Task,
    story: Story,
    *,
    model: str | None,
    suite: Suite | None = None,
    record: Path | None = None,
) -> Compiled:
    """Write, gate and prove; raise what stood in the way."""
    story.check()
    parts.types.start()
    story.pool = parts.pool(story.id, story.stop)
    shown, held_out = forge.hold_out(task.examples)
    asked_of = None
    asked = parts.model(model, record) if model else None
    architect = _architect(asked, parts, story)
    if not architect.persistent:
        _refuse_nothing_to_see(task)
    request = task.request(shown)
    if is_about_data(task) and (suite is None or not architect.persistent):
        asked_of = _ask(task, needed=not architect.persistent)
    if asked_of is not None:
        request = replace(request, proposal=asked_of.proposal, whole=asked_of.items, complete=asked_of.complete)
    writer = forge.TestWriter(asked, story.pool)
    tests = suite or writer.write(request, held_out=held_out, exact=not architect.persistent)
    if not tests.tests and architect.persistent:
        # Whatever is written now could not be proven, so nothing is spent on writing it.
        raise Collapse("there are no tests: give examples, or a model that writes tests", "NO_TESTS")
    made_by = forge.Forge(
        gates=parts.gates(asked, story.pool),
        reflector=forge.Reflector(asked, story.pool),
        attempts=_attempts(parts.settings.forge.attempts, task),
    )
    try:
        made = made_by.make(architect, request, tests, watch=story.watch)
    except (forge.CannotWrite, HelpNeeded):
        if not held_out or architect.persistent:
            raise
        # Too few examples were shown, or those held out taught something new: all of them are shown now.
        again = writer.write(task.request(task.examples))
        made = made_by.make(architect, task.request(task.examples), again, watch=story.watch)
    compiled = _compiled(parts, task, story, made.admission, made.suite, attempts=len(made.attempts) + 1, model=model)
    if asked_of is None or not asked_of.complete or architect.persistent:
        return compiled
    return replace(compiled, expected=asked_of.proposal.answer.value)


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


def _architect(asked: Model | None, parts: Parts, story: Story) -> Architect:
    if asked is not None and asked.serves("architect"):
        return forge.ModelArchitect(asked, story.pool)
    return forge.ExampleArchitect(seconds=parts.settings.forge.synthesis)


def _compiled(
    parts: Parts, task: Task, story: Story, admission: Admission, tests: Suite, *, attempts: int, model: str | None
) -> Compiled:
    report = admission.report
    if report is None or admission.entry is None:
        raise Collapse("nothing was proven", "NO_PROOF")
    kept = task.profile.tier is not Tier.EPHEMERAL
    story.created(admission, attempts)
    keep_proof(parts, story, admission, tests, task.profile.imports, kept=kept)
    return Compiled(
        artifact=admission.artifact,
        entry=admission.entry,
        proof=replace(report.proof, id=story.id, open=report.weaknesses),
        admission=admission,
        suite=tests,
        weaknesses=report.weaknesses,
        question=report.question,
        key=key_of(parts, task, model) if kept else "",
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
            suite_hash=parts.ledger.put_blob(canonical_json(tests.to_json()).encode()) if kept else None,
            entry=entry.name if kept else "",
            spread=entry.spread,
            imports=tuple(sorted(imports)),
            results=tuple(asdict(result) for result in report.results[:50] if kept),
            notes=report.notes[:20] if kept else (),
        )
    )
