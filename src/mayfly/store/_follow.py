"""Hear of what other processes append, without asking the whole ledger again and again."""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from mayfly.store._database import Database

# Seconds between two looks at a file; one costs about ten microseconds.
_LOOK = 0.1
# Seconds after which a follower looks although the server said nothing: a pooler between may keep what it says.
_PATIENCE = 0.9


class Ear(Protocol):
    """Something that says when there may be more."""

    def wait(self) -> None:
        """Return after a short while, or as soon as something is heard."""
        ...

    def heard(self) -> bool:
        """Whether there may be something new since the last call; uses the connection, so no fork may be under way."""
        ...

    def close(self) -> None:
        """Let go of the connection; the next call makes another."""
        ...


class FileEar:
    """Look at SQLite's own count of changes by others."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver: Any = None
        self._seen = -1

    def wait(self) -> None:
        """Sleep."""
        time.sleep(_LOOK)

    def heard(self) -> bool:
        """Whether another connection has changed the file."""
        if self._driver is None:
            with self._database.translated():
                self._driver = self._database.connect()
        seen, self._seen = self._seen, self._driver.execute("PRAGMA data_version").fetchone()[0]
        return bool(seen != self._seen)

    def close(self) -> None:
        """Close the file."""
        driver, self._driver, self._seen = self._driver, None, -1
        self._database.close(driver)


class ServerEar:
    """Listen to what the server says after each commit."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver: Any = None
        self._looked = 0.0

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

    def close(self) -> None:
        """End the session."""
        driver, self._driver = self._driver, None
        self._database.close(driver)
