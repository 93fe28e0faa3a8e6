"""Verdicts as people and as programs read them."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from mayfly.cli._output import answer, foreign
from mayfly.core import Verdict, one_line

if TYPE_CHECKING:
    from mayfly.core import Proof


def verdict_fields(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as plain data."""
    return {
        "gate": verdict.gate,
        "decision": verdict.decision,
        "code": verdict.code,
        "message": verdict.message,
        "measured": verdict.measured,
        "limit": verdict.limit,
        "line": verdict.line,
        "fix": verdict.fix,
    }


def proof_fields(proof: "Proof | None") -> dict[str, object]:
    """Return a proof as plain data; no proof has strength none."""
    return {
        "strength": proof.strength if proof else "none",
        "evidence": [asdict(one) for one in proof.evidence] if proof else [],
        "open": [asdict(one) for one in proof.open] if proof else [],
        "tests": proof.tests if proof else 0,
        "held_out": proof.held_out if proof else 0,
        "mutants_killed": proof.mutants_killed if proof else 0,
        "mutants": proof.mutants if proof else 0,
    }


def show_verdict(verdict: Verdict, file: str = "") -> None:
    """Print a verdict on one line, and below it how to do better."""
    if verdict.code == "SYNTAX":
        answer(one_line(verdict.message))
    else:
        where = (
            f"{file}:{verdict.line}: " if file and verdict.line else f"line {verdict.line}: " if verdict.line else ""
        )
        answer(f"{verdict.decision:<7} {verdict.gate:<9} {where}{one_line(verdict.message)} [{verdict.code}]")
    if verdict.fix and verdict.decision != "accept":
        answer("\n".join(f"        {line}" for line in foreign(verdict.fix, sys.stdout).splitlines()))


def exit_status(decision: str) -> int:
    """Return 0 for what was accepted and 1 for what was not."""
    return 0 if decision == "accept" else 1
