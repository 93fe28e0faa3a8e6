"""Which runs there were and how each of them stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run in a list of runs; *nodes* is 0 for a run without a tree."""

    id: str
    intent: str
    at: datetime
    status: str
    nodes: int = 0
    resolved: int = 0
    collapsed: int = 0
    failed: int = 0
    seconds: float | None = None

    def fields(self) -> dict[str, object]:
        """Return it as data."""
        return {**asdict(self), "at": self.at.isoformat()}


def runs(ledger: Ledger, *, last: int = 20) -> list[RunLine]:
    """Return the last runs, the newest first."""
    wanted = last
    while True:
        after = ledger.before_last(wanted, kind="run.began")
        # Leaves begin too; how many of them there are among the last is not known beforehand.
        began = [event for event in ledger.read(kind="run.began", after=after) if "/" not in event.subject]
        if len(began) >= last or not after:
            return [_line(ledger, event) for event in reversed(began[-last:] if last else [])]
        wanted *= 4


def _line(ledger: Ledger, began: Event) -> RunLine:
    from mayfly.promise import State, count_states, run_status

    run = began.subject
    planned = ledger.last(kind="promise.planned", subject=run)
    status, end = run_status(ledger, run)
    counts = count_states(ledger, run) if planned else Counter()
    return RunLine(
        id=run,
        intent=str(began.payload.get("intent", "")),
        at=began.at,
        status=status,
        nodes=int(str(planned.payload["nodes"])) if planned else 0,
        resolved=counts[State.RESOLVED],
        collapsed=counts[State.COLLAPSED],
        failed=counts[State.FAILED],
        seconds=_took(began, end, tree=planned is not None) if end else None,
    )


def _took(began: Event, end: Event, *, tree: bool) -> float:
    """Return the seconds of a run; the story of a single agent is written in one piece, so its end says them."""
    told = end.payload.get("seconds")
    return float(told) if not tree and isinstance(told, (int, float)) else (end.at - began.at).total_seconds()
