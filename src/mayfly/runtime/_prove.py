"""Run a stored proof again: the same source, the same tests, a fresh sandbox."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.core import InputError, StoreError
from mayfly.gates import ProofMade, Suite, TestResult, find_entry

if TYPE_CHECKING:
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


def prove_again(runtime: Runtime, id: str) -> Reproved:
    """Run the tests of the proof that *id*, a run or a compilation, rests on."""
    made = find_proof(runtime, id)
    if made.suite_hash is None:
        raise InputError(
            f"{id} was made at tier ephemeral, which keeps neither source nor tests", fix="run it at tier memo"
        )
    ledger = runtime.parts.ledger
    source = ledger.get_blob(made.source_hash).decode("utf-8", "surrogatepass")
    suite = Suite.from_json(json.loads(ledger.get_blob(made.suite_hash)))
    entry = find_entry(ast.parse(source), made.entry, spread=made.spread)
    results = runtime.parts.prover.rerun(source, entry, suite, imports=frozenset(made.imports))
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
