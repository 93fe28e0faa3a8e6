"""When a proof is strong: the one place where that is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mayfly.core import Proof
from mayfly.gates.proof._options import ProofOptions


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


class Weakness(NamedTuple):
    """One reason why a proof is not strong."""

    code: str
    text: str


def weaknesses(evidence: Evidence, options: ProofOptions) -> tuple[Weakness, ...]:
    """Return every reason why the proof is not strong."""
    killed, made = evidence.killed, evidence.mutants
    uncaught, unreached = ", ".join(evidence.uncaught), ", ".join(map(str, evidence.unreached[:5]))
    telling = evidence.telling[0] if evidence.telling else ""
    rules = (
        (evidence.uncaught, "empty", f"a program that always returns {uncaught} passes every test"),
        (made and killed / made < options.killed, "killed", f"only {killed} of {made} wrong programs are caught"),
        (
            options.mutants and made < options.fewest_mutants,
            "few",
            "too few wrong programs could be made to tell what the tests are worth",
        ),
        (evidence.unreached, "unreached", f"no test reaches line {unreached}"),
        (len(evidence.telling) > options.telling, "telling", f"a wrong program is not caught: {telling}"),
        (evidence.crash, "crash", f"it fails on an input like the examples: {evidence.crash}"),
        (evidence.surprise, "surprise", f"it gives another kind of result than the examples: {evidence.surprise}"),
        (
            evidence.luck > options.luck,
            "luck",
            f"somebody who guesses would pass with a probability of {evidence.luck:.2g}",
        ),
        (evidence.rivals, "rivals", "another program passes every test and gives other results"),
    )
    return tuple(Weakness(code, text) for holds, code, text in rules if holds)


def proof_of(evidence: Evidence, options: ProofOptions) -> Proof:
    """Return the proof: strong where nothing weakens it."""
    return Proof(
        strength="weak" if weaknesses(evidence, options) else "strong",
        tests=evidence.tests,
        held_out=evidence.held_out,
        mutants_killed=evidence.killed,
        mutants=evidence.mutants,
    )
