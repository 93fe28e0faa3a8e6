"""PostgreSQL, by its URL: the store that many machines share. Its driver is imported when the first one is opened."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

from mayfly.core import InputError, Settings, StoreError
from mayfly.store._claim import Right
from mayfly.store._database import Connection, Database
from mayfly.store._follow import Ear, ServerEar

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
        from mayfly.store._claim_server import claimed_on_server

        return claimed_on_server(connection, names)

    def right(self, name: str, settings: Settings) -> Right:
        """Return an advisory lock of the server."""
        from mayfly.store._claim_server import ServerRight

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
