"""A small table of texts that may be forgotten, shared by every process that has the store open."""

from __future__ import annotations

from typing import NamedTuple

from mayfly.store._ledger import Ledger

TABLE = "mayfly_cache"
_SELECT = "SELECT key, value, made, used FROM mayfly_cache"
_TRIM = """
DELETE FROM mayfly_cache WHERE key NOT IN (SELECT key FROM mayfly_cache ORDER BY used DESC, key LIMIT ?)
"""


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
            rows = connection.run(f"{_SELECT} WHERE key = ?", [key])
        found = Cached(*rows[0]) if rows else None
        return None if found is None or now - found.made > self._ttl else found

    def touch(self, entry: Cached, *, now: float) -> None:
        """Say that *entry* was of use, at most once a second; the least recently used goes first."""
        if now - entry.used >= 1:
            with self._ledger._writing() as connection:
                connection.run("UPDATE mayfly_cache SET used = ? WHERE key = ?", [now, entry.key])

    def put(self, key: str, value: str, *, now: float) -> None:
        """Keep *value*, and drop what is too old or no longer among the most recently used."""
        with self._ledger._writing() as connection:
            connection.lock(TABLE)
            connection.run("DELETE FROM mayfly_cache WHERE key = ? OR made < ?", [key, now - self._ttl])
            if self._size:
                row = [key, value, now, now]
                connection.run("INSERT INTO mayfly_cache (key, value, made, used) VALUES (?, ?, ?, ?)", row)
            connection.run(_TRIM, [self._size])

    def remove(self, key: str) -> None:
        """Forget one entry."""
        with self._ledger._writing() as connection:
            connection.run("DELETE FROM mayfly_cache WHERE key = ?", [key])

    def clear(self) -> int:
        """Forget everything; return how many entries that were."""
        with self._ledger._writing() as connection:
            connection.lock(TABLE)
            number = int(connection.value("SELECT count(*) FROM mayfly_cache"))
            connection.run("DELETE FROM mayfly_cache")
            return number

    def entries(self, *, now: float) -> list[Cached]:
        """Return what is alive, the most recently used first."""
        with self._ledger._reading() as connection:
            rows = connection.run(f"{_SELECT} WHERE made >= ? ORDER BY used DESC, key", [now - self._ttl])
        return [Cached(*row) for row in rows]
