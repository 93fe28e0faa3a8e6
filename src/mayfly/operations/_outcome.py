"""Outcomes, proofs and verdicts as plain data, in the shapes that other programs rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.core import Outcome, Proof, Verdict


def outcome_fields(outcome: Outcome[Any]) -> dict[str, object]:
    """Return everything about an outcome but its value."""
    cost = outcome.cost
    return {
        **pick_fields(outcome, "status ending reason code id cached question reading candidate source_hash"),
        "model_calls": cost.model_calls,
        "proof": proof_fields(outcome.proof),
        "readings": [pick_fields(offer, "reading gives") for offer in outcome.readings],
        "account": None if outcome.account is None else dict(outcome.account),
        "cost": {
            **pick_fields(cost, "input_tokens output_tokens"),
            "seconds": round(cost.seconds, 6),
            "money": cost.money.dollars,
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
    return pick_fields(verdict, "gate decision code message measured limit line fix")


def proof_fields(proof: Proof | None) -> dict[str, object]:
    """Return a proof as plain data; no proof has strength none."""
    counts = "tests held_out mutants_killed mutants"
    if proof is None:
        return {"strength": "none", "evidence": [], "open": [], **dict.fromkeys(counts.split(), 0)}
    lists = {name: [asdict(one) for one in getattr(proof, name)] for name in ("evidence", "open")}
    return {"strength": proof.strength, **lists, **pick_fields(proof, counts)}
