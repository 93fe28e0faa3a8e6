"""Appends: fences are checked, events, links of the chain and the rows they move are written, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from mayfly.store._claim import Fence, taken_up
from mayfly.store._database import Connection, Row
from mayfly.store._events import Event, decode, encode
from mayfly.store._money import PAYMENTS, SALES, STRATEGIES
from mayfly.store._projection import Key, Projection, RowBatch, moved_by
from mayfly.store._rows import (
    COLUMNS,
    EVENTS,
    GENESIS,
    StoredEvent,
    insert_links,
    insert_rows,
    link_hash,
    number_events,
)
from mayfly.store._runs import RUNS, RunRow, run_of
from mayfly.store._tools import TOOL_VERSIONS, TOOL_WORDS, TOOLS

# Events that one link covers where a store from before the chain is linked: memory holds so many at a time.
_BATCH = 5000
# All tables whose rows follow from events.
PROJECTIONS: tuple[Projection[Any], ...] = (RUNS, TOOLS, TOOL_VERSIONS, TOOL_WORDS, STRATEGIES, PAYMENTS, SALES)
_MOVED_BY = moved_by(PROJECTIONS)
Batches: TypeAlias = dict[Projection[Any], RowBatch[Any]]
_TAIL = """
SELECT (SELECT coalesce(max(id), 0) FROM mayfly_events), (SELECT hash FROM mayfly_links ORDER BY last DESC LIMIT 1)
"""


class Append:
    """Checked events that go into the ledger next to each other, or not at all, and the fence they are held against."""

    def __init__(self, fresh: Sequence[Event], *, fence: Fence | None = None) -> None:
        self.fresh = fresh
        self.fence = fence
        # Made before anybody waits for this append: others wait while it is being written.
        self.texts = [encode(event.payload) for event in fresh]
        self.recorded: list[Event] | None = None
        self.error: Exception | None = None

    @property
    def answered(self) -> bool:
        """Whether it is known what became of it."""
        return self.recorded is not None or self.error is not None

    def moved_rows(self) -> Iterator[tuple[Projection[Any], Key]]:
        """Yield the rows that have to be looked at, each with its table."""
        if self.fence:
            yield RUNS, self.fence.run
        for event in self.fresh:
            for table in _MOVED_BY.get(event.kind, ()):
                for key in table.keys_of(event.subject, event.payload):
                    yield table, key


def append_events(connection: Connection, fresh: Sequence[Event], *, fence: Fence | None = None) -> list[Event]:
    """Record checked events in their order, in the transaction of *connection*."""
    appends = [Append(fresh, fence=fence)]
    return append_all(connection, appends, end_for(connection, appends))[0]


class LedgerEnd(NamedTuple):
    """What the next appends follow: the rows they are about as these stand, the last event and the last link's hash."""

    rows: Batches
    last: int
    head: str | None


def end_for(connection: Connection, appends: Sequence[Append]) -> LedgerEnd:
    """Wait for the right to append, which lasts until the transaction ends, and look at what there is."""
    connection.lock(EVENTS)
    # Asked before the answer to anything is awaited: on a server each wait is a way there and back.
    tail = connection.ask(_TAIL)
    keys: dict[Projection[Any], list[Key]] = {}
    for append in appends:
        for table, key in append.moved_rows():
            keys.setdefault(table, []).append(key)
    there = [table for table in keys if table.is_ours is None or table.is_ours(connection)]
    batches = {table: RowBatch(table, connection, keys[table]) for table in there}
    return LedgerEnd(batches, *tail()[0])


def append_all(connection: Connection, appends: Sequence[Append], end: LedgerEnd) -> list[list[Event]]:
    """Record appends one after the other in the transaction of *connection*; where one is refused, none is recorded.

    Each is held against the rows as the ones before it leave them and has a link of its own, so the ledger is what it
    would be had each had a transaction of its own.
    """
    batches, last, head = end
    at, links, found, written = datetime.now(UTC), [], list[list[Event]](), list[Row]()
    for append in appends:
        if append.fence is not None:
            check_fence(batches[RUNS][append.fence.run], append.fence)
        events, rows = number_events(append.fresh, append.texts, last=last, at=at)
        found.append(events)
        written += rows
        if rows:
            last, head = rows[-1][0], link_hash(head or GENESIS, rows)
            links.append((last, rows[0][0], head))
        for event, row in zip(events, rows, strict=True):
            for table in _MOVED_BY.get(event.kind, ()):
                if table in batches:
                    batches[table].move(StoredEvent(*row), event.payload)
    if links:
        insert_rows(connection, written)
        insert_links(connection, links)
        for batch in batches.values():
            batch.save()
    return found


def check_fence(row: RunRow, fence: Fence) -> None:
    """Refuse whoever appends for a run that another has claimed since."""
    if row.generation != fence.generation:
        raise taken_up(fence.run, row.generation, row.owner)


def next_generation(connection: Connection, run: str, first: Sequence[Event] = ()) -> int:
    """Begin the next generation of *run* and record *first* with it; no append of an earlier one is taken any more."""
    from mayfly.store._kinds import RunClaimed

    connection.lock(EVENTS)
    generation = RowBatch(RUNS, connection, [run])[run].generation + 1
    append_events(connection, [*first, Event.of(RunClaimed(generation=generation), subject=run)])
    return generation


def link_all(connection: Connection) -> None:
    """Link and count what a store from before the chain holds; from then on every append does so itself."""
    connection.lock(EVENTS)
    head = GENESIS
    for rows in _batches(connection):
        head = link_hash(head, rows)
        insert_links(connection, [(rows[-1][0], rows[0][0], head)])
        moving = [StoredEvent(*row) for row in rows if row[3] in RUNS.folds]
        runs = RowBatch(RUNS, connection, [run_of(event.subject) for event in moving])
        for event in moving:
            RUNS.fold(runs[run_of(event.subject)], event, decode(event.payload, id=event.id))
        runs.save()


def _batches(connection: Connection) -> Iterator[list[Row]]:
    after: object = 0
    query = f"SELECT {COLUMNS} FROM mayfly_events WHERE id > ? ORDER BY id LIMIT ?"
    while rows := connection.run(query, [after, _BATCH]):
        yield rows
        after = rows[-1][0]
