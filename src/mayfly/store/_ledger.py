"""The ledger: append, read, and nothing else."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING

from mayfly.core import InputError, LimitError, SecretValues, Settings, StoreError, content_hash, settings_values
from mayfly.store._append import Append, append_events, check_fence, next_generation
from mayfly.store._archive import (
    FOLDER,
    Archived,
    ArchiveReader,
    all_archives,
    archive_some,
    archives_of,
    sweep,
)
from mayfly.store._claim import Claim, Fence, check_name
from mayfly.store._database import Connection, Database
from mayfly.store._events import Event, Payload, check_kind, check_subject, checked
from mayfly.store._fork import ForkGuard
from mayfly.store._group import GroupCommit
from mayfly.store._migrate import migrate, recorded
from mayfly.store._projection import RowBatch
from mayfly.store._rows import EVENTS, newest, select_events, stamp, to_events
from mayfly.store._runs import RUNS, RunList
from mayfly.store._sqlite import SQLite, ledger_file

if TYPE_CHECKING:
    from mayfly.store._verify import Verified

# Hears what was recorded.
Listener = Callable[[Sequence[Event]], None]
# Rows fetched at a time: a page of the largest payloads still fits into memory.
PAGE = 100
# Subjects asked for in one query; databases take a few thousand values at most.
MANY = 1000
# Both databases count rows in 64 bits; a larger number is an error to them rather than an empty answer.
LARGEST_ID = 2**63 - 1


class Ledger(RunList):
    """Keep events and blobs for good, for any number of threads and processes at once.

    An append that returned is on disk. Ids grow by one in the order in which appends become visible, so whoever reads
    with ``after=`` the last id seen misses nothing, and no reader sees part of an `append_many`.

    **What holds it append-only.** Triggers in the database refuse UPDATE, DELETE, TRUNCATE and any INSERT that does not
    take the next id (so also REPLACE and ON CONFLICT DO UPDATE), whoever connects and with whatever client; of payments
    and sales they refuse every step that is not legal, other terms, and DELETE. **What they
    cannot hold:** whoever may change the schema may drop a trigger or a table, so on SQLite whoever can write the file
    (DROP, ALTER TABLE, ``PRAGMA writable_schema``, switching triggers off in the C interface, or an editor), and on
    PostgreSQL the owner of the tables and superusers. `verify` shows what they did. Where that matters, let Mayfly
    connect as a role that has only SELECT and INSERT on tables owned by another, UPDATE on mayfly_runs, mayfly_tools,
    mayfly_payments and mayfly_sales, UPDATE and DELETE on mayfly_cache, which is no truth, and REFERENCES on strategies
    where agents make tables.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._appends = GroupCommit()
        self._guard = ForkGuard(database.disconnect, restart=self._appends.restart)
        self._closed = False
        self._archives = ArchiveReader(settings.state.absolute() / FOLDER)
        self.fence: Fence | None = None
        self.secrets = SecretValues(settings_values(settings))
        self._listeners: list[Listener] = []

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

    def __exit__(self, *error: object) -> None:
        self.close()

    def append(self, entry: Event | Payload, *, subject: str | None = None) -> Event:
        """Record one event, given whole or as a registered payload and its subject; return it as recorded."""
        return self.append_many([entry], subject=subject)[0]

    def append_many(self, entries: Iterable[Event | Payload], *, subject: str | None = None) -> list[Event]:
        """Record events in one transaction: all of them, next to each other, or none."""
        with self._database.translated():  # the first one reads what secrets look like, and no file may be to be had
            hider = self.secrets.now()
            fresh = [checked(entry, subject, hider) for entry in entries]
        self._check_open()
        recorded = self._appends.record(Append(fresh, fence=self.fence), lambda: self._writing(piped=True))
        return self._announce(recorded)

    def tell(self, listener: Listener) -> None:
        """Let *listener* know of what this process appends, once it is on disk; one that fails hears no more."""
        self._listeners.append(listener)

    def _announce(self, recorded: list[Event]) -> list[Event]:
        for listener in tuple(self._listeners):
            try:
                listener(recorded)
            except Exception:  # whoever listens does not decide whether something is recorded
                self._listeners.remove(listener)
        return recorded

    def append_after(
        self, kind: str, subjects: Collection[str], make: Callable[[Mapping[str, Event]], Iterable[Event]]
    ) -> list[Event]:
        """Record what *make* makes of the newest events of *kind* of these subjects; nobody appends in between."""
        check_kind(kind)
        with self._writing() as connection:
            connection.lock(EVENTS)
            found = {event.subject: event for event in to_events(connection.run(*newest(kind, list(subjects))))}
            hider = self.secrets.now()
            fresh = [checked(entry, None, hider) for entry in make(found)]
            recorded = append_events(connection, fresh, fence=self.fence)
        return self._announce(recorded)

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
                archived = self._archived(connection, _named(subject), kind)
            events = list(to_events(rows))
            if archived:
                known = {event.id for event in events}
                old = [event for event in archived if event.id > after and event.id not in known]
                events = sorted((*old, *events), key=lambda event: event.id)[:size]
            yield from events
            if len(events) < size:
                return
            after = events[-1].id
            left = None if left is None else left - size

    def _archived(self, connection: Connection, subjects: Sequence[str], kind: str | None) -> list[Event]:
        """Return the events of subjects that lie in files."""
        files = archives_of(connection, subjects)
        found = [event for subject, some in files.items() for event in self._archives.events(some, subject)]
        return [event for event in found if kind in (None, event.kind)]

    def count(self, *, kind: str | None = None, subject: str | None = None) -> int:
        """Count events."""
        _check_filter(kind, subject)
        query, values = select_events("count(*)", kind=kind, subject=subject)
        with self._reading() as connection:
            return int(connection.value(query, values)) + len(self._archived(connection, _named(subject), kind))

    def before_last(self, number: int, *, kind: str | None = None, subject: str | None = None) -> int:
        """Return the *after* with which `read` yields the last *number* events there are now."""
        _check_filter(kind, subject)
        if number < 0:
            raise InputError("the number of events must not be negative")
        query, values = select_events("id", kind=kind, subject=subject)
        number = min(number, LARGEST_ID)
        with self._reading() as connection:
            found = connection.value(f"{query} ORDER BY id DESC LIMIT 1 OFFSET ?", [*values, number])
            old = self._archived(connection, _named(subject), kind) if found is None else []
            stored = int(connection.value(*select_events("count(*)", kind=kind, subject=subject))) if old else 0
        # What lies in files is older than what does not.
        return int(found or next((event.id for event in [*reversed(old)][number - stored :]), 0))

    def last(self, kind: str | None = None, subject: str | None = None) -> Event | None:
        """Return the newest event of one kind and one subject, where these are given; None where there is none."""
        _check_filter(kind, subject)
        query, values = select_events(kind=kind, subject=subject)
        with self._reading() as connection:
            rows = connection.run(f"{query} ORDER BY id DESC LIMIT 1", values)
            old = [] if rows else self._archived(connection, _named(subject), kind)
        return next(to_events(rows), None) or next(reversed(old), None)

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
            some = wanted[start : start + MANY]
            with self._reading() as connection:
                rows = connection.run(*newest(kind, some))
                stored = {event.subject: event for event in to_events(rows)}
                old = self._archived(connection, [subject for subject in some if subject not in stored], kind)
            found |= {event.subject: event for event in old} | stored
        return {subject: found[subject] for subject in wanted if subject in found}

    def claim(self, name: str, *, recording: Sequence[Payload] = ()) -> Claim:
        """Take the exclusive right to *name* for this process; `ConflictError` says which other process has it.

        It lasts until the claim is closed or the process ends, whatever ends it; `Claim.check` says whether it still
        stands. On PostgreSQL it needs a session of its own, so no pooler that shares sessions may stand between.
        What is to be *recording* about *name* goes into the ledger in one piece with the claim.
        """
        check_name(name)
        self._check_open()
        first = [checked(payload, name, self.secrets.now()) for payload in recording]
        right = self._database.right(name, self._settings)
        return Claim(name, right, begin=lambda: self._begin_generation(name, first), newest=lambda: self._newest(name))

    def _begin_generation(self, name: str, first: Sequence[Event]) -> int:
        with self._writing() as connection:
            return next_generation(connection, name, first)

    def _newest(self, name: str) -> int:
        with self._reading() as connection:
            return RowBatch(RUNS, connection, [name])[name].generation

    def fenced(self, fence: Fence | None) -> Ledger:
        """Return this ledger for the holder of a claim: what it appends is refused once another has claimed the run."""
        view = copy(self)
        view.fence = fence
        return view

    def hiding(self, secrets: SecretValues) -> Ledger:
        """Return this ledger for one session: what it appends holds none of its *secrets* either."""
        view = copy(self)
        view.secrets = secrets
        return view

    def check_fence(self) -> None:
        """Raise `ConflictError` where another has claimed the run that this ledger is fenced for."""
        if self.fence is not None:
            with self._reading() as connection:
                check_fence(RowBatch(RUNS, connection, [self.fence.run])[self.fence.run], self.fence)

    def follow(
        self,
        *,
        kind: str | None = None,
        subject: str | None = None,
        after: int | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Yield events as any process appends them, within a second; those that come from now on, or *after* an event.

        It ends within a second after *stop* is set, and otherwise never.
        """
        seen = self.before_last(0) if after is None else after
        ear = self._database.listen()
        try:
            while stop is None or not stop.is_set():
                with self._guard.shared():
                    self._check_open()
                    more = ear.heard()
                for event in self.read(kind=kind, subject=subject, after=seen) if more else ():
                    seen = event.id
                    yield event
                ear.wait()
        finally:
            ear.close()

    def verify(self, *, head: str = "") -> Verified:
        """Look whether everything is as it was appended; a *head* that was kept elsewhere shows a missing end too."""
        from mayfly.store._verify import Verifier

        with self._snapshot() as connection:
            return Verifier(connection, self._archives, anchor=head).verify()

    def archive(self, *, before: datetime) -> Iterator[Archived]:
        """Move runs that ended *before* a moment into compressed files, and yield what each file took.

        They are read as before where they are asked for by their subject; lists of all events leave them out.
        """
        moment, after = stamp(before), 0
        with self._reading() as connection:
            known = {file.name for file in all_archives(connection)}
        sweep(self._archives.folder, known)
        while True:
            with self._writing() as connection:
                done = archive_some(connection, self._archives.folder, before=moment, after=after)
            if done is None:
                return
            yield done
            after = done.until

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

    def _reading(self) -> AbstractContextManager[Connection]:
        return self._inside(self._guard.shared())

    def _snapshot(self) -> AbstractContextManager[Connection]:
        """Read everything as it was at one moment, however many statements that takes."""
        return self._inside(self._guard.shared(), snapshot=True)

    def _writing(self, *, piped: bool = False) -> AbstractContextManager[Connection]:
        return self._inside(self._guard.exclusive(), writing=True, piped=piped)

    @contextmanager
    def _inside(self, guard: AbstractContextManager[None], **how: bool) -> Iterator[Connection]:
        with guard:
            self._check_open()
            with self._database.transaction(**how) as connection:
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


def _named(subject: str | None) -> list[str]:
    """Return the subjects whose archives are looked at: none where all events are asked for."""
    return [] if subject is None else [subject]


def _check_filter(kind: str | None, subject: str | None) -> None:
    if kind is not None:
        check_kind(kind)
    if subject is not None:
        check_subject(subject)
