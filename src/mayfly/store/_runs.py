"""How each run stands: a row that follows from the run's events, and lists that are answered by these rows alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from typing import Any

from mayfly.core import ConflictError, Money, Settings
from mayfly.store._database import Connection, Database, where
from mayfly.store._events import Event
from mayfly.store._projection import Fold, Projection
from mayfly.store._rows import StoredEvent, select_waiting, to_events

# What a run stands at between its beginning and its end; whether somebody is at it, its claim says.
OPEN = "open"
# Reasons for an end that somebody asked for, which are shown in place of "collapsed".
_STOPPED = {"CANCELLED": "cancelled", "KILLED": "killed"}
# Far more than anything counts up to, and a thousand of it still fit the 64 bits of a column.
_LARGEST = 2**53
_AMOUNTS = ("model_calls", "input_tokens", "output_tokens", "micros")


@dataclass(kw_only=True, slots=True)
class RunRow:
    """One run. *began* and *ended* are events, 0 where there is none; *seconds* adds up what the drivers measured.

    Amounts are those that the last end tells; those of leaves are added up over all attempts.
    """

    id: str
    began: int = 0
    at: str = ""
    intent: str = ""
    status: str = OPEN
    cancelled: int = 0
    owner: str = ""
    generation: int = 0
    nodes: int = 0
    resolved: int = 0
    collapsed: int = 0
    failed: int = 0
    depth: int = 0
    ended: int = 0
    ended_at: str = ""
    code: str = ""
    cached: int = 0
    seconds: float = 0.0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micros: int = 0
    leaf_model_calls: int = 0
    leaf_input_tokens: int = 0
    leaf_output_tokens: int = 0
    leaf_micros: int = 0
    compiled: int = 0
    lines: int = 0
    dead: int = 0


@dataclass(frozen=True, kw_only=True)
class RunTotals:
    """What the rows of all runs add up to; a tree that was tried again counts with what all attempts spent."""

    runs: int
    resolved: int
    failed: int
    cached: int
    compiled: int
    lines: int
    dead: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    micros: int
    nodes: int
    single: int
    promises_resolved: int
    promises_collapsed: int
    promises_failed: int
    depth: int
    codes: dict[str, int]


def _larger(name: str) -> str:
    return f"sum(CASE WHEN {name} > leaf_{name} THEN {name} ELSE leaf_{name} END)"


def _single(status: str) -> str:
    """Return the SQL that counts promises: those of trees, and a run without a tree as one."""
    alone = f"nodes = 0 AND ended > 0 AND {status}"
    return f"CASE WHEN {alone} THEN 1 ELSE 0 END"


_TOTALS = f"""
SELECT sum(CASE WHEN ended > 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'resolved' THEN 1 ELSE 0 END), sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END),
    sum(cached), sum(compiled), sum(lines), sum(dead),
    {", ".join(_larger(name) for name in _AMOUNTS)},
    sum(nodes), sum({_single("1 = 1")}),
    sum(resolved + {_single("status = 'resolved'")}),
    sum(collapsed + {_single("status NOT IN ('resolved', 'failed')")}),
    sum(failed + {_single("status = 'failed'")}),
    max(depth)
FROM mayfly_runs
"""
_CODES = """
SELECT code, count(*) FROM mayfly_runs WHERE ended > 0 AND status <> 'resolved' GROUP BY code ORDER BY min(ended)
"""


def add_up(connection: Connection) -> RunTotals:
    """Add up the rows of all runs."""
    sums = [int(value or 0) for value in connection.run(_TOTALS)[0]]
    names = [field.name for field in fields(RunTotals)]
    codes = {code: int(count) for code, count in connection.run(_CODES)}
    return RunTotals(codes=codes, **dict(zip(names, sums, strict=False)))


def run_of(subject: str) -> str:
    """Return the run that a subject belongs to: that of a leaf is the run, a slash, and the leaf's place in it."""
    return subject.partition("/")[0]


def _check_end(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    """Refuse to record a second end of a run: one that is there stands until the run is taken up again."""
    if event.kind in _ENDS and row.ended and row.status != OPEN and event.subject == row.id:
        raise ConflictError(f"run {row.id} has ended already: it is {row.status}", fix=f"see: mayfly trace {row.id}")


def _begin(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    if event.subject == row.id and not row.began:
        row.began, row.at, row.intent = event.id, event.at, str(payload.get("intent", ""))


def _claim(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.generation, row.owner = _whole(payload.get("generation")), event.writer


def _resume(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.status, row.cancelled, row.ended, row.ended_at = OPEN, 0, 0, ""
    row.collapsed = row.failed = 0
    # Older versions did not say how many promises stay kept: then those kept before do.
    kept = payload.get("kept")
    row.resolved = row.resolved if kept is None else _whole(kept)


def _cancel(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.cancelled = 1


def _plan(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.nodes = _whole(payload.get("nodes"))


def _count(name: str) -> Fold:
    def count(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
        row.depth = max(row.depth, str(payload.get("node", "")).count("."))
        if name:
            setattr(row, name, getattr(row, name) + 1)

    return count


def _end(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    amounts = [_whole(payload.get(name)) for name in _AMOUNTS[:3]] + [_micros(payload.get("money"))]
    if event.subject != row.id:
        for name, amount in zip(_AMOUNTS, amounts, strict=True):
            setattr(row, f"leaf_{name}", getattr(row, f"leaf_{name}") + amount)
    elif row.status == OPEN:
        for name, amount in zip(_AMOUNTS, amounts, strict=True):
            setattr(row, name, amount)
        resolved = event.kind == "run.resolved"
        row.code = "" if resolved else str(payload.get("code") or "UNKNOWN")
        plain = "resolved" if resolved else str(payload.get("status") or "collapsed")
        row.status = _STOPPED.get(row.code, plain)
        row.ended, row.ended_at = event.id, event.at
        row.cached = int(payload.get("cached") is True)
        seconds = payload.get("seconds")
        row.seconds += max(0.0, float(seconds)) if isinstance(seconds, (int, float)) else 0.0


def _create(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.compiled += 1
    row.lines += _whole(payload.get("lines"))


def _bury(row: RunRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.dead += 1


def _whole(value: object) -> int:
    """Return a number as both databases can hold it, and sums of it too; a payload may say anything."""
    return max(0, min(int(value), _LARGEST)) if isinstance(value, (int, float)) else 0


def _micros(value: object) -> int:
    return _whole(Money.of(value).micros) if isinstance(value, (int, float)) else 0


_ENDS = ("run.resolved", "run.collapsed")
RUNS = Projection(
    table="mayfly_runs",
    label="run {0}",
    row=RunRow,
    keys_of=lambda subject, payload: (run_of(subject),),
    check=_check_end,
    folds={
        "run.began": _begin,
        "run.claimed": _claim,
        "run.resumed": _resume,
        "run.cancelled": _cancel,
        "run.resolved": _end,
        "run.collapsed": _end,
        "promise.planned": _plan,
        "promise.began": _count(""),
        "promise.resolved": _count("resolved"),
        "promise.collapsed": _count("collapsed"),
        "promise.failed": _count("failed"),
        "agent.created": _create,
        "leaf.dead": _bury,
    },
)


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
        left, stored = LAST if limit is None else limit, set(status)
        if stored & {"running", "interrupted", "cancelled"}:
            # Three ways to stand are told apart by looking.
            stored.add(OPEN)
        while left > 0:
            chosen, values = where(
                ("began > 0 AND began < ?", before), ("status IN ?", sorted(stored)), ("at >= ?", since or None)
            )
            with self._reading() as connection:
                rows = RUNS.select(connection, f"{chosen} ORDER BY began DESC LIMIT ?", [*values, PAGE])
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
