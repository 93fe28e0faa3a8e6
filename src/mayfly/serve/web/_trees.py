"""`TreeCache`: the trees that were looked at last, so that the pages of a large one need not each read all of it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.operations import places

if TYPE_CHECKING:
    from mayfly.operations import Place
    from mayfly.promise import Saved
    from mayfly.store import Ledger

# Promises of all trees that are kept: about a hundred megabytes.
_MOST = 60_000
# A tree that changes is read again when this many times the time it takes has passed: a tenth of the time at most.
_PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class ReadTree:
    """A tree as it was read: every promise in order, and as of which event."""

    saved: Saved
    places: tuple[Place, ...]
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
