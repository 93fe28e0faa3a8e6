"""Open the database the settings name: SQLite in the state directory, or PostgreSQL by its URL."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url

from mayfly.core import InputError, Settings, StoreError
from mayfly.store._faults import ELSEWHERE, Place

FILE = "ledger.db"
LONGEST_WAIT = 1_000_000.0
POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


class Database(NamedTuple):
    """An engine, the same engine for writing, and the name of the place for messages."""

    engine: Engine
    writes: Engine
    place: Place


def ledger_file(settings: Settings) -> Path:
    """Return where SQLite keeps the ledger; a state directory that is no directory is the caller's mistake."""
    state = settings.state.absolute()
    if state.exists() and not state.is_dir():
        raise InputError(f"the state directory {state} is a file", fix=ELSEWHERE)
    return state / FILE


def open_sqlite(settings: Settings) -> Database:
    """Open or create the ledger's file, readable by its owner alone."""
    path = ledger_file(settings)
    _create(path)
    wait = min(settings.store.busy_timeout, LONGEST_WAIT)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": wait, "isolation_level": None, "check_same_thread": False},
        pool_timeout=max(wait, 1.0),
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        _switch_to_wal(connection, path, wait)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that begins as a reader and turns writer may fail at once however long the timeout is.
        writing = connection.get_execution_options().get("writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return Database(engine, engine.execution_options(writing=True), Place(name=str(path)))


def open_postgres(settings: Settings) -> Database:
    """Connect to PostgreSQL through psycopg, waiting for locks no longer than the settings say."""
    url = _postgres_url(settings.store.database_url)
    wait = min(settings.store.busy_timeout, LONGEST_WAIT)
    try:
        engine = create_engine(
            url,
            connect_args={"connect_timeout": max(2, int(wait)), "application_name": "mayfly"},
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            pool_timeout=max(wait, 1.0),
            hide_parameters=True,
        )
    except ImportError:
        raise StoreError("PostgreSQL needs psycopg", fix="pip install 'mayfly-agents[postgres]'") from None

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [str(max(1, int(wait * 1000)))])
            cursor.execute("SELECT current_setting('synchronous_commit')")
            if cursor.fetchone()[0] == "off":
                cursor.execute("SET synchronous_commit = on")
        connection.commit()

    return Database(engine, engine, _place(url))


def _create(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreError(f"{path} cannot be created: {error.strerror}", fix=ELSEWHERE) from None


def _switch_to_wal(connection: sqlite3.Connection, path: Path, wait: float) -> None:
    """Turn the write-ahead log on; SQLite does not wait for a lock here by itself, so wait for it."""
    deadline = time.monotonic() + wait
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            break
    if mode != "wal":
        raise StoreError(f"{path} is on a file system without shared memory", fix=ELSEWHERE)


def _postgres_url(text: str) -> URL:
    scheme = re.match(r"([a-z][a-z0-9+]{0,30})://", text, re.IGNORECASE)
    if scheme is None or scheme[1].lower() not in POSTGRES:
        found = f", not {scheme[1]}://" if scheme else ""
        raise InputError(f"MAYFLY_DATABASE_URL must begin with postgresql://{found}", fix="leave it empty for SQLite")
    try:
        return make_url(text).set(drivername="postgresql+psycopg")
    except (exc.ArgumentError, ValueError):
        raise InputError("MAYFLY_DATABASE_URL is not postgresql://user:password@host:port/database") from None


def _place(url: URL) -> Place:
    host = url.host or url.query.get("host") or "the local socket"
    named = f"{host}:{url.port}" if url.port else host
    hidden = [url.password, *(value for key, value in url.query.items() if "password" in key)]
    return Place(
        name=f"PostgreSQL at {named}/{url.database or ''}",
        secrets=tuple(str(secret) for secret in hidden if secret),
    )
