"""One append: the fence is checked, events, a link of the chain and the rows they move are written, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.store._chain import GENESIS, insert_link, link_hash
from mayfly.store._claim import Fence, taken_up
from mayfly.store._database import Connection, Row
from mayfly.store._events import Event
from mayfly.store._payload import decode
from mayfly.store._rows import COLUMNS, EVENTS, StoredEvent, insert_events
from mayfly.store._runs import RunBatch, RunRow, check_end, moves_run, run_of
from mayfly.store._tools import ToolBatch, moves_tool, tool_of

# Events that one link covers where a store from before the chain is linked: memory holds so many at a time.
_BATCH = 5000
# What kinds begin with that move rows of money, or name what money is added up under.
_MONEY = ("payment.", "sale.", "strategy.")
_TAIL = """
SELECT (SELECT coalesce(max(id), 0) FROM mayfly_events), (SELECT hash FROM mayfly_links ORDER BY last DESC LIMIT 1)
"""


def append_events(connection: Connection, fresh: Sequence[Event], *, fence: Fence | None = None) -> list[Event]:
    """Record checked events in their order, in the transaction of *connection*."""
    connection.lock(EVENTS)
    named = [run_of(event.subject) for event in fresh if moves_run(event.kind)]
    runs = RunBatch(connection, [fence.run, *named] if fence else named)
    if fence is not None:
        check_fence(runs[fence.run], fence)
    if not fresh:
        return []
    last, head = connection.run(_TAIL)[0]
    events, rows = insert_events(connection, fresh, last=last)
    insert_link(connection, first=rows[0][0], last=rows[-1][0], hash=link_hash(head or GENESIS, rows))
    if named:
        for event, row in zip(events, rows, strict=True):
            if moves_run(event.kind):
                check_end(runs[run_of(event.subject)], event)
                runs.move(StoredEvent(*row), event.payload)
        runs.save()
    _move_tools(connection, events, rows)
    _move_money(connection, events, rows)
    return events


def _move_tools(connection: Connection, events: Sequence[Event], rows: Sequence[Row]) -> None:
    moving = [(event, StoredEvent(*row)) for event, row in zip(events, rows, strict=True) if moves_tool(event.kind)]
    if moving:
        tools = ToolBatch(connection, [tool_of(event.subject) for event, _ in moving])
        for event, stored in moving:
            tools.move(stored, event.payload)
        tools.save()


def _move_money(connection: Connection, events: Sequence[Event], rows: Sequence[Row]) -> None:
    moving = [(event, row) for event, row in zip(events, rows, strict=True) if event.kind.startswith(_MONEY)]
    if moving:
        # Loaded where it is used: most appends are about no money.
        from mayfly.store._money_moves import move_money

        for event, row in moving:
            move_money(connection, StoredEvent(*row), event.payload)


def check_fence(row: RunRow, fence: Fence) -> None:
    """Refuse whoever appends for a run that another has claimed since."""
    if row.generation != fence.generation:
        raise taken_up(fence.run, row.generation, row.owner)


def next_generation(connection: Connection, run: str, first: Sequence[Event] = ()) -> int:
    """Begin the next generation of *run* and record *first* with it; no append of an earlier one is taken any more."""
    from mayfly.store._kinds import RunClaimed

    connection.lock(EVENTS)
    generation = RunBatch(connection, [run])[run].generation + 1
    append_events(connection, [*first, Event.of(RunClaimed(generation=generation), subject=run)])
    return generation


def link_all(connection: Connection) -> None:
    """Link and count what a store from before the chain holds; from then on every append does so itself."""
    connection.lock(EVENTS)
    head = GENESIS
    for rows in _batches(connection):
        head = link_hash(head, rows)
        insert_link(connection, first=rows[0][0], last=rows[-1][0], hash=head)
        moving = [StoredEvent(*row) for row in rows if moves_run(row[3])]
        runs = RunBatch(connection, [run_of(event.subject) for event in moving])
        for event in moving:
            runs.move(event, decode(event.payload, id=event.id))
        runs.save()


def _batches(connection: Connection) -> Iterator[list[Row]]:
    after: object = 0
    query = f"SELECT {COLUMNS} FROM mayfly_events WHERE id > ? ORDER BY id LIMIT ?"
    while rows := connection.run(query, [after, _BATCH]):
        yield rows
        after = rows[-1][0]
