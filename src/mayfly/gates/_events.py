"""What the gates write into the ledger: every verdict, and every proof with what is needed to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mayfly.core import Verdict
from mayfly.store import JSON, event

LONGEST = 2000


@event("gate.judged")
class GateJudged:
    """Record one verdict on one source."""

    decision: str
    gate: str
    code: str
    message: str
    measured: float | str | None
    limit: float | str | None
    line: int | None
    fix: str | None
    source_hash: str
    attempt: int = 1
    # What the whole gate took, at the first of its verdicts.
    milliseconds: float | None = None

    @classmethod
    def of(
        cls, verdict: Verdict, *, source_hash: str, attempt: int = 1, milliseconds: float | None = None
    ) -> GateJudged:
        """Make the event of *verdict*; texts are cut where they stop being readable."""
        said: dict[str, Any] = asdict(verdict)
        said |= {name: value[:LONGEST] for name, value in said.items() if isinstance(value, str)}
        return cls(**said, source_hash=source_hash, attempt=attempt, milliseconds=milliseconds)


@event("proof.made")
class ProofMade:
    """Record a proof: how strong it is, and where its source and its tests are kept, if they are."""

    strength: str
    tests: int
    held_out: int
    mutants: int
    mutants_killed: int
    source_hash: str
    suite_hash: str | None
    entry: str
    spread: bool
    imports: tuple[str, ...]
    results: tuple[Mapping[str, JSON], ...] = ()
    notes: tuple[str, ...] = ()
    # The source of what accounts for the lines of a question about data, the grants the program runs with, and the
    # header of the rows that are made of its input, where DuckDB does not read that as it is.
    accounts: str = ""
    grants: tuple[str, ...] = ()
    rows: str = ""
