from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mayfly.core import Settings, StoreSettings
from mayfly.store import Event, Ledger, Payload
from mayfly.store._migrate import known
from mayfly.store._rows import insert_events

# A fresh store holds one event for each migration that made it, and nothing else.
FRESH = len(known("sqlite"))


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def postgres_settings(sqlite_settings: Settings, postgres_url: str) -> Settings:
    return replace(sqlite_settings, store=StoreSettings(database_url=postgres_url))


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest) -> Settings:
    chosen: Settings = request.getfixturevalue(f"{request.param}_settings")
    return chosen


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    with Ledger.open(settings) as opened:
        yield opened


class Plain:
    """A plain SQL connection to the store, as somebody without Mayfly would have it; every statement commits."""

    def __init__(self, settings: Settings) -> None:
        self.dialect = "postgresql" if settings.store.database_url else "sqlite"
        self._connection: Any = (
            psycopg.connect(settings.store.database_url, autocommit=True)
            if settings.store.database_url
            else sqlite3.connect(settings.state / "ledger.db", isolation_level=None, check_same_thread=False)
        )

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def unguard(self, table: str) -> None:
        """Do what only an owner can: take the guards away."""
        if self.dialect == "postgresql":
            self.run(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        else:
            for (name,) in self.run(f"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'"):
                self.run(f"DROP TRIGGER {name}")

    def close(self) -> None:
        self._connection.close()


def append_as_before(ledger: Ledger, payloads: Sequence[Payload], *, subject: str) -> None:
    """Append as the versions did that knew neither the chain nor the rows of runs."""
    with ledger._writing() as connection:
        last = connection.value("SELECT coalesce(max(id), 0) FROM mayfly_events")
        insert_events(connection, [Event.of(payload, subject=subject) for payload in payloads], last=last)


@pytest.fixture
def plain(settings: Settings, ledger: Ledger) -> Iterator[Plain]:
    with closing(Plain(settings)) as connection:
        yield connection
