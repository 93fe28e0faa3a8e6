"""SQLite, in a file of the state directory: the store where no other is named."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from mayfly.core import InputError, Settings, StoreError
from mayfly.store._claim import Right
from mayfly.store._claim_file import FileRight, claimed_files
from mayfly.store._database import ELSEWHERE, Connection, Database
from mayfly.store._follow import Ear, FileEar
from mayfly.store._oslock import WriteQueue

FILE = "ledger.db"
QUEUE = "ledger.queue"
# What refuses to delete events.
GUARD = "mayfly_events_delete"
_FAULTS = {
    "SQLITE_BUSY": ("is locked by another process", "try again, or raise MAYFLY_STORE_BUSY_TIMEOUT"),
    "SQLITE_CANTOPEN": ("cannot be opened", ELSEWHERE),
    "SQLITE_CORRUPT": ("is damaged", "move it away and restore a copy"),
    "SQLITE_FULL": ("cannot grow: the disk is full", "free some space; what was acknowledged is kept"),
    "SQLITE_IOERR": ("cannot be read or written", "check the disk; what was acknowledged is kept"),
    "SQLITE_NOTADB": ("is not a ledger: the file is not a database", "move it away"),
    "SQLITE_PERM": ("may not be used", ELSEWHERE),
    "SQLITE_READONLY": ("cannot be written: it is read-only", ELSEWHERE),
}


def ledger_file(settings: Settings) -> Path:
    """Return where SQLite keeps the ledger; a state directory that is no directory is the caller's mistake."""
    state = settings.state.absolute()
    if state.exists() and not state.is_dir():
        raise InputError(f"the state directory {state} is a file", fix=ELSEWHERE)
    return state / FILE


class SQLite(Database):
    """The ledger's file, readable by its owner alone, with a write-ahead log and every commit on disk."""

    dialect: ClassVar = "sqlite"
    read: ClassVar = "BEGIN"
    snapshot: ClassVar = "BEGIN"
    # A transaction that begins as a reader and turns writer may fail at once however long the timeout is.
    write: ClassVar = "BEGIN IMMEDIATE"
    has_table: ClassVar = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
    has_strategies: ClassVar = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'strategies'"
    lock: ClassVar = None
    undoes_failed_commit: ClassVar = True

    def __init__(self, settings: Settings) -> None:
        self._path = ledger_file(settings)
        super().__init__(settings, name=str(self._path), errors=sqlite3.Error)
        self._queue = WriteQueue(self._path.with_name(QUEUE), wait=self.wait)
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StoreError(f"{self._path} cannot be created: {error.strerror}", fix=ELSEWHERE) from None

    def connect(self) -> sqlite3.Connection:
        """Open the file."""
        driver = sqlite3.connect(self._path, timeout=self.wait, isolation_level=None, check_same_thread=False)
        try:
            driver.execute("PRAGMA synchronous = FULL")
            driver.execute("PRAGMA foreign_keys = ON")
            self._switch_to_wal(driver)
        except BaseException:
            driver.close()
            raise
        return driver

    def _switch_to_wal(self, driver: sqlite3.Connection) -> None:
        """Turn the write-ahead log on; SQLite does not wait for a lock here by itself, so wait for it."""
        deadline = time.monotonic() + self.wait
        while True:
            try:
                mode = driver.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                break
        if mode != "wal":
            raise StoreError(f"{self._path} is on a file system without shared memory", fix=ELSEWHERE)

    def fault(self, error: Exception) -> StoreError:
        """Say what SQLite means."""
        name = getattr(error, "sqlite_errorname", "")
        for code, (what, fix) in _FAULTS.items():
            if name == code or name.startswith(f"{code}_"):
                return StoreError(f"{self.name} {what}", fix=fix)
        return StoreError(f"{self.name}: {str(error).partition(chr(10))[0]}")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Queue up with the writers of other processes."""
        if not self._queue.enter():
            what, fix = _FAULTS["SQLITE_BUSY"]
            raise StoreError(f"{self.name} {what}", fix=fix)
        try:
            yield
        finally:
            self._queue.leave()

    def disconnect(self) -> None:
        """Close every connection and the queue, which a forked child must not share."""
        super().disconnect()
        self._queue.close()

    def claimed(self, connection: Connection, names: Collection[str], settings: Settings) -> set[str]:
        """Look at the locks of the claims' files."""
        return claimed_files(settings.state.absolute() / "claims", names)

    def ear(self) -> Ear:
        """Look at the file's count of changes."""
        return FileEar(self)

    @contextmanager
    def unguarded(self, connection: Connection) -> Iterator[None]:
        """Take the guard away and put it back as it was; nobody else sees the ledger without it."""
        guard = connection.value(f"SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = '{GUARD}'")
        connection.run(f"DROP TRIGGER {GUARD}")
        yield
        connection.run(guard)

    def statements(self, script: str) -> Iterator[str]:
        """Split a script; a trigger holds semicolons of its own."""
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                yield statement
                statement = ""

    def right(self, name: str, settings: Settings) -> Right:
        """Return a lock on a file of the state directory."""
        return FileRight(settings.state.absolute() / "claims" / name)
