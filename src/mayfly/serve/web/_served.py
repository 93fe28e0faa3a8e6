"""What every route and page shares: what the application is made over, who gives an order, files and trees."""

from __future__ import annotations

import getpass
import re
import secrets
import shutil
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from fastapi import Depends, Query
from fastapi import Path as InPath
from starlette.requests import Request

from mayfly.core import InputError, Settings
from mayfly.operations import places

if TYPE_CHECKING:
    from mayfly.operations import PagePlace
    from mayfly.promise import Saved
    from mayfly.runtime import Runtime
    from mayfly.serve.web._passes import Passes, WebOptions
    from mayfly.serve.web._workroom import Feed, Workroom
    from mayfly.store import Ledger

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Skip = Annotated[int, Query(ge=0, le=10_000_000, description="How many to leave out at the beginning.")]
Before = Annotated[int | None, Query(ge=0, le=2**62, description="Only those before this number.")]
# Ids as the store makes them: nothing in one can name another place.
RunId = Annotated[str, InPath(pattern=r"^[a-z]{1,3}-[A-Za-z0-9._-]{1,100}$", description="The id of a run.")]


@dataclass(kw_only=True)
class ServedRuntime:
    """The runtime, what signs cookies and forms, the threads that do what takes long, and what is kept meanwhile."""

    runtime: Runtime
    options: WebOptions
    passes: Passes
    workroom: Workroom
    uploads: Uploads
    trees: TreeCache
    workspace: Path = field(default_factory=Path.cwd)
    feeding: Feed | None = None

    @property
    def ledger(self) -> Ledger:
        """The ledger of the runtime."""
        return self.runtime.ledger

    @property
    def feed(self) -> Feed:
        """What follows the ledger while the application runs."""
        assert self.feeding is not None, "the application has been started"
        return self.feeding


def served_by(request: Request) -> ServedRuntime:
    """Return what the application behind *request* is made over: `Depends(served_by)`."""
    found: ServedRuntime = request.app.state.served
    return found


Site = Annotated[ServedRuntime, Depends(served_by)]


def order_by(name: str | None) -> str:
    """Return the name to record: the one given, or whoever the server runs as."""
    if name is not None and name.strip():
        if not name.isprintable():
            raise InputError("a name holds characters that cannot be shown", fix="write it in plain letters")
        return name.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "web"


_PIECE = 1024 * 1024
# What of a file's own name is kept: its ending decides how it is read, and the rest is for people.
_KEPT = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


class Uploads:
    """Keep uploaded files, each in a directory of its own."""

    def __init__(self, settings: Settings) -> None:
        self._home = settings.state.absolute() / "uploads"
        self._seconds = settings.web.uploads * 86_400

    def keep(self, name: str, source: BinaryIO) -> Path:
        """Write what *source* holds and return where; nothing of *name* but letters and its ending is used."""
        plain = _KEPT.sub("_", name.replace("\\", "/").rpartition("/")[2]).lstrip(".")[-_LONGEST:] or "upload"
        # A server that runs for months gets rid of old files whenever new ones come.
        self.sweep()
        place = self._home / secrets.token_hex(8)
        try:
            place.mkdir(parents=True, mode=0o700)
            with (place / plain).open("xb") as file:
                shutil.copyfileobj(source, file, _PIECE)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise InputError(f"the file could not be kept: {error.strerror}") from None
        return place / plain

    def drop(self, path: Path) -> None:
        """Remove one file."""
        if path.parent.parent == self._home:
            shutil.rmtree(path.parent, ignore_errors=True)

    def sweep(self) -> None:
        """Remove files that nobody has asked for in time."""
        until = time.time() - self._seconds
        for place in self._home.glob("*") if self._home.is_dir() else ():
            with suppress(OSError):
                if place.stat().st_mtime < until:
                    shutil.rmtree(place, ignore_errors=True)


# Promises of all trees that are kept: about a hundred megabytes.
_MOST = 60_000
# A tree that changes is read again when this many times the time it takes has passed: a tenth of the time at most.
_PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class ReadTree:
    """A tree as it was read: every promise in order, and as of which event."""

    saved: Saved
    places: tuple[PagePlace, ...]
    last: int
    at: float
    took: float


class TreeCache:
    """Read trees from the ledger, and not again while nothing was added."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, ReadTree] = OrderedDict()

    def get(self, run: str) -> ReadTree:
        """Return the tree of *run*; of one that is under way perhaps as it was a moment ago."""
        newest = self._ledger.last(subject=run)
        with self._lock:
            kept = self._kept.get(run)
        now = time.monotonic()
        if kept is not None and newest is not None:
            status = self._ledger.run(run)
            unchanged = kept.last == newest.id and status is not None and status.status == kept.saved.status
            if unchanged or (kept.saved.status == "running" and now - kept.at < kept.took * _PATIENCE):
                return kept
        return self._read(run, newest.id if newest is not None else 0)

    def _read(self, run: str, last: int) -> ReadTree:
        from mayfly.promise import saved

        began = time.monotonic()
        found = saved(self._ledger, run)
        ended = time.monotonic()
        read = ReadTree(saved=found, places=tuple(places(found.tree)), last=last, at=ended, took=ended - began)
        with self._lock:
            self._kept[run] = read
            self._kept.move_to_end(run)
            # The one that was just asked for is kept, however large it is.
            while len(self._kept) > 1 and sum(len(one.places) for one in self._kept.values()) > _MOST:
                self._kept.popitem(last=False)
        return read
