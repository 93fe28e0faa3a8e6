"""Bring a store up to date by numbered migrations, each in one transaction and under a lock.

The list only grows: a migration that has been released is never edited, a later one changes what it made.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sqlalchemy import Connection, func, inspect, select

from mayfly.core import StoreError
from mayfly.store._engine import Database
from mayfly.store._events import Event
from mayfly.store._kinds import StoreMigrated
from mayfly.store._rows import insert_events, lock, migrations, stamp


class Migration(NamedTuple):
    """One numbered step, in the words of one database."""

    number: int
    name: str
    sql: str


@cache
def known(dialect: str) -> tuple[Migration, ...]:
    """Return the migrations this version ships for *dialect*, in order."""
    folder = files("mayfly.store") / "migrations" / dialect
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(Migration(int(entry.name[:4]), entry.name[5:-4], entry.read_text(encoding="utf-8")) for entry in found)


def recorded(connection: Connection) -> int:
    """Return the number of the last migration the store has seen; 0 where there is no store."""
    if not inspect(connection).has_table(migrations.name):
        return 0
    return int(connection.execute(select(func.coalesce(func.max(migrations.c.id), 0))).scalar_one())


def migrate(database: Database) -> None:
    """Run what the store has not seen yet; refuse a store that has seen more than this version knows."""
    steps = known(database.engine.dialect.name)
    with database.engine.connect() as connection:
        seen = recorded(connection)
    if seen > len(steps):
        raise StoreError(
            f"{database.place.name} was written by a newer version: migration {seen}, and this one knows {len(steps)}",
            fix="pip install --upgrade mayfly-agents",
        )
    for step in steps[seen:]:
        with database.writes.begin() as connection:
            lock(connection, migrations)
            if recorded(connection) < step.number:
                _run(connection, step)


def _run(connection: Connection, step: Migration) -> None:
    for statement in _statements(step.sql, connection.dialect.name):
        connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
    row = {"id": step.number, "name": step.name, "at": stamp(datetime.now(UTC))}
    connection.execute(migrations.insert(), row)
    insert_events(connection, [Event.of(StoreMigrated(number=step.number, name=step.name), subject="store")])


def _statements(sql: str, dialect: str) -> Iterator[str]:
    """Split for SQLite, whose driver takes one statement a time; PostgreSQL takes the file as it is."""
    if dialect != "sqlite":
        yield sql
        return
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
