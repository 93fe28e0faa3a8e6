"""Runs: which there were and how each of them stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import InputError, ending_of, one_line
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.store import Ledger, RunRow

# Everything a run can stand at.
STATUSES = ("running", "resolved", "collapsed", "failed", "cancelled", "killed", "interrupted")
RUN_ENDS = ("run.resolved", "run.collapsed")
# Pages that a search looks through, so that a rare word does not read all that ever ran.
_SEARCHED = 20


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run in a list of runs; *nodes* is 0 for a run without a tree, and *number* is where the next page begins.

    *seconds* is what the processes that worked at it measured, all attempts together: no clock that is set matters.
    """

    id: str
    intent: str
    at: datetime
    status: str
    code: str = ""
    nodes: int = 0
    resolved: int = 0
    collapsed: int = 0
    failed: int = 0
    seconds: float | None = None
    generation: int = 0
    owner: str = ""
    number: int = 0

    @property
    def ending(self) -> str:
        """How it stands in the words that every face shows."""
        return ending_of(self.status, self.code)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "at": self.at.isoformat(), "ending": self.ending}


class RunPage(NamedTuple):
    """A page of runs; *next* is the number before which the next page begins, None at the end."""

    runs: list[RunLine]
    next: int | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"runs": [one.to_json() for one in self.runs], "next": self.next}


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


def search_runs(
    ledger: Ledger,
    *,
    last: int,
    status: Collection[str] = (),
    since: datetime | None = None,
    before: int | None = None,
    search: str = "",
    compilations: bool = True,
) -> RunPage:
    """Return a page of runs whose intent has a text; what was only compiled has a story and no end."""
    found: list[RunLine] = []
    for _ in range(1 if compilations and not search else _SEARCHED):
        some = runs(ledger, last=last + 1, status=status, since=since, before=before)
        found += [
            one
            for one in some
            if search.casefold() in one.intent.casefold() and (compilations or one.id.startswith("r-"))
        ]
        if len(some) <= last or len(found) > last:
            page = found[:last]
            return RunPage(page, page[-1].number if page and len(found) > last else None)
        before = some[-1].number
    return RunPage(found, found[-1].number if found else None)


def run_line(ledger: Ledger, id: str) -> RunLine | None:
    """Return how one run stands; None where no such run has begun."""
    row = ledger.run(id)
    return None if row is None or not row.began else _line(row)


def run_number(ledger: Ledger, id: str) -> int:
    """Return where a run stands in the list."""
    line = run_line(ledger, id)
    if line is None:
        raise no_run(id)
    return line.number


def no_run(id: str) -> InputError:
    """Return the error for a run that is not there."""
    return InputError(f"there is no run {one_line(id, limit=80)}", fix="see: mayfly runs")


def _line(row: RunRow) -> RunLine:
    # A run without a tree counts as one promise, which its status tells; only trees have counts of their own.
    counts = pick_fields(row, "resolved collapsed failed") if row.nodes else {}
    return RunLine(
        **pick_fields(row, "id intent status code nodes generation owner"),
        **counts,
        at=datetime.fromisoformat(row.at),
        seconds=row.seconds if row.ended else None,
        number=row.began,
    )
