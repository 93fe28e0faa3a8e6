"""Events as rows of the ledger's table, the chain of hashes over them, and the few statements the ledger needs.

Each append adds one link to the chain, made of the link before it and its own events.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from mayfly.core import StoreError
from mayfly.store._database import Connection, Row, where
from mayfly.store._events import Event, decode, encode

EVENTS = "mayfly_events"
COLUMNS = "id, at, writer, kind, subject, payload"
_INSERT = f"INSERT INTO mayfly_events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"


class StoredEvent(NamedTuple):
    """One row of the table, as it is stored: the time and the payload are texts."""

    id: int
    at: str
    writer: str
    kind: str
    subject: str
    payload: str


def number_events(
    fresh: Sequence[Event], texts: Sequence[str], *, last: int, at: datetime
) -> tuple[list[Event], list[Row]]:
    """Give checked events, whose payloads are *texts*, their place after the event *last*; nothing is written yet.

    Return them as they are recorded, and the rows they become.
    """
    writer, moment = identity(os.getpid()), stamp(at)
    kept = [
        Event(kind=e.kind, subject=e.subject, payload=e.payload, id=last + n, at=at, writer=writer)
        for n, e in enumerate(fresh, 1)
    ]
    rows: list[Row] = [(e.id, moment, writer, e.kind, e.subject, text) for e, text in zip(kept, texts, strict=True)]
    return kept, rows


def insert_events(connection: Connection, fresh: Sequence[Event], *, last: int) -> None:
    """Write checked events after the event *last* without a link of the chain, as a store from before it does."""
    texts = [encode(event.payload) for event in fresh]
    insert_rows(connection, number_events(fresh, texts, last=last, at=datetime.now(UTC))[1])


def insert_rows(connection: Connection, rows: Sequence[Row]) -> None:
    """Write numbered events, in the transaction of *connection*, which has the lock."""
    connection.run_many(_INSERT, rows)


def select_events(
    wanted: str = COLUMNS, *, kind: str | None, subject: str | None, after: int | None = None
) -> tuple[str, list[object]]:
    """Return the query for the events of one kind and one subject, where these are given, and its values."""
    chosen, values = where(("kind = ?", kind), ("subject = ?", subject), ("id > ?", after))
    return f"SELECT {wanted} FROM mayfly_events {chosen}", values


def newest(kind: str, subjects: Sequence[str]) -> tuple[str, list[object]]:
    """Return the query for the newest event of one kind for each of the subjects that has one, and its values."""
    asked = ", ".join("?" * len(subjects))
    last = f"SELECT max(id) FROM mayfly_events WHERE kind = ? AND subject IN ({asked}) GROUP BY subject"
    return f"SELECT {COLUMNS} FROM mayfly_events WHERE id IN ({last})", [kind, *subjects]


def select_waiting(kind: str, ended_by: Sequence[str], *, later: bool, after: int) -> tuple[str, list[object]]:
    """Return the query for events of one kind of whose subject there is no event, or none *later*, of some kinds."""
    ends = f"ended.kind IN ({', '.join('?' * len(ended_by))}) AND ended.subject = asked.subject"
    beyond = " AND ended.id > asked.id" if later else ""
    ended = f"SELECT 1 FROM mayfly_events AS ended WHERE {ends}{beyond}"
    query = f"SELECT {COLUMNS} FROM mayfly_events AS asked WHERE kind = ? AND id > ? AND NOT EXISTS ({ended})"
    return query, [kind, after, *ended_by]


def to_events(rows: Iterable[Row]) -> Iterator[Event]:
    """Make events of rows of the whole table."""
    for id, at, writer, kind, subject, payload in rows:
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            raise StoreError(f"the time of event {id} is not a time") from None
        yield Event(id=id, at=moment, writer=writer, kind=kind, subject=subject, payload=decode(payload, id=id))


def stamp(at: datetime) -> str:
    """Write a time as text of fixed width, so that order as text is order in time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


@cache
def identity(pid: int) -> str:
    """Name process *pid* for good: its host, its number and a random part, since numbers are used again."""
    host = re.sub(r"[^A-Za-z0-9.-]", "", os.uname().nodename)[:64] or "host"
    return f"{host}:{pid}:{os.urandom(4).hex()}"


# What the first link follows.
GENESIS = "0" * 64


def link_hash(before: str, rows: Sequence[Row]) -> str:
    """Return the hash of a link over *rows*.

    No field that Mayfly writes holds a NUL and every row has six fields, so that different rows are different texts:
    whoever puts a NUL into a field to shift a border gets one too many of them.
    """
    text = "\0".join(["%s\0%s\0%s\0%s\0%s\0%s" % row for row in rows])  # noqa: UP031, the fastest way
    # What somebody else put there may be no Unicode at all; it still has one hash.
    return hashlib.sha256(f"{before}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def insert_links(connection: Connection, links: Sequence[tuple[int, int, str]]) -> None:
    """Add links, each its last event, its first and its hash, in the transaction that adds their events."""
    connection.run_many("INSERT INTO mayfly_links (last, first, hash) VALUES (?, ?, ?)", links)
