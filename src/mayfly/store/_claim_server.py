"""A claim by an advisory lock of PostgreSQL, which the server takes back when the connection that holds it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import StoreError
from mayfly.store._claim import holder_words
from mayfly.store._rows import identity

if TYPE_CHECKING:
    from mayfly.store._database import Connection
    from mayfly.store._postgres import PostgreSQL

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


def claimed_on_server(connection: Connection, names: Iterable[str]) -> set[str]:
    """Return which of the names are claimed at this moment; looking takes no lock."""
    return {name for (name,) in connection.run(_CLAIMED, [list(names)])}
