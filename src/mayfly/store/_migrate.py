"""Bring a store up to date by numbered migrations, each in one transaction and under a lock.

The list only grows: a migration that has been released is never edited, a later one changes what it made.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mayfly.core import StoreError
from mayfly.store._append import append_events, link_all
from mayfly.store._database import Connection, Database
from mayfly.store._events import Event
from mayfly.store._rows import EVENTS, insert_events, stamp

TABLE = "mayfly_migrations"
# The one that made the chain and the rows of runs, which it makes of the events that were there before.
CHAIN = 4


class Migration(NamedTuple):
    """One numbered step, in the words of one database."""

    number: int
    name: str
    sql: str


@cache
def known(dialect: str) -> tuple[Migration, ...]:
    """Return the migrations this version ships for *dialect*, in order."""
    found = sorted((Path(__file__).parent / "migrations" / dialect).glob("*.sql"))
    return tuple(Migration(int(path.name[:4]), path.stem[5:], path.read_text(encoding="utf-8")) for path in found)


def recorded(connection: Connection) -> int:
    """Return the number of the last migration the store has seen; 0 where there is no store."""
    if not connection.value(connection.database.has_table, [TABLE]):
        return 0
    return int(connection.value("SELECT coalesce(max(id), 0) FROM mayfly_migrations"))


def migrate(database: Database) -> None:
    """Run what the store has not seen yet; refuse a store that has seen more than this version knows."""
    steps = known(database.dialect)
    with database.transaction() as connection:
        seen = recorded(connection)
    if seen > len(steps):
        raise StoreError(
            f"{database.name} was written by a newer version: migration {seen}, and this one knows {len(steps)}",
            fix="pip install --upgrade mayfly-agents",
        )
    for step in steps[seen:]:
        with database.transaction(writing=True) as connection:
            connection.lock(TABLE)
            if recorded(connection) < step.number:
                _run(connection, step)


def _run(connection: Connection, step: Migration) -> None:
    from mayfly.store._kinds import StoreMigrated

    for statement in connection.database.statements(step.sql):
        connection.run(statement)
    row = [step.number, step.name, stamp(datetime.now(UTC))]
    connection.run("INSERT INTO mayfly_migrations (id, name, at) VALUES (?, ?, ?)", row)
    made = Event.of(StoreMigrated(number=step.number, name=step.name), subject="store")
    if step.number > CHAIN:
        append_events(connection, [made])
        return
    connection.lock(EVENTS)
    insert_events(connection, [made], last=connection.value("SELECT coalesce(max(id), 0) FROM mayfly_events"))
    if step.number == CHAIN:
        link_all(connection)
