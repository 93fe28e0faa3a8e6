"""PostgreSQL, by its URL: the store that many machines share. Its driver is imported when the first one is opened.

A claim is an advisory lock, which the server takes back when the connection that holds it ends; followers listen to
what the server says after each commit.
"""

from __future__ import annotations

import logging
import os
import re
import select
import time
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, ClassVar, NamedTuple

from mayfly.core import InputError, Settings, StoreError
from mayfly.store._claim import Right, holder_words
from mayfly.store._database import Connection, Database, Ear
from mayfly.store._rows import identity

_SCHEME = re.compile(r"([a-z][a-z0-9+]{0,30})://", re.IGNORECASE)
_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_PORTS = re.compile(r"[0-9]{0,5}(,[0-9]{0,5})*")
_FAULTS = {
    "25006": ("is read-only", "use the primary server"),
    "53100": ("cannot grow: the disk is full", "free some space; what was acknowledged is kept"),
    "55P03": ("is locked by another process", "try again, or raise MAYFLY_STORE_BUSY_TIMEOUT"),
}
# Milliseconds that one of our transactions may wait for its own process; a busy machine makes it wait a while.
_LEAST_IDLE = 1_000
# Seconds that a follower waits for the server at a time, and after which it looks although the server said nothing: a
# pooler between may keep what it says.
_LOOK, _PATIENCE = 0.1, 0.9
UNREACHABLE = "check that the server runs and what MAYFLY_DATABASE_URL says"


class PostgreSQL(Database):
    """A database of a server, waiting for locks no longer than the settings say."""

    dialect: ClassVar = "postgresql"
    read: ClassVar = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
    write: ClassVar = "BEGIN ISOLATION LEVEL READ COMMITTED"
    snapshot: ClassVar = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    # Not to_regclass: after waiting for a lock it may still answer from before the wait.
    has_table: ClassVar = "SELECT count(*) FROM pg_class WHERE relname = ? AND pg_table_is_visible(oid)"
    has_strategies: ClassVar = """
    SELECT count(*) FROM pg_trigger WHERE tgrelid = to_regclass('strategies') AND tgname = 'mayfly_change'
    """
    # The guards in the database take the same lock, so that nobody can append without it.
    lock: ClassVar = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
    undoes_failed_commit: ClassVar = False

    def __init__(self, settings: Settings) -> None:
        url = _without_driver(settings.store.database_url)
        try:
            import psycopg
        except ImportError:
            raise StoreError("PostgreSQL needs psycopg", fix="pip install 'mayfly-agents[postgres]'") from None
        # What it would say to whoever listens to nothing is said by the error that is raised.
        if not (said := logging.getLogger("psycopg")).handlers:
            said.addHandler(logging.NullHandler())
        self._psycopg = psycopg
        self._options = self._parsed(url)
        self._secrets = [str(value) for key, value in self._options.items() if "password" in key]
        super().__init__(settings, name=_name(self._options), errors=psycopg.Error)

    def _parsed(self, url: str) -> dict[str, Any]:
        try:
            options = self._psycopg.conninfo.conninfo_to_dict(url)
        except (self._psycopg.Error, ValueError):
            options = None
        if options is None or not _PORTS.fullmatch(str(options.get("port", ""))):
            # What was written may hold a password, so it is not shown.
            raise InputError("MAYFLY_DATABASE_URL is not postgresql://user:password@host:port/database") from None
        return options

    def connect(self) -> Any:
        """Connect to the server."""
        ours = {"application_name": "mayfly", "connect_timeout": max(2, int(self.wait))}
        driver = self._psycopg.connect(**{**self._options, **ours}, autocommit=True)
        try:
            driver.execute("SELECT set_config('lock_timeout', %s, false)", [str(max(1, int(self.wait * 1000)))])
            # A process that is stopped in the middle of an append must not keep everybody else from appending: the
            # server ends its session well before the others have waited as long as they may.
            idle = str(max(_LEAST_IDLE, int(self.wait * 1000 / 3)))
            driver.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", [idle])
            found = driver.execute("SELECT current_setting('synchronous_commit')").fetchone()
            if found == ("off",):
                driver.execute("SET synchronous_commit = on")
        except BaseException:
            driver.close()
            raise
        return driver

    def pipe(self, driver: Any) -> AbstractContextManager[Any]:
        """Use the pipeline of the protocol: everybody waits for the right to append, so each way costs all of them."""
        pipeline: AbstractContextManager[Any] = driver.pipeline()
        return pipeline

    def is_lost(self, driver: Any) -> bool:
        """Whether the session ended, as when the server was started again."""
        try:
            # Asked, not looked for on the socket: a session that is told to end says nothing for a moment. Nobody waits
            # for this, since the right to append is not taken yet.
            driver.execute("")
        except self.errors:
            return True
        return False

    def written(self, sql: str) -> str:
        """Return a statement with the driver's sign for a value."""
        return sql.replace("?", "%s")

    def fault(self, error: Exception) -> StoreError:
        """Say what the server means."""
        code = getattr(error, "sqlstate", None)
        if code in _FAULTS:
            what, fix = _FAULTS[str(code)]
            return StoreError(f"{self.name} {what}", fix=fix)
        line = next(iter(str(error).strip().splitlines()), "")
        for secret in self._secrets:
            line = line.replace(secret, "***")
        if code is None and isinstance(error, self._psycopg.OperationalError):
            return StoreError(f"{self.name} cannot be reached: {line}", fix=UNREACHABLE)
        return StoreError(f"{self.name}: {line}")

    def ear(self) -> Ear:
        """Listen to the server."""
        return ServerEar(self)

    @contextmanager
    def unguarded(self, connection: Connection) -> Iterator[None]:
        """Switch the guard off and on again; nobody else sees the ledger without it."""
        connection.run("ALTER TABLE mayfly_events DISABLE TRIGGER mayfly_change")
        yield
        connection.run("ALTER TABLE mayfly_events ENABLE ALWAYS TRIGGER mayfly_change")

    def claimed(self, connection: Connection, names: Collection[str], settings: Settings) -> set[str]:
        """Look at the advisory locks of the server."""
        return {name for (name,) in connection.run(_CLAIMED, [list(names)])}

    def right(self, name: str, settings: Settings) -> Right:
        """Return an advisory lock of the server."""
        return ServerRight(self, name)


def _without_driver(text: str) -> str:
    """Return a URL as the server's own library reads it."""
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in _SCHEMES:
        found = f", not {scheme[1]}://" if scheme else ""
        raise InputError(f"MAYFLY_DATABASE_URL must begin with postgresql://{found}", fix="leave it empty for SQLite")
    return f"postgresql://{text[scheme.end() :]}"


def _name(options: dict[str, Any]) -> str:
    host = options.get("host") or "the local socket"
    port = f":{options['port']}" if options.get("port") else ""
    return f"PostgreSQL at {host}{port}/{options.get('dbname', '')}"


class ServerEar(Ear):
    """Listen to what the server says after each commit."""

    _looked = 0.0

    def wait(self) -> None:
        """Wait for the server, on a socket that a fork may close meanwhile."""
        driver = self._driver
        try:
            select.select([driver.fileno()], [], [], _LOOK)
        except (OSError, ValueError, AttributeError, self._database.errors):
            time.sleep(_LOOK)

    def heard(self) -> bool:
        """Whether the server said something, or has said nothing for long."""
        with self._database.translated():
            if self._driver is None:
                self._listen()
                return True
            said = list(self._driver.notifies(timeout=0))
        late = time.monotonic() - self._looked > _PATIENCE
        if said or late:
            self._looked = time.monotonic()
        return bool(said) or late

    def _listen(self) -> None:
        self._driver = self._database.connect()
        (channel,) = self._driver.execute("SELECT 'mayfly_' || 'mayfly_links'::regclass::oid").fetchone()
        self._driver.execute(f"LISTEN {channel}")
        self._looked = time.monotonic()


# PostgreSQL cuts the name of an application here.
_NAME_LENGTH = 63
# How long our own lost session may take to end once it was told to.
_TRIES, _PAUSE = 100, 0.02
# What a forked child must neither use nor close.
_left: list[Any] = []

_NAMED = "SELECT set_config('application_name', ?, false)"
# Only newer servers end sessions that say nothing for long; ours has nothing to say.
_PATIENT = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
# The key belongs to the name and to the ledger's own table, so that two ledgers in one database share no claim.
_KEY = "SELECT hashtextextended(?, to_regclass('mayfly_events')::oid::bigint)"
# The server shows the key of a lock as two halves without a sign.
_LOCKS = """
SELECT pid FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
AND classid::bigint = (?::bigint >> 32) & 4294967295 AND objid::bigint = ?::bigint & 4294967295
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# Which of several names have their lock taken; the halves of a key are put together as they are shown.
_CLAIMED = """
SELECT name FROM unnest(?::text[]) AS name JOIN pg_locks
ON hashtextextended('mayfly.claim:' || name, to_regclass('mayfly_events')::oid::bigint)
    = (classid::bigint << 32 | objid::bigint)
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_HELD = f"SELECT 1 WHERE pg_backend_pid() IN ({_LOCKS})"
_HOLDER = f"SELECT pid, application_name FROM pg_stat_activity WHERE pid IN ({_LOCKS})"


class Holder(NamedTuple):
    """The session that has the lock: the number of its server process and the name it gave itself."""

    pid: int
    name: str


class ServerRight:
    """Hold an advisory lock on a connection of its own."""

    def __init__(self, database: PostgreSQL, name: str) -> None:
        self._database = database
        self._name = name
        self._driver: Any = None
        self._session = 0
        self._key = 0

    def take(self) -> str | None:
        """Connect and lock; a session of ours that was lost and still has the lock is ended first."""
        self._close()
        with self._database.translated():
            self._driver = self._database.connect()
            try:
                holder = self._lock()
            except BaseException:
                self._close()
                raise
        if holder is not None:
            self._close()
        return holder

    def _lock(self) -> str | None:
        self._prepare()
        lost = Holder(self._session, _label())
        for _ in range(_TRIES):
            if self._value("SELECT pg_try_advisory_lock(?)", self._key):
                self._session = self._value("SELECT pg_backend_pid()")
                return None
            holder = self._holder()
            if holder == lost:
                self._value("SELECT pg_terminate_backend(?)", holder.pid)
            elif holder is not None:
                return holder_words(_identity(holder.name))
            time.sleep(_PAUSE)
        return holder_words("")

    def holds(self) -> bool:
        """Whether the session is there and has the lock."""
        if self._driver is None:
            return False
        try:
            return self._value(_HELD, self._key, self._key) is not None
        except self._database.errors:
            return False

    def drop(self) -> None:
        """Unlock, so that the next one need not wait for the session to end, and disconnect."""
        if self._driver is not None:
            with suppress(self._database.errors):
                self._value("SELECT pg_advisory_unlock(?)", self._key)
        self._close()

    def leave(self) -> None:
        """Put nothing in place of the child's copy of the socket: to close the session would end the parent's."""
        driver, self._driver = self._driver, None
        if driver is None:
            return
        _left.append(driver)
        with suppress(Exception):
            nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nothing, driver.fileno(), inheritable=False)
            os.close(nothing)

    def _close(self) -> None:
        driver, self._driver = self._driver, None
        self._database.close(driver)

    def _prepare(self) -> None:
        self._value(_NAMED, _label())
        self._value(_PATIENT)
        key = self._value(_KEY, f"mayfly.claim:{self._name}")
        if key is None:
            raise StoreError(f"{self._database.name} holds no ledger")
        self._key = key

    def _holder(self) -> Holder | None:
        row = self._database.send(self._driver, _HOLDER, [self._key, self._key]).fetchone()
        return None if row is None else Holder(row[0], row[1] or "")

    def _value(self, sql: str, *values: object) -> Any:
        row = self._database.send(self._driver, sql, values).fetchone()
        return None if row is None else row[0]


def _label() -> str:
    host, pid, token = identity(os.getpid()).rsplit(":", 2)
    return f"mayfly {pid}:{token} {host}"[:_NAME_LENGTH]


def _identity(label: str) -> str:
    """Return the identity that a label was made of; a long name of a host may be cut."""
    _, _, rest = label.partition(" ")
    process, _, host = rest.partition(" ")
    return f"{host}:{process}"
