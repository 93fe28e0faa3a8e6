"""Agents that are known: remembered for a question under its key, or kept by the hash of their source."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mayfly import gates
from mayfly.core import Artifact, InputError, Proof, StoreError, Tier, canonical_json, content_hash, was_hidden
from mayfly.forge._story import Collapse
from mayfly.library import Question, Remembered, Tampered, Workshop
from mayfly.store import event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mayfly.forge._story import Story
    from mayfly.forge._task import Task
    from mayfly.gates import Admission, Entry, Profile, ProofMade, RivalQuestion, Suite


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
        constraints={
            "imports": sorted(profile.imports),
            "depth": profile.depth,
            "grants": list(profile.grants),
            # What is asked on other machines comes with programs for that.
            **({"spread": True} if task.is_spread(parts.settings) else {}),
        },
        tier=profile.tier.value,
        author=order.model or "examples",
        versions={} if lasting else parts.versions(),
    ).key


def _looks(task: Task) -> object:
    """Return the beginning of the input, by which its format is known."""
    # A program for several files has a column for their names, which are as many parts of their paths.
    several = [{"parts": name.count("/")} for name in task.given.names[1:2]]
    return canonical_json([*task.sample[:20], *several])


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


def proofs_made(parts: Workshop, *, run: str | None = None, source_hash: str = "") -> Iterator[tuple[str, ProofMade]]:
    """Yield the proofs that a run made, or those of a source, each with the run that made it; the oldest first."""
    for entry in parts.ledger.read(kind="proof.made", subject=run):
        made = entry.data
        if isinstance(made, gates.ProofMade) and source_hash in ("", made.source_hash):
            yield entry.subject, made


def load_suite(parts: Workshop, hash: str) -> Suite | None:
    """Return the tests that are kept under *hash*; None where one holds a placeholder, since that is another test."""
    told = json.loads(parts.ledger.get_blob(hash))
    return None if was_hidden(told) else gates.Suite.from_json(told)


def stored_suite(parts: Workshop, id: str) -> Suite | None:
    """Return the tests with which a program was proven in a run."""
    hashes = (made.suite_hash for _, made in proofs_made(parts, run=id) if made.suite_hash)
    return next((load_suite(parts, hash) for hash in hashes), None)


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


@event("agent.kept")
class AgentKept:
    """Record how an agent is called, what proved it and under which gates. The subject is the hash of its source."""

    entry: str
    spread: bool
    each: bool
    strength: str
    tests: int
    held_out: int
    mutants: int
    mutants_killed: int
    suite_hash: str
    proof: str | None
    versions: str
    # The source of what accounts for its lines, if there is one, and the grants it runs with.
    accounts: str = ""
    grants: tuple[str, ...] = ()
    # The header of the rows that are made of its input, where DuckDB does not read that as it is.
    rows: str = ""


def versions_of(parts: Workshop) -> str:
    """Return the hash of all that an admission depends on beside the source; workers with another one refuse."""
    return content_hash(canonical_json(parts.versions()))


def keep_agent(parts: Workshop, compiled: Compiled, *, each: bool) -> None:
    """Note what is needed to run *compiled* by its hash; what is noted already is not noted again."""
    proof, hash = compiled.proof, compiled.artifact.hash
    noted = _noted(parts, hash)
    told = data_facts(compiled.artifact)
    same = (versions_of(parts), proof.strength, each, told["accounts"])
    if noted is not None and (noted.versions, noted.strength, noted.each, noted.accounts) == same:
        return
    kept = AgentKept(
        entry=compiled.entry.name,
        spread=compiled.entry.spread,
        each=each,
        suite_hash=_suite_hash(parts, compiled),
        proof=proof.id,
        versions=versions_of(parts),
        **told,
        **proof_counts(proof),
    )
    parts.ledger.put_blob(compiled.artifact.source.encode("utf-8", "surrogatepass"))
    parts.ledger.append(kept, subject=hash)


def load_agent(parts: Workshop, hash: str, profile: Profile) -> tuple[Compiled, bool]:
    """Return the agent whose source has *hash*, checked as if a stranger had brought it, and whether it takes one item.

    Where the gates have changed since it was proven, it has to pass all of them again, with the tests it was proven by.
    """
    source = parts.ledger.get_blob(hash).decode("utf-8", "surrogatepass")
    kept = _noted(parts, hash) or _proven(parts, hash)
    if kept is None:
        raise Collapse(f"nothing proves the agent {hash[:12]}", "NO_PROOF", source_hash=hash)
    provenance = {"accounts": kept.accounts, "rows": kept.rows}
    artifact = Artifact(
        kind="agent", source=source, entry=kept.entry, author="kept", grants=kept.grants, provenance=provenance
    )
    versions = versions_of(parts)
    if kept.versions == versions:
        admission = parts.again.check(artifact, profile=profile)
        # A strength that another version has written counts for nothing.
        known = kept.strength if kept.strength in ("strong", "tested", "weak") else "none"
        proof = Proof(**{**proof_counts(kept), "strength": known}, id=kept.proof)
    else:
        admission = _admitted(parts, artifact, kept, profile)
        proof = replace(admission.report.proof, id=kept.proof) if admission.report else Proof(strength="none")
    entry = admission.entry
    if admission.decision == "reject" or entry is None or admission.artifact.hash != hash:
        raise Collapse(f"the agent {hash[:12]} is refused: {_why(admission)}", "REFUSED", source_hash=hash)
    called = replace(entry, spread=kept.spread)
    if kept.versions != versions:
        parts.ledger.append(replace(kept, entry=called.name, versions=versions, **proof_counts(proof)), subject=hash)
    return Compiled(artifact=artifact, entry=called, proof=proof, key=hash), kept.each


def data_facts(artifact: Artifact) -> dict[str, Any]:
    """Return what a program that is asked of data runs with, by the names that every record of it has for them."""
    told = {name: str(artifact.provenance.get(name, "")) for name in ("accounts", "rows")}
    return {**told, "grants": artifact.grants}


def proof_counts(proof: Proof | AgentKept | ProofMade) -> dict[str, Any]:
    """Return what a proof says in numbers, by the names that every record of it has for them."""
    return {name: getattr(proof, name) for name in ("strength", "tests", "held_out", "mutants", "mutants_killed")}


def _admitted(parts: Workshop, artifact: Artifact, kept: AgentKept, profile: Profile) -> Admission:
    suite = load_suite(parts, kept.suite_hash)
    if suite is None:
        raise Collapse(
            f"the agent {artifact.hash[:12]} is refused: its tests held a secret, which is not kept", "REFUSED"
        )
    return parts.gates().admit(artifact, profile=profile, suite=suite, spread=kept.spread)


def _why(admission: Admission) -> str:
    refused = [verdict for verdict in admission.verdicts if verdict.decision == "reject"]
    return f"{refused[0].gate}: {refused[0].message}" if refused else "the gates change it"


def _noted(parts: Workshop, hash: str) -> AgentKept | None:
    found = None
    for entry in parts.ledger.read(kind="agent.kept", subject=hash):
        found = entry.data if isinstance(entry.data, AgentKept) else found
    return found


def _proven(parts: Workshop, hash: str) -> AgentKept | None:
    """Return what the proof of an earlier run says; the gates it passed are not known, so they are not trusted."""
    for run, made in proofs_made(parts, source_hash=hash):
        if made.suite_hash:
            return AgentKept(
                entry=made.entry,
                spread=made.spread,
                each=False,
                suite_hash=made.suite_hash,
                proof=run,
                versions="",
                accounts=made.accounts,
                grants=made.grants,
                rows=made.rows,
                **proof_counts(Proof(strength="none")),
            )
    return None


def _suite_hash(parts: Workshop, compiled: Compiled) -> str:
    if compiled.suite is not None:
        return parts.keep_suite(compiled.suite)
    for _, made in proofs_made(parts, run=compiled.proof.id or "-"):
        if made.suite_hash:
            return made.suite_hash
    raise StoreError(f"the tests of the agent {compiled.artifact.hash[:12]} are not kept")
