"""Outcomes, proofs and verdicts as plain data, and the words that every face uses for durations and lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.core import Outcome, Proof, Verdict

_COUNTS = (
    ("used", "used"),
    ("filtered", "filtered out"),
    ("header", "header"),
    ("empty", "empty"),
    ("not_understood", "not understood"),
)


def how_long(seconds: float) -> str:
    """Say a duration in the unit that reads best."""
    if seconds >= 60:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def account_words(account: Mapping[str, object]) -> str:
    """Say how many lines there were and what became of them; only what was used is said even where it is none."""
    second = account.get("second")
    return _told(account) + (f"; in the second input {_told(second)}" if isinstance(second, Mapping) else "")


def _told(account: Mapping[str, object]) -> str:
    said = [f"{_count(account, key):,} {words}" for key, words in _COUNTS if key == "used" or _count(account, key)]
    return f"{_count(account, 'lines'):,}: {', '.join(said)}{_first(account)}"


def _first(account: Mapping[str, object]) -> str:
    """Name the first line that was not understood; its count is the last that is said."""
    first = account.get("first_not_understood")
    if (
        not isinstance(first, Mapping)
        or not isinstance(first.get("line"), int)
        or not _count(account, "not_understood")
    ):
        return ""
    of = f" of {one_line(str(first['file']), limit=100)}" if "file" in first else ""
    return f" (first: line {first['line']:,}{of})"


def _count(account: Mapping[str, object], key: str) -> int:
    found = account.get(key, 0)
    return found if isinstance(found, int) else 0


def pick_fields(value: object, names: str) -> dict[str, Any]:
    """Return the attributes of *value* that *names* lists, as plain data."""
    return {name: getattr(value, name) for name in names.split()}


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
