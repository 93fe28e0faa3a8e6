"""Outcomes, proofs and verdicts as plain data, in the shapes that other programs rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mayfly.core import Outcome, Proof, Verdict


def outcome_fields(outcome: Outcome[Any]) -> dict[str, object]:
    """Return everything about an outcome but its value."""
    return {
        "status": outcome.status,
        "ending": outcome.ending,
        "reason": outcome.reason,
        "code": outcome.code,
        "id": outcome.id,
        "cached": outcome.cached,
        "model_calls": outcome.cost.model_calls,
        "question": outcome.question,
        "proof": proof_fields(outcome.proof),
        "reading": outcome.reading,
        "readings": [{"reading": offer.reading, "gives": offer.gives} for offer in outcome.readings],
        "account": None if outcome.account is None else dict(outcome.account),
        "candidate": outcome.candidate,
        "source_hash": outcome.source_hash,
        "cost": {
            "seconds": round(outcome.cost.seconds, 6),
            "input_tokens": outcome.cost.input_tokens,
            "output_tokens": outcome.cost.output_tokens,
            "money": outcome.cost.money.dollars,
        },
    }


def outcome_data(outcome: Outcome[Any], *, most: int) -> dict[str, object]:
    """Return everything about an outcome; of a list that lies on disk the first items, and how many there are."""
    value: Any = outcome.value
    fields = outcome_fields(outcome)
    if not isinstance(value, (str, list, dict)) and hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        fields["items"] = len(value)
        value = list(value[:most])
    return {**fields, "value": value}


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


def proof_fields(proof: Proof | None) -> dict[str, object]:
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
