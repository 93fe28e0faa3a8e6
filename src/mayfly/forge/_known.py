"""What is known for a task before anything is written: its key, the agent that is remembered for it, its tests."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mayfly import gates
from mayfly.core import UNSET, InputError, Tier, canonical_json, was_hidden
from mayfly.forge._collapse import Collapse
from mayfly.library import Question, Remembered, Tampered

if TYPE_CHECKING:
    from mayfly.core import Artifact, Proof
    from mayfly.forge._story import Story
    from mayfly.forge._task import Task
    from mayfly.gates import Admission, Entry, RivalQuestion, Suite
    from mayfly.library import Workshop


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

    def remember(self, parts: Workshop, task: Task, story: Story, *, not_understood: float = 0.0) -> None:
        """Keep the agent and the share of lines it does not understand; at tier ephemeral nothing is kept."""
        if not self.key:
            return
        told = {"not_understood": not_understood, "input": not task.is_without_input}
        agent = Remembered(
            artifact=replace(self.artifact, provenance={**self.artifact.provenance, **told}),
            proof=self.proof,
            versions=parts.versions(),
            intent=task.order.intent,
            spread=self.entry.spread,
            asked=key_of(parts, task, lasting=True),
        )
        # What a person answered speaks for the program whenever the same is asked again.
        unasked = key_of(parts, replace(task, order=replace(task.order, answers=(), never=())))
        for key in dict.fromkeys((self.key, unasked)) if self.proof.holds else (self.key,):
            parts.memo.put(key, agent)
        story.cached(self.artifact, self.key, hit=False)


def key_of(parts: Workshop, task: Task, *, lasting: bool = False) -> str:
    """Return the key under which the agent for *task* is remembered; a *lasting* one is the same for other gates."""
    order, profile = task.order, task.profile
    return Question(
        intent=order.reading or order.intent,
        examples=[[example.input, example.output] for example in order.examples],
        # Without examples the program follows from what the input looks like, so that belongs to the question.
        shape=None if order.examples or order.model else _looks(task),
        context={
            **order.context,
            "signature": str(task.signature) if task.signature else None,
            "hints": list(order.hints),
            "contract": order.contract.to_json() if order.contract else None,
            "answers": [[one.input, one.output] for one in order.answers],
        },
        constraints={"imports": sorted(profile.imports), "depth": profile.depth, "grants": list(profile.grants)},
        tier=profile.tier.value,
        author=order.model or "examples",
        versions={} if lasting else parts.versions(),
    ).key


def _looks(task: Task) -> object:
    """Return the beginning of the input, by which its format is known."""
    return canonical_json(list(task.sample[:20]))


def needs_input(parts: Workshop, *, intent: str | None = None, source_hash: str = "") -> bool:
    """Whether an agent is known for an intent, or by its source, and each that is was written for some input."""
    known = (agent for _, agent in parts.memo.entries())
    found = [agent for agent in known if agent.intent == intent or agent.artifact.hash == source_hash]
    return bool(found) and all(agent.artifact.provenance.get("input", True) for agent in found)


def no_input() -> InputError:
    """Return the error of a known agent that is called on nothing."""
    return InputError(
        "no input: a known agent does this, and it was written for some",
        fix="give it with --input FILE, or through a pipe",
    )


def stored_suite(parts: Workshop, id: str) -> Suite | None:
    """Return the tests with which a program was proven in a run."""
    for entry in parts.ledger.read(kind="proof.made", subject=id):
        hash = entry.payload.get("suite_hash")
        if isinstance(hash, str):
            told = json.loads(parts.ledger.get_blob(hash))
            # A test with a placeholder in it is another test than the one that was passed.
            return None if was_hidden(told) else gates.Suite.from_json(told)
    return None


def find_again(parts: Workshop, task: Task, story: Story) -> Compiled | None:
    """Return the agent that was proven for the same question, checked as if a stranger had brought it."""
    if task.profile.tier is Tier.EPHEMERAL:
        return None
    key = key_of(parts, task)
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
