"""A claim by an advisory lock of PostgreSQL, which the server takes back when the connection that holds it ends."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, Connection, Select, cast, column, exc, func, select, table
from sqlalchemy.dialects.postgresql import OID

from mayfly.core import StoreError
from mayfly.store._claim import holder_words
from mayfly.store._engine import Database
from mayfly.store._faults import translated
from mayfly.store._rows import events, identity

_LOCKS = table(
    "pg_locks",
    *map(column, ("locktype", "database", "classid", "objid", "objsubid", "pid")),
    column("granted", Boolean),
)
_DATABASES = table("pg_database", column("oid"), column("datname"))
_SESSIONS = table("pg_stat_activity", column("pid"), column("application_name"))
_SETTINGS = table("pg_settings", column("name"))
_NAME_LENGTH = 63
_HALF = 0xFFFFFFFF
# How long our own lost session may take to end once it was told to.
_TRIES, _PAUSE = 100, 0.02
# What a forked child must neither use nor close.
_left: list[Connection] = []


class Holder(NamedTuple):
    """The session that has the lock: the number of its server process and the name it gave itself."""

    pid: int
    name: str


class ServerRight:
    """Hold an advisory lock on a connection of its own; its key belongs to the ledger's table and the name."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        self._connection: Connection | None = None
        self._driver: Any = None
        self._session = 0
        self._key = 0

    def take(self) -> str | None:
        """Connect and lock; a session of ours that was lost and still has the lock is ended first."""
        self._close()
        with translated(self._database.place):
            self._connection = self._connect()
            try:
                holder = self._lock(self._connection)
            except BaseException:
                self._close()
                raise
        if holder is not None:
            self._close()
        return holder

    def _lock(self, connection: Connection) -> str | None:
        self._prepare(connection)
        lost = Holder(self._session, _label())
        for _ in range(_TRIES):
            if connection.scalar(select(func.pg_try_advisory_lock(self._key))):
                self._session = int(connection.scalar(select(func.pg_backend_pid())) or 0)
                return None
            holder = self._holder(connection)
            if holder == lost:
                connection.execute(select(func.pg_terminate_backend(holder.pid)))
            elif holder is not None:
                return holder_words(_identity(holder.name))
            time.sleep(_PAUSE)
        return holder_words("")

    def holds(self) -> bool:
        """Whether the session is there and has the lock."""
        if self._connection is None:
            return False
        mine = self._locks().where(_LOCKS.c.pid == func.pg_backend_pid())
        try:
            return self._connection.execute(mine).first() is not None
        except exc.SQLAlchemyError:
            return False

    def drop(self) -> None:
        """Unlock, so that the next one need not wait for the session to end, and disconnect."""
        if self._connection is not None:
            with suppress(exc.SQLAlchemyError):
                self._connection.execute(select(func.pg_advisory_unlock(self._key)))
        self._close()

    def leave(self) -> None:
        """Put nothing in place of the child's copy of the socket: to close the session would end the parent's."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        _left.append(connection)
        with suppress(Exception):
            nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nothing, self._driver.fileno(), inheritable=False)
            os.close(nothing)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(exc.SQLAlchemyError, OSError):
                connection.close()
            # A connection that was lost may have been given up without being closed.
            with suppress(Exception):
                self._driver.close()

    def _connect(self) -> Connection:
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # The pool may make another in its place: this one is not given back.
        connection.detach()
        self._driver = connection.connection.dbapi_connection
        return connection

    def _prepare(self, connection: Connection) -> None:
        connection.execute(select(func.set_config("application_name", _label(), False)))
        # Only newer servers end sessions that say nothing for long; ours has nothing to say.
        patient = func.set_config("idle_session_timeout", "0", False)
        connection.execute(select(patient).where(_SETTINGS.c.name == "idle_session_timeout"))
        seed = cast(cast(func.to_regclass(events.name), OID), BigInteger)
        key = connection.scalar(select(func.hashtextextended(f"mayfly.claim:{self._name}", seed)))
        if key is None:
            raise StoreError(f"{self._database.place.name} holds no ledger")
        self._key = int(key)

    def _locks(self) -> Select[Any]:
        """Select the sessions that have the lock; the server shows its key as two halves without a sign."""
        high, low = cast(_LOCKS.c.classid, BigInteger), cast(_LOCKS.c.objid, BigInteger)
        here = select(_DATABASES.c.oid).where(_DATABASES.c.datname == func.current_database()).scalar_subquery()
        return select(_LOCKS.c.pid).where(
            _LOCKS.c.locktype == "advisory",
            _LOCKS.c.objsubid == 1,
            high == self._key >> 32 & _HALF,
            low == self._key & _HALF,
            _LOCKS.c.granted,
            _LOCKS.c.database == here,
        )

    def _holder(self, connection: Connection) -> Holder | None:
        query = select(_SESSIONS.c.pid, _SESSIONS.c.application_name).where(_SESSIONS.c.pid.in_(self._locks()))
        row = connection.execute(query).first()
        return None if row is None else Holder(int(row.pid), str(row.application_name or ""))


def _label() -> str:
    host, pid, token = identity(os.getpid()).rsplit(":", 2)
    return f"mayfly {pid}:{token} {host}"[:_NAME_LENGTH]


def _identity(label: str) -> str:
    """Return the identity that a label was made of; a long name of a host may be cut."""
    _, _, rest = label.partition(" ")
    process, _, host = rest.partition(" ")
    return f"{host}:{process}"
