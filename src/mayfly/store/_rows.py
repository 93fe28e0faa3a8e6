"""The tables as SQLAlchemy sees them, and the few statements the ledger needs."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    bindparam,
    func,
    select,
)

from mayfly.core import StoreError
from mayfly.store._events import Event
from mayfly.store._payload import decode, encode

metadata = MetaData()

events = Table(
    "mayfly_events",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("writer", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("payload", Text, nullable=False),
)

blobs = Table(
    "mayfly_blobs",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

migrations = Table(
    "mayfly_migrations",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("at", Text, nullable=False),
)

_INSERT = events.insert()
_LAST = select(func.coalesce(func.max(events.c.id), 0))
_LOCK = select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name"), 0)))


def lock(connection: Connection, table: Table) -> None:
    """Wait for the right to append to *table*, until the transaction ends; on SQLite `BEGIN IMMEDIATE` gave it."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"name": table.name})


def insert_events(connection: Connection, fresh: Sequence[Event]) -> list[Event]:
    """Record checked events in their order, in the transaction of *connection*."""
    texts = [encode(event.payload) for event in fresh]
    lock(connection, events)
    last = connection.execute(_LAST).scalar_one()
    at, writer = datetime.now(UTC), identity(os.getpid())
    kept = [
        Event(kind=e.kind, subject=e.subject, payload=e.payload, id=last + n, at=at, writer=writer)
        for n, e in enumerate(fresh, 1)
    ]
    if kept:
        moment = stamp(at)
        rows = [
            {"id": e.id, "at": moment, "writer": e.writer, "kind": e.kind, "subject": e.subject, "payload": text}
            for e, text in zip(kept, texts, strict=True)
        ]
        connection.execute(_INSERT, rows)
    return kept


def matching(*, kind: str | None, subject: str | None) -> Select[Any]:
    """Select the events of one kind and one subject, where these are given."""
    query = select(events)
    if kind is not None:
        query = query.where(events.c.kind == kind)
    if subject is not None:
        query = query.where(events.c.subject == subject)
    return query


def newest(kind: str, subjects: Sequence[str]) -> Select[Any]:
    """Select the newest event of one kind for each of the subjects that has one."""
    last = select(func.max(events.c.id)).where(events.c.kind == kind, events.c.subject.in_(subjects))
    return select(events).where(events.c.id.in_(last.group_by(events.c.subject)))


def to_events(rows: Sequence[Row[Any]]) -> Iterator[Event]:
    """Make events of rows of the whole table."""
    for row in rows:
        try:
            at = datetime.fromisoformat(row.at)
        except ValueError:
            raise StoreError(f"the time of event {row.id} is not a time") from None
        payload = decode(row.payload, id=row.id)
        yield Event(id=row.id, at=at, writer=row.writer, kind=row.kind, subject=row.subject, payload=payload)


def stamp(at: datetime) -> str:
    """Write a time as text of fixed width, so that order as text is order in time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


@cache
def identity(pid: int) -> str:
    """Name process *pid* for good: its host, its number and a random part, since numbers are used again."""
    host = re.sub(r"[^A-Za-z0-9.-]", "", socket.gethostname())[:64] or "host"
    return f"{host}:{pid}:{secrets.token_hex(4)}"
