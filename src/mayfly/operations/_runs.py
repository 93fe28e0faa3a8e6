"""Which runs there were and how each of them stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.store import Ledger, RunRow

# Everything a run can stand at.
STATUSES = ("running", "resolved", "collapsed", "failed", "cancelled", "killed", "interrupted")


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run in a list of runs; *nodes* is 0 for a run without a tree, and *number* is where the next page begins.

    *seconds* is what the processes that worked at it measured, all attempts together: no clock that is set matters.
    """

    id: str
    intent: str
    at: datetime
    status: str
    nodes: int = 0
    resolved: int = 0
    collapsed: int = 0
    failed: int = 0
    seconds: float | None = None
    generation: int = 0
    owner: str = ""
    number: int = 0

    def fields(self) -> dict[str, object]:
        """Return it as data."""
        return {**asdict(self), "at": self.at.isoformat()}


def runs(
    ledger: Ledger,
    *,
    last: int = 20,
    status: Collection[str] = (),
    since: datetime | None = None,
    before: int | None = None,
) -> list[RunLine]:
    """Return the last runs, the newest first: those that stand so, that began since then, and before a *number*."""
    moment = since.astimezone(UTC).isoformat(timespec="microseconds") if since else ""
    earlier = {} if before is None else {"before": before}
    return [_line(row) for row in ledger.runs(status=status, since=moment, limit=last, **earlier)]


def run_line(ledger: Ledger, id: str) -> RunLine | None:
    """Return how one run stands; None where no such run has begun."""
    row = ledger.run(id)
    return None if row is None or not row.began else _line(row)


def _line(row: RunRow) -> RunLine:
    return RunLine(
        id=row.id,
        intent=row.intent,
        at=datetime.fromisoformat(row.at),
        status=row.status,
        nodes=row.nodes,
        # A run without a tree counts as one promise, which its status tells; only trees have counts of their own.
        resolved=row.resolved if row.nodes else 0,
        collapsed=row.collapsed if row.nodes else 0,
        failed=row.failed if row.nodes else 0,
        seconds=row.seconds if row.ended else None,
        generation=row.generation,
        owner=row.owner,
        number=row.began,
    )
