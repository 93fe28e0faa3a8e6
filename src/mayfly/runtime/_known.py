"""What is known for a task before anything is written: under which key, what answers speak for, what is promoted."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly import forge, gates
from mayfly.core import Artifact, InputError, Tier, canonical_json, was_hidden
from mayfly.library import Question

if TYPE_CHECKING:
    from mayfly.forge import Made
    from mayfly.gates import Suite
    from mayfly.runtime._compile import Writing
    from mayfly.runtime._parts import Parts
    from mayfly.runtime._task import Task


def key_of(parts: Parts, task: Task, model: str | None, *, lasting: bool = False) -> str:
    """Return the key under which the agent for *task* is remembered; a *lasting* one is the same for other gates."""
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
            "contract": task.contract.to_json() if task.contract else None,
            "answers": [[one.input, one.output] for one in task.answers],
        },
        constraints={"imports": sorted(profile.imports), "depth": profile.depth, "grants": list(profile.grants)},
        tier=profile.tier.value,
        author=model or "examples",
        versions={} if lasting else parts.versions(),
    ).key


def _looks(task: Task) -> object:
    """Return the beginning of the input, by which its format is known."""
    return canonical_json(list(task.sample[:20]))


def needs_input(parts: Parts, *, intent: str | None = None, source_hash: str = "") -> bool:
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


def answered_since(work: Writing) -> Made | None:
    """Return the program that was remembered as weak, where the answers given since speak for it.

    Nothing is asked and nothing paid for again; where an answer speaks against it, it is written anew.
    """
    task, parts = work.task, work.parts
    if not (task.answers or task.never) or task.profile.tier is Tier.EPHEMERAL:
        return None
    earlier = replace(task, answers=task.answers[:-1]), replace(task, never=task.never[:-1])
    keys = dict.fromkeys(key_of(parts, one, work.named) for one in earlier)
    found = next((one for key in keys if (one := parts.memo.get(key, versions=parts.versions()))), None)
    made = None if found is None else stored_suite(parts, found.proof.id or "")
    if found is None or made is None:
        return None
    suite = work.tests(replace(made, tests=tuple(test for test in made.tests if test.kind != "answer")))
    admission = parts.gates().admit(
        found.artifact, profile=task.profile, suite=suite, intent=task.intent, spread=found.spread
    )
    accepted = admission.decision == "accept" and admission.proof is not None and admission.proof.holds
    return forge.Made(artifact=found.artifact, admission=admission, suite=suite) if accepted else None


def promoted_for(work: Writing) -> Made | None:
    """Return the promoted agent for the same question, where it passes the gates of today with its own tests."""
    task, parts = work.task, work.parts
    if task.profile.tier is Tier.EPHEMERAL or work.suite is not None or work.given:
        return None
    found = parts.promotion.agent_for(key_of(parts, task, work.named, lasting=True))
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
        artifact, profile=task.profile, suite=suite, intent=task.intent, spread=bool(about["spread"])
    )
    if admission.decision != "accept" or admission.proof is None or not admission.proof.holds:
        return None
    work.story.tell("promoted", found.place)
    return forge.Made(artifact=artifact, admission=admission, suite=suite)


def stored_suite(parts: Parts, id: str) -> Suite | None:
    """Return the tests with which a program was proven in a run."""
    for entry in parts.ledger.read(kind="proof.made", subject=id):
        hash = entry.payload.get("suite_hash")
        if isinstance(hash, str):
            told = json.loads(parts.ledger.get_blob(hash))
            # A test with a placeholder in it is another test than the one that was passed.
            return None if was_hidden(told) else gates.Suite.from_json(told)
    return None
