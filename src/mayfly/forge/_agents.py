"""Agents by the address of their source: what has to be known to run one again, on this machine or another."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from mayfly.core import Artifact, Proof, StoreError, canonical_json, content_hash, was_hidden
from mayfly.forge._collapse import Collapse
from mayfly.forge._known import Compiled
from mayfly.gates import Admission, Entry, Profile, ProofMade, Suite
from mayfly.library import Workshop
from mayfly.store import event


@event("agent.kept")
@dataclass(frozen=True, kw_only=True)
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
    # How it accounts for its lines, if it does: with its value, or at the end of a stream.
    accounts: str = ""


def versions_of(parts: Workshop) -> str:
    """Return the hash of all that an admission depends on beside the source; workers with another one refuse."""
    return content_hash(canonical_json(parts.versions()))


def keep_agent(parts: Workshop, compiled: Compiled, *, each: bool) -> None:
    """Note what is needed to run *compiled* by its hash; what is noted already is not noted again."""
    proof, hash = compiled.proof, compiled.artifact.hash
    noted = _noted(parts, hash)
    accounts = str(compiled.artifact.provenance.get("accounts", ""))
    same = (versions_of(parts), proof.strength, each, accounts)
    if noted is not None and (noted.versions, noted.strength, noted.each, noted.accounts) == same:
        return
    suite = _suite_hash(parts, compiled)
    kept = _kept(compiled.entry, proof, suite=suite, each=each, versions=versions_of(parts), accounts=accounts)
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
    provenance = {"accounts": kept.accounts} if kept.accounts else {}
    artifact = Artifact(kind="agent", source=source, entry=kept.entry, author="kept", provenance=provenance)
    if kept.versions == versions_of(parts):
        admission = parts.gates().check_again(artifact, profile=profile)
        proof = _proof(kept)
    else:
        admission = _admitted(parts, artifact, kept, profile)
        proof = replace(admission.report.proof, id=kept.proof) if admission.report else Proof(strength="none")
    entry = admission.entry
    if admission.decision == "reject" or entry is None or admission.artifact.hash != hash:
        raise Collapse(f"the agent {hash[:12]} is refused: {_why(admission)}", "REFUSED", source_hash=hash)
    called = replace(entry, spread=kept.spread)
    if kept.versions != versions_of(parts):
        again = _kept(
            called,
            proof,
            suite=kept.suite_hash,
            each=kept.each,
            versions=versions_of(parts),
            accounts=kept.accounts,
        )
        parts.ledger.append(again, subject=hash)
    return Compiled(artifact=artifact, entry=called, proof=proof, key=hash), kept.each


def _kept(entry: Entry, proof: Proof, *, suite: str, each: bool, versions: str, accounts: str) -> AgentKept:
    return AgentKept(
        entry=entry.name,
        spread=entry.spread,
        each=each,
        strength=proof.strength,
        tests=proof.tests,
        held_out=proof.held_out,
        mutants=proof.mutants,
        mutants_killed=proof.mutants_killed,
        suite_hash=suite,
        proof=proof.id,
        versions=versions,
        accounts=accounts,
    )


def _admitted(parts: Workshop, artifact: Artifact, kept: AgentKept, profile: Profile) -> Admission:
    told = json.loads(parts.ledger.get_blob(kept.suite_hash))
    if was_hidden(told):
        raise Collapse(
            f"the agent {artifact.hash[:12]} is refused: its tests held a secret, which is not kept", "REFUSED"
        )
    suite = Suite.from_json(told)
    return parts.gates().admit(artifact, profile=profile, suite=suite, spread=kept.spread)


def _why(admission: Admission) -> str:
    refused = [verdict for verdict in admission.verdicts if verdict.decision == "reject"]
    return f"{refused[0].gate}: {refused[0].message}" if refused else "the gates change it"


def _proof(kept: AgentKept) -> Proof:
    strength = next((name for name in ("strong", "tested", "weak") if name == kept.strength), "none")
    return Proof(
        strength=strength,  # type: ignore[arg-type]
        tests=kept.tests,
        held_out=kept.held_out,
        mutants=kept.mutants,
        mutants_killed=kept.mutants_killed,
        id=kept.proof,
    )


def _noted(parts: Workshop, hash: str) -> AgentKept | None:
    found = None
    for entry in parts.ledger.read(kind="agent.kept", subject=hash):
        found = entry.data if isinstance(entry.data, AgentKept) else found
    return found


def _proven(parts: Workshop, hash: str) -> AgentKept | None:
    """Return what the proof of an earlier run says; the gates it passed are not known, so they are not trusted."""
    for entry in parts.ledger.read(kind="proof.made"):
        made = entry.data
        if isinstance(made, ProofMade) and made.source_hash == hash and made.suite_hash:
            return AgentKept(
                entry=made.entry,
                spread=made.spread,
                each=False,
                strength="none",
                tests=0,
                held_out=0,
                mutants=0,
                mutants_killed=0,
                suite_hash=made.suite_hash,
                proof=entry.subject,
                versions="",
                accounts=made.accounts,
            )
    return None


def _suite_hash(parts: Workshop, compiled: Compiled) -> str:
    if compiled.suite is not None:
        return parts.keep_suite(compiled.suite)
    for entry in parts.ledger.read(kind="proof.made", subject=compiled.proof.id or "-"):
        if isinstance(entry.data, ProofMade) and entry.data.suite_hash:
            return entry.data.suite_hash
    raise StoreError(f"the tests of the agent {compiled.artifact.hash[:12]} are not kept")
