"""The ledger: append, read, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType

from mayfly.core import InputError, LimitError, Settings, StoreError, content_hash
from mayfly.store._claim import Claim, check_name
from mayfly.store._database import Connection, Database
from mayfly.store._events import Event, Payload, check_kind, check_subject, checked
from mayfly.store._fork import ForkGuard
from mayfly.store._migrate import migrate, recorded
from mayfly.store._rows import insert_events, newest, select_events, to_events
from mayfly.store._sqlite import SQLite, ledger_file

# Rows fetched at a time: a page of the largest payloads still fits into memory.
PAGE = 100
# Subjects asked for in one query; databases take a few thousand values at most.
MANY = 1000
# Both databases count rows in 64 bits; a larger number is an error to them rather than an empty answer.
LARGEST_ID = 2**63 - 1


class Ledger:
    """Keep events and blobs for good, for any number of threads and processes at once.

    An append that returned is on disk. Ids grow by one in the order in which appends become visible, so whoever reads
    with ``after=`` the last id seen misses nothing, and no reader sees part of an `append_many`.

    **What holds it append-only.** Triggers in the database refuse UPDATE, DELETE, TRUNCATE and any INSERT that does not
    take the next id (so also REPLACE and ON CONFLICT DO UPDATE), whoever connects and with whatever client. **What they
    cannot hold:** whoever may change the schema may drop a trigger or a table, so on SQLite whoever can write the file
    (DROP, ALTER TABLE, ``PRAGMA writable_schema``, switching triggers off in the C interface, or an editor), and on
    PostgreSQL the owner of the tables and superusers. Where that matters, let Mayfly connect as a role that has only
    SELECT and INSERT on tables owned by another, and UPDATE and DELETE on mayfly_cache, which is no truth.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._guard = ForkGuard(database.disconnect)
        self._closed = False

    @classmethod
    def open(cls, settings: Settings) -> Ledger:
        """Open the store the settings name, making it or bringing it up to date where needed."""
        database = _database(settings)
        ledger = cls(database, settings)
        try:
            with ledger._guard.exclusive():
                migrate(database)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def find(cls, settings: Settings) -> Ledger | None:
        """Open the store the settings name if there is one, and make none."""
        if not settings.store.database_url:
            path = ledger_file(settings)
            return cls.open(settings) if path.exists() and path.stat().st_size else None
        database = _database(settings)
        try:
            with database.transaction() as connection:
                seen = recorded(connection)
        finally:
            database.disconnect()
        return cls.open(settings) if seen else None

    def close(self) -> None:
        """Close every connection once the calls under way are done; closing twice does no harm."""
        self._closed = True
        self._guard.shut()
        self._guard.reopen()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, entry: Event | Payload, *, subject: str | None = None) -> Event:
        """Record one event, given whole or as a registered payload and its subject; return it as recorded."""
        return self.append_many([entry], subject=subject)[0]

    def append_many(self, entries: Iterable[Event | Payload], *, subject: str | None = None) -> list[Event]:
        """Record events in one transaction: all of them, next to each other, or none."""
        fresh = [checked(entry, subject) for entry in entries]
        with self._writing() as connection:
            return insert_events(connection, fresh)

    def read(
        self, *, kind: str | None = None, subject: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[Event]:
        """Yield events in order of id, a page at a time, so that any number of them fits in memory."""
        _check_filter(kind, subject)
        if after < 0 or (limit is not None and limit < 0):
            raise InputError("after and limit must not be negative")
        return self._pages(kind, subject, min(after, LARGEST_ID), limit)

    def _pages(self, kind: str | None, subject: str | None, after: int, limit: int | None) -> Iterator[Event]:
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            query, values = select_events(kind=kind, subject=subject, after=after)
            with self._reading() as connection:
                rows = connection.run(f"{query} ORDER BY id LIMIT ?", [*values, size])
            yield from to_events(rows)
            if len(rows) < size:
                return
            after = rows[-1][0]
            left = None if left is None else left - size

    def count(self, *, kind: str | None = None, subject: str | None = None) -> int:
        """Count events."""
        _check_filter(kind, subject)
        query, values = select_events("count(*)", kind=kind, subject=subject)
        with self._reading() as connection:
            return int(connection.value(query, values))

    def before_last(self, number: int, *, kind: str | None = None, subject: str | None = None) -> int:
        """Return the *after* with which `read` yields the last *number* events there are now."""
        _check_filter(kind, subject)
        if number < 0:
            raise InputError("the number of events must not be negative")
        query, values = select_events("id", kind=kind, subject=subject)
        with self._reading() as connection:
            skipped = [*values, min(number, LARGEST_ID)]
            return int(connection.value(f"{query} ORDER BY id DESC LIMIT 1 OFFSET ?", skipped) or 0)

    def last(self, kind: str | None = None, subject: str | None = None) -> Event | None:
        """Return the newest event of one kind and one subject, where these are given; None where there is none."""
        _check_filter(kind, subject)
        query, values = select_events(kind=kind, subject=subject)
        with self._reading() as connection:
            rows = connection.run(f"{query} ORDER BY id DESC LIMIT 1", values)
        return next(to_events(rows), None)

    def find_many(self, kind: str, subjects: Collection[str]) -> dict[str, Event]:
        """Return the newest event of *kind* for each of the subjects that has one, in the order of the subjects."""
        if isinstance(subjects, str):
            raise InputError("find_many takes several subjects", fix="use last for one")
        check_kind(kind)
        for subject in subjects:
            check_subject(subject)
        wanted = list(dict.fromkeys(subjects))
        found: dict[str, Event] = {}
        for start in range(0, len(wanted), MANY):
            with self._reading() as connection:
                rows = connection.run(*newest(kind, wanted[start : start + MANY]))
            found |= {event.subject: event for event in to_events(rows)}
        return {subject: found[subject] for subject in wanted if subject in found}

    def claim(self, name: str) -> Claim:
        """Take the exclusive right to *name* for this process; `ConflictError` says which other process has it.

        It lasts until the claim is closed or the process ends, whatever ends it; `Claim.check` says whether it still
        stands. On PostgreSQL it needs a session of its own, so no pooler that shares sessions may stand between.
        """
        check_name(name)
        self._check_open()
        return Claim(name, self._database.right(name, self._settings))

    def put_blob(self, data: bytes) -> str:
        """Keep *data* and return its address, the SHA-256 in hex; the same data is kept once."""
        most = self._settings.store.blob_size
        if len(data) > most:
            raise LimitError("bytes of a blob", used=len(data), limit=most, fix="raise MAYFLY_STORE_BLOB_SIZE")
        hash = content_hash(data)
        with self._writing() as connection:
            if not connection.run("SELECT 1 FROM mayfly_blobs WHERE hash = ?", [hash]):
                # Two processes may put the same blob at once on PostgreSQL: the second one has nothing left to do.
                insert = "INSERT INTO mayfly_blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING"
                connection.run(insert, [hash, data])
        return hash

    def get_blob(self, hash: str) -> bytes:
        """Return the data kept at *hash*, verified to be what was put there."""
        if not re.fullmatch(r"[0-9a-f]{64}", hash):
            raise InputError(f"{hash!r} is not the address of a blob")
        with self._reading() as connection:
            data = connection.value("SELECT data FROM mayfly_blobs WHERE hash = ?", [hash])
        if data is None:
            raise StoreError(f"there is no blob {hash}")
        if content_hash(data) != hash:
            raise StoreError(f"blob {hash} is damaged: its content does not match its address")
        return bytes(data)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._guard.shared():
            self._check_open()
            with self._database.transaction() as connection:
                yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._guard.exclusive():
            self._check_open()
            with self._database.transaction(writing=True) as connection:
                yield connection

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("the ledger is closed")


def _database(settings: Settings) -> Database:
    if not settings.store.database_url:
        return SQLite(settings)
    # Imported where it is used: most stores are SQLite.
    from mayfly.store._postgres import PostgreSQL

    return PostgreSQL(settings)


def _check_filter(kind: str | None, subject: str | None) -> None:
    if kind is not None:
        check_kind(kind)
    if subject is not None:
        check_subject(subject)
