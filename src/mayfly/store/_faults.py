"""Turn what a database library raises into one clear line that never holds a password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import exc

from mayfly.core import StoreError

ELSEWHERE = "set MAYFLY_STATE_DIR to a directory you can write to"
_SQLITE = {
    "SQLITE_BUSY": ("is locked by another process", "try again, or raise MAYFLY_STORE_BUSY_TIMEOUT"),
    "SQLITE_CANTOPEN": ("cannot be opened", ELSEWHERE),
    "SQLITE_CORRUPT": ("is damaged", "move it away and restore a copy"),
    "SQLITE_FULL": ("cannot grow: the disk is full", "free some space; what was acknowledged is kept"),
    "SQLITE_IOERR": ("cannot be read or written", "check the disk; what was acknowledged is kept"),
    "SQLITE_NOTADB": ("is not a ledger: the file is not a database", "move it away"),
    "SQLITE_PERM": ("may not be used", ELSEWHERE),
    "SQLITE_READONLY": ("cannot be written: it is read-only", ELSEWHERE),
}
_POSTGRES = {
    "25006": ("is read-only", "use the primary server"),
    "53100": ("cannot grow: the disk is full", "free some space; what was acknowledged is kept"),
    "55P03": ("is locked by another process", "try again, or raise MAYFLY_STORE_BUSY_TIMEOUT"),
}
UNREACHABLE = "check that the server runs and what MAYFLY_DATABASE_URL says"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Name the store as it may be shown, and hold what may never be."""

    name: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def hide(self, text: str) -> str:
        """Return the first line of *text* without any secret in it."""
        line = next(iter(text.strip().splitlines()), "")
        for secret in self.secrets:
            line = line.replace(secret, "***")
        return line


@contextmanager
def translated(place: Place) -> Iterator[None]:
    """Raise `StoreError` for whatever the database or its driver raises in the body."""
    try:
        yield
    except exc.DBAPIError as error:
        raise _translate(error.orig, place) from None
    except exc.TimeoutError:
        raise StoreError(f"{place.name} is busy: no connection came free in time") from None
    except (exc.SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise _translate(error, place) from None


def _translate(error: BaseException | None, place: Place) -> StoreError:
    if isinstance(error, sqlite3.Error):
        return _sqlite(error, place)
    line = place.hide(str(error))
    if getattr(error, "sqlstate", None) in _POSTGRES:
        what, fix = _POSTGRES[str(getattr(error, "sqlstate", None))]
        return StoreError(f"{place.name} {what}", fix=fix)
    if type(error).__name__ == "OperationalError" and getattr(error, "sqlstate", None) is None:
        return StoreError(f"{place.name} cannot be reached: {line}", fix=UNREACHABLE)
    return StoreError(f"{place.name}: {line}")


def _sqlite(error: sqlite3.Error, place: Place) -> StoreError:
    name = getattr(error, "sqlite_errorname", "")
    for code, (what, fix) in _SQLITE.items():
        if name == code or name.startswith(f"{code}_"):
            return StoreError(f"{place.name} {what}", fix=fix)
    return StoreError(f"{place.name}: {place.hide(str(error))}")
