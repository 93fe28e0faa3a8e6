"""A small table of texts that may be forgotten, shared by every process that has the store open."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Column, Connection, Double, Table, Text, delete, func, select, update

from mayfly.store._ledger import Ledger
from mayfly.store._rows import lock, metadata

cached = Table(
    "mayfly_cache",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("made", Double, nullable=False),
    Column("used", Double, nullable=False),
)


class Cached(NamedTuple):
    """One entry: the text, and when it was made and last used, in seconds since 1970."""

    key: str
    value: str
    made: float
    used: float


class Cache:
    """Keep texts by key until they are too old or too many; what is read is not trusted by having been here."""

    def __init__(self, ledger: Ledger, *, size: int, ttl: float) -> None:
        self._ledger = ledger
        self._size = size
        self._ttl = ttl

    def get(self, key: str, *, now: float) -> Cached | None:
        """Return the entry for *key* unless it is older than the time to live."""
        with self._ledger._reading() as connection:
            row = connection.execute(select(cached).where(cached.c.key == key)).first()
        if row is None or now - row.made > self._ttl:
            return None
        return Cached(*row)

    def touch(self, entry: Cached, *, now: float) -> None:
        """Say that *entry* was of use, at most once a second; the least recently used goes first."""
        if now - entry.used >= 1:
            with self._ledger._writing() as connection:
                connection.execute(update(cached).where(cached.c.key == entry.key).values(used=now))

    def put(self, key: str, value: str, *, now: float) -> None:
        """Keep *value*, and drop what is too old or no longer among the most recently used."""
        with self._ledger._writing() as connection:
            lock(connection, cached)
            connection.execute(delete(cached).where((cached.c.key == key) | (cached.c.made < now - self._ttl)))
            if self._size:
                connection.execute(cached.insert(), {"key": key, "value": value, "made": now, "used": now})
            self._trim(connection)

    def _trim(self, connection: Connection) -> None:
        kept = select(cached.c.key).order_by(cached.c.used.desc(), cached.c.key).limit(self._size)
        connection.execute(delete(cached).where(cached.c.key.not_in(kept.scalar_subquery())))

    def remove(self, key: str) -> None:
        """Forget one entry."""
        with self._ledger._writing() as connection:
            connection.execute(delete(cached).where(cached.c.key == key))

    def clear(self) -> int:
        """Forget everything; return how many entries that were."""
        with self._ledger._writing() as connection:
            lock(connection, cached)
            number = connection.execute(select(func.count()).select_from(cached)).scalar_one()
            connection.execute(delete(cached))
            return int(number)

    def entries(self, *, now: float) -> list[Cached]:
        """Return what is alive, the most recently used first."""
        query = select(cached).where(cached.c.made >= now - self._ttl).order_by(cached.c.used.desc(), cached.c.key)
        with self._ledger._reading() as connection:
            return [Cached(*row) for row in connection.execute(query)]
