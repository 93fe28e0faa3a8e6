"""Lists that are answered without reading a history: runs, what they add up to, and what waits for somebody."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly.store._rows import select_waiting, to_events
from mayfly.store._runs import OPEN, RUNS, RunRow, RunTotals, add_up, runs_where, stored_statuses

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.store._database import Connection, Database
    from mayfly.store._events import Event

# Rows fetched at a time.
PAGE = 100
# Both databases count events in 64 bits.
LAST = 2**63 - 1


class RunList(ABC):
    """What a ledger knows of runs without reading their events; the ledger itself gives the transactions to read in."""

    _database: Database
    _settings: Settings
    # The last event when the runs were added up, and what they came to.
    _summed: tuple[int, RunTotals] | None = None

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]: ...

    def claimed(self, names: Iterable[str]) -> set[str]:
        """Return which of the names some process has claimed at this moment; looking takes no lock."""
        wanted = list(names)
        if not wanted:
            return set()
        with self._reading() as connection:
            return self._database.claimed(connection, wanted, self._settings)

    def run(self, id: str) -> RunRow | None:
        """Return how a run stands, None where nothing is known of it; "open" becomes what it is at this moment."""
        with self._reading() as connection:
            found = RUNS.get(connection, id)
        return None if found is None else self._told([found])[0]

    def runs(
        self, *, status: Collection[str] = (), since: str = "", before: int = LAST, limit: int | None = None
    ) -> Iterator[RunRow]:
        """Yield runs, the newest first: those that stand so, began at *since* or later, and before an event."""
        left, stored = LAST if limit is None else limit, stored_statuses(status)
        while left > 0:
            where, values = runs_where(stored, since=since, before=before)
            with self._reading() as connection:
                rows = RUNS.select(connection, f"{where} ORDER BY began DESC LIMIT ?", [*values, PAGE])
            found = [row for row in self._told(rows) if not status or row.status in status]
            yield from found[:left]
            if len(rows) < PAGE:
                return
            before, left = rows[-1].began, left - len(found)

    def waiting(self, kind: str, *, ended_by: Sequence[str], later: bool = False) -> Iterator[Event]:
        """Yield the events of *kind* about whose subject there is none that ends it, the oldest first, by pages.

        With *later* only what was recorded after the event itself ends it. The indices tell which they are: of those
        that were ended none is read. What lies in archives is not looked at; what waits for a person stays.
        """
        after = 0
        while True:
            query, values = select_waiting(kind, ended_by, later=later, after=after)
            with self._reading() as connection:
                rows = connection.run(f"{query} ORDER BY id LIMIT ?", [*values, PAGE])
            yield from to_events(rows)
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def totals(self) -> RunTotals:
        """Add up all runs, without reading an event; once for every end of the ledger, since rows move with events."""
        with self._reading() as connection:
            # First, so that what is appended meanwhile makes the sums newer than their mark and never older.
            last = connection.value("SELECT max(id) FROM mayfly_events")
            if self._summed is None or self._summed[0] != last:
                self._summed = last, add_up(connection)
            return replace(self._summed[1], codes=dict(self._summed[1].codes))

    def _told(self, rows: list[RunRow]) -> list[RunRow]:
        """Say of open runs whether somebody is at them, was told to stop, or was interrupted."""
        open = [row for row in rows if row.status == OPEN]
        running = self.claimed(row.id for row in open if row.generation)
        for row in open:
            row.status = "running" if row.id in running else "cancelled" if row.cancelled else "interrupted"
        return rows
