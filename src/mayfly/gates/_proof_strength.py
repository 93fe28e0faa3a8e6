"""When a proof is strong: the one place where that is decided."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import Proof
from mayfly.gates._proof_options import ProofOptions


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was measured about a suite that the program passes."""

    tests: int
    held_out: int = 0
    killed: int = 0
    mutants: int = 0
    uncaught: tuple[str, ...] = ()
    unreached: tuple[int, ...] = ()
    telling: tuple[str, ...] = ()
    crash: str = ""
    surprise: str = ""
    luck: float = 0.0
    rivals: int = 0


def weaknesses(evidence: Evidence, options: ProofOptions) -> tuple[str, ...]:
    """Return every reason why the proof is not strong."""
    found = []
    if evidence.uncaught:
        found.append(f"a program that always returns {', '.join(evidence.uncaught)} passes every test")
    if evidence.mutants and evidence.killed / evidence.mutants < options.killed:
        found.append(f"only {evidence.killed} of {evidence.mutants} wrong programs are caught")
    if options.mutants and evidence.mutants < options.fewest_mutants:
        found.append("too few wrong programs could be made to tell what the tests are worth")
    if evidence.unreached:
        listed = ", ".join(map(str, evidence.unreached[:5]))
        found.append(f"no test reaches line {listed}")
    if len(evidence.telling) > options.telling:
        found.append(f"a wrong program is not caught: {evidence.telling[0]}")
    if evidence.crash:
        found.append(f"it fails on an input like the examples: {evidence.crash}")
    if evidence.surprise:
        found.append(f"it gives another kind of result than the examples: {evidence.surprise}")
    if evidence.luck > options.luck:
        found.append(f"somebody who guesses would pass with a probability of {evidence.luck:.2g}")
    if evidence.rivals:
        found.append("another program passes every test and gives other results")
    return tuple(found)


def proof_of(evidence: Evidence, options: ProofOptions) -> Proof:
    """Return the proof: strong where nothing weakens it."""
    return Proof(
        strength="weak" if weaknesses(evidence, options) else "strong",
        tests=evidence.tests,
        held_out=evidence.held_out,
        mutants_killed=evidence.killed,
        mutants=evidence.mutants,
    )
