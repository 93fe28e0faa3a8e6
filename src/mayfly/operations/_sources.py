"""The programs a run rests on, each with its tests: what was written, what it had to pass, and what came of that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import MayflyError, without_secrets, without_secrets_in

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger


@dataclass(frozen=True, kw_only=True)
class TestedSource:
    """One program with its tests; *source* is empty and *why_not* says why where nothing of it was kept.

    *tests* are as the proof kept them, *results* what came of each when it was proven. No text holds a secret.
    """

    subject: str
    source_hash: str
    strength: str
    entry: str
    source: str = ""
    why_not: str = ""
    tests: Sequence[Mapping[str, Any]] = ()
    results: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    held_out: int = 0
    mutants: int = 0
    mutants_killed: int = 0


def tested_sources(ledger: Ledger, events: Iterable[Event]) -> list[TestedSource]:
    """Return every program that these events prove or take from what is remembered, each once."""
    proofs: dict[str, Event] = {}
    wanted: set[str] = set()
    for event in events:
        hash = str(event.payload.get("source_hash") or "")
        if event.kind == "proof.made":
            proofs.setdefault(hash, event)
        elif event.kind == "agent.cached" and event.payload.get("hit"):
            wanted.add(hash)
    wanted -= proofs.keys()
    # An agent that was found again was proven by another run; nothing but its hash leads there.
    for event in ledger.read(kind="proof.made") if wanted else ():
        hash = str(event.payload.get("source_hash"))
        if hash in wanted:
            proofs[hash] = event
            wanted.discard(hash)
            if not wanted:
                break
    return [_tested(ledger, event) for event in proofs.values()]


def _tested(ledger: Ledger, event: Event) -> TestedSource:
    row: Any = event.payload
    names = ("source_hash", "strength", "entry", "results", "notes", "held_out", "mutants", "mutants_killed")
    shown: dict[str, Any] = {"subject": event.subject, **{name: row[name] for name in names}}
    if row["suite_hash"] is None:
        return TestedSource(**shown, why_not="tier ephemeral keeps neither source nor tests")
    try:
        source = ledger.get_blob(shown["source_hash"]).decode("utf-8", "replace")
        suite: Any = without_secrets_in(json.loads(ledger.get_blob(str(row["suite_hash"]))))
    except (MayflyError, ValueError) as error:
        return TestedSource(**shown, why_not=f"it cannot be read: {error}")
    return TestedSource(**shown, source=without_secrets(source), tests=suite.get("tests", ()))
