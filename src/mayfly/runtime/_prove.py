"""Run a stored proof again: the same source, the same tests, a fresh sandbox; of a tree, what proved each promise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.core import InputError, StoreError, parse_python, was_hidden
from mayfly.forge import RunBegan
from mayfly.gates import Profile, ProofMade, Suite, TestResult, find_entry
from mayfly.gates.stability import importable

if TYPE_CHECKING:
    from mayfly.runtime._prove_tree import TreeProof
    from mayfly.runtime._run import Runtime


@dataclass(frozen=True, kw_only=True)
class Reproved:
    """Say what came of running a proof again."""

    id: str
    strength: str
    source_hash: str
    results: tuple[TestResult, ...]

    @property
    def holds(self) -> bool:
        """Whether every test passed again, and there was at least one."""
        return bool(self.results) and all(result.passed for result in self.results)


def prove_again(runtime: Runtime, id: str) -> Reproved | TreeProof:
    """Run again what *id* rests on: the tests of a run or compilation, or every proof of a tree or one of its nodes."""
    run, _, node = id.partition("/")
    if run and runtime.parts.ledger.last(kind="promise.planned", subject=run) is not None:
        # Imported where it is used: a single agent needs neither rules nor capabilities.
        from mayfly.runtime._prove_tree import prove_tree

        return prove_tree(runtime, run, node, lambda proof: _must_pass(rerun(runtime, proof)))
    return rerun(runtime, id)


def _must_pass(found: Reproved) -> None:
    failed = [result for result in found.results if not result.passed]
    if failed or not found.results:
        said = f"{failed[0].name}: {failed[0].error}" if failed else "it has no tests"
        raise StoreError(f"the tests of the agent do not pass again: {said}")


def rerun(runtime: Runtime, id: str) -> Reproved:
    """Run the tests of the agent that was proven under *id*."""
    made = find_proof(runtime, id)
    if made.suite_hash is None:
        raise InputError(
            f"{id} was made at tier ephemeral, which keeps neither source nor tests", fix="run it at tier memo"
        )
    ledger = runtime.parts.ledger
    source = ledger.get_blob(made.source_hash).decode("utf-8", "surrogatepass")
    told = json.loads(ledger.get_blob(made.suite_hash))
    if was_hidden(told):
        raise InputError(f"the tests of {id} held a secret, which is not kept", fix="run it again from the beginning")
    suite = Suite.from_json(told)
    entry = find_entry(parse_python(source), made.entry, spread=made.spread)
    began = ledger.last(kind="run.began", subject=id)
    grants = began.data.grants if began is not None and isinstance(began.data, RunBegan) else ()
    imports = importable(Profile(imports=frozenset(made.imports), grants=grants))
    results = runtime.parts.prover_for(grants).rerun(source, entry, suite, imports=imports)
    return Reproved(id=id, strength=made.strength, source_hash=made.source_hash, results=tuple(results))


def find_proof(runtime: Runtime, id: str) -> ProofMade:
    """Return the proof recorded for *id*; a cached run rests on the proof of the run that made its agent."""
    ledger = runtime.parts.ledger
    for entry in ledger.read(kind="proof.made", subject=id):
        if isinstance(entry.data, ProofMade):
            return entry.data
    hits = [entry.payload for entry in ledger.read(kind="agent.cached", subject=id)]
    for hash in {str(payload["source_hash"]) for payload in hits}:
        for entry in ledger.read(kind="proof.made"):
            if entry.payload.get("source_hash") == hash and isinstance(entry.data, ProofMade):
                return entry.data
    if not ledger.count(subject=id):
        raise InputError(f"nothing is recorded under {id}", fix="see: mayfly log")
    raise StoreError(f"{id} has no proof: it ended before one was made", fix=f"see: mayfly why {id}")
