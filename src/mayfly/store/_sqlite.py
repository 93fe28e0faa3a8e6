"""SQLite, in a file of the state directory: the store where no other is named.

A claim is a lock on a file beside it; followers look at SQLite's own count of changes.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import struct
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from mayfly.core import InputError, Settings, StoreError
from mayfly.store._claim import Right, holder_words
from mayfly.store._database import ELSEWHERE, Connection, Database, Ear
from mayfly.store._rows import identity

# Seconds between two looks at a file; one costs about ten microseconds.
_LOOK = 0.1
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
        folder = settings.state.absolute() / "claims"
        return {name for name in names if _is_claimed(folder / name)}

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


class FileEar(Ear):
    """Look at SQLite's own count of changes by others."""

    _seen = -1

    def wait(self) -> None:
        """Sleep."""
        time.sleep(_LOOK)

    def heard(self) -> bool:
        """Whether another connection has changed the file."""
        if self._driver is None:
            with self._database.translated():
                self._driver, self._seen = self._database.connect(), -1
        seen, self._seen = self._seen, self._driver.execute("PRAGMA data_version").fetchone()[0]
        return bool(seen != self._seen)


# Who holds a claim is host, process and token; somebody else's file may hold anything, and no more of it is read.
_LONGEST = 200


class FileRight:
    """Hold *path* locked; the name of the holder stands in it for whoever comes second."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> str | None:
        """Lock the file, making it where needed."""
        self.leave()
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            while (file := self._open()) is not None:
                if self._is(file):
                    self._file = file
                    return None
                # Its last holder took it away after it was opened and before it was locked.
                os.close(file)
            return holder_words(self._holder())
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror or error}", fix=ELSEWHERE) from None

    def holds(self) -> bool:
        """Whether the locked file is still the one others would lock."""
        return self._file is not None and self._is(self._file)

    def drop(self) -> None:
        """Take the file away while it is locked, so that claims leave nothing behind, then let it go."""
        if self._file is None:
            return
        with suppress(OSError):
            if self._is(self._file):
                self._path.unlink()
            # A process just being started may have the file open for an instant longer.
            unlock(self._file)
        self.leave()

    def leave(self) -> None:
        """Close the file, which unlocks it only where no other process has it open by inheritance."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)

    def _open(self) -> int | None:
        """Return the file, open and locked, with our name in it; None where another has it locked."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if not try_lock(file):
                os.close(file)
                return None
        except BaseException:
            os.close(file)
            raise
        # The name is for messages alone: a full disk is no reason not to hold the lock.
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, identity(os.getpid()).encode(), 0)
        return file

    def _is(self, file: int) -> bool:
        """Whether *file* is what others find at the path."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(file), os.stat(self._path, follow_symlinks=False))
        return False

    def _holder(self) -> str:
        with suppress(OSError):
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                return os.read(file, _LONGEST).decode("utf-8", "replace")
            finally:
                os.close(file)
        return ""


def _is_claimed(path: Path) -> bool:
    """Whether another opening of the file has it locked; this takes no lock, so it is in nobody's way."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _request(fcntl.F_RDLCK, 0))
        return bool(_FLOCK.unpack(found)[0] != fcntl.F_UNLCK)
    finally:
        os.close(file)


# Locks are on bytes of files: the kernel takes them back when the file is closed, and they can be looked at untaken.
# struct flock of 64-bit Linux: type, whence, start, length, pid (which must be 0), and padding to a whole word.
_FLOCK = struct.Struct("hhqqi0q")
# How long those in the queue sleep between two looks, in seconds. The first in line looks often, since a commit takes
# about a millisecond; chance keeps the others from looking in step.
_FIRST, _OTHERS = (0.0002, 0.0005), (0.0005, 0.002)
# The two places of a queue, as bytes of its file: who is next, and who has the turn.
_NEXT, _TURN = 0, 1


def try_lock(file: int, byte: int = 0) -> bool:
    """Lock one byte of an open file for that opening of it; whether nobody else had it."""
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK, byte))
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock(file: int, byte: int = 0) -> None:
    """Give a byte back."""
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_UNLCK, byte))


def _request(kind: int, byte: int) -> bytes:
    return _FLOCK.pack(kind, os.SEEK_SET, byte, 1, 0)


class WriteQueue:
    """Let the writers of one file in by turns, across processes.

    SQLite's own waiting sleeps longer the longer it has waited, so newcomers overtake whoever has waited longest. Here
    whoever had the turn has to become next first, and the one that is next keeps that place until it has the turn.
    Nothing but fairness rests on it: where the file cannot be opened, everybody goes in at once and SQLite decides.
    """

    def __init__(self, path: Path, *, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._file: int | None = None

    def enter(self) -> bool:
        """Wait for the turn; False where it did not come in time."""
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            return self._queue(self._file, time.monotonic() + self._wait)
        return True

    def _queue(self, file: int, until: float) -> bool:
        if not _take(file, _NEXT, _OTHERS, until):
            return False
        try:
            return _take(file, _TURN, _FIRST, until)
        finally:
            unlock(file, _NEXT)

    def leave(self) -> None:
        """Let the next one in."""
        if self._file is not None:
            with suppress(OSError):
                unlock(self._file, _TURN)

    def close(self) -> None:
        """Close the file; nobody may be inside."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)


def _take(file: int, byte: int, pause: tuple[float, float], until: float) -> bool:
    while not try_lock(file, byte):
        if time.monotonic() > until:
            return False
        import random

        time.sleep(random.uniform(*pause))
    return True
