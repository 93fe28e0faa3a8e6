"""Look whether the ledger is what was appended: every link, every row of runs, tools and money, every blob."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mayfly.core import InputError, StoreError, content_hash
from mayfly.store._append import PROJECTIONS
from mayfly.store._archive import ArchiveReader, all_archives
from mayfly.store._database import Connection, Row
from mayfly.store._events import decode
from mayfly.store._projection import Recount
from mayfly.store._rows import COLUMNS, EVENTS, GENESIS, StoredEvent, link_hash

_BLOB = re.compile(r'"(?:[a-z]+_)?(?:blob|tree)":"([0-9a-f]{64})"')
_ANCHOR = re.compile(r"([0-9]{1,19}):([0-9a-f]{64})")


class ChainLink(NamedTuple):
    """One link of the chain: over the events from *first* to *last*."""

    last: int
    first: int
    hash: str

    def __str__(self) -> str:
        return f"event {self.last}" if self.first == self.last else f"events {self.first} to {self.last}"


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What was looked at, the head of the chain as ``ID:HASH``, and what is *broken* first, empty where nothing is.

    *at* is the first event that is not as it was appended, 0 where something beside the events is wrong.
    """

    events: int
    links: int
    head: str
    broken: str = ""
    at: int = 0

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return not self.broken


class BrokenLink(Exception):
    """The ledger is not what was appended."""

    def __init__(self, reason: str, *, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at


class Verifier:
    """Go over everything once, in one snapshot, and stop at the first thing that does not hold."""

    def __init__(self, connection: Connection, archives: ArchiveReader, *, anchor: str = "") -> None:
        found = _ANCHOR.fullmatch(anchor)
        if anchor and not found:
            raise InputError("a head looks like ID:HASH, as `log verify` prints it")
        self._anchor = (int(found[1]), found[2]) if found else None
        self._connection = connection
        self._archives = archives
        self._recount = Recount(PROJECTIONS)
        self._blobs: dict[str, int] = {}
        self.events = self.links = 0
        self._head = ChainLink(0, 0, GENESIS)

    def verify(self) -> Verified:
        """Look at all of it."""
        broken, at = "", 0
        try:
            self._check_chain()
            if wrong := self._recount.find_difference(self._connection):
                raise BrokenLink(wrong)
            self._check_blobs()
        except BrokenLink as error:
            broken, at = str(error), error.at
        except StoreError as error:
            broken = str(error)
        head = f"{self._head.last}:{self._head.hash}"
        return Verified(events=self.events, links=self.links, head=head, broken=broken, at=at)

    def _check_chain(self) -> None:
        stored = self._connection.each(EVENTS, COLUMNS.split(", "), ["id"])
        rows = _Rows(heapq.merge(stored, self._archived(), key=lambda row: row[0]))
        for found in self._connection.each("mayfly_links", ChainLink._fields, ["last"]):
            link = ChainLink(*found)
            if (stray := rows.take_before(link.first)) is not None:
                raise BrokenLink(f"event {stray} was inserted: no link of the chain covers it", at=stray)
            taken = rows.take(link)
            if link_hash(self._head.hash, taken) != link.hash:
                raise BrokenLink(f"{link}: not what was appended, or not in this place", at=link.first)
            self._head = link
            self.links += 1
            self.events += len(taken)
            self._check_anchor()
            self._count(taken)
        if (stray := rows.take_before(None)) is not None:
            raise BrokenLink(f"event {stray} was inserted: no link of the chain covers it", at=stray)
        if self._anchor and self._head.last < self._anchor[0]:
            raise BrokenLink(
                f"the ledger ends at event {self._head.last} and the head says {self._anchor[0]}: its end is gone",
                at=self._head.last + 1,
            )

    def _check_anchor(self) -> None:
        """Compare with the head that somebody kept elsewhere; it is that of a link which may lie far back."""
        if self._anchor is None or self._head.last < self._anchor[0]:
            return
        if (self._head.last, self._head.hash) != self._anchor:
            raise BrokenLink(
                f"event {self._anchor[0]}: the chain here is not the one whose head was kept", at=self._anchor[0]
            )
        self._anchor = None

    def _count(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if self._recount.moves(row[3]):
                event = StoredEvent(*row)
                self._recount.take(event, decode(event.payload, id=event.id))
            if 'blob":"' in row[5] or '"tree":"' in row[5]:
                self._blobs.update(dict.fromkeys(_BLOB.findall(row[5]), row[0]))

    def _check_blobs(self) -> None:
        for (hash,) in self._connection.each("mayfly_blobs", ["hash"], ["hash"]):
            data = self._connection.value("SELECT data FROM mayfly_blobs WHERE hash = ?", [hash])
            if content_hash(bytes(data)) != hash:
                raise BrokenLink(f"blob {hash} was changed")
            self._blobs.pop(hash, None)
        for hash, event in self._blobs.items():
            raise BrokenLink(f"blob {hash}, which event {event} names, is missing", at=event)

    def _archived(self) -> Iterator[Row]:
        """Yield the rows of all files in order of id; each file is read when its first row has its turn."""
        waiting = sorted(all_archives(self._connection), key=lambda file: file.first, reverse=True)
        rows: list[tuple[Row, Iterator[Row]]] = []
        while waiting or rows:
            while waiting and (not rows or waiting[-1].first <= rows[0][0][0]):
                _push(rows, iter(self._archives.rows(waiting.pop())))
            row, rest = heapq.heappop(rows)
            yield row
            _push(rows, rest)


def _push(heap: list[tuple[Row, Iterator[Row]]], rows: Iterator[Row]) -> None:
    row = next(rows, None)
    if row is not None:
        # Ids differ, so that the iterators are never compared.
        heapq.heappush(heap, (row, rows))


class _Rows:
    """Rows in order of id, taken link by link."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def take_before(self, first: int | None) -> int | None:
        """Return the id of the next row if it comes before *first*."""
        if self._next is None or (first is not None and self._next[0] >= first):
            return None
        return int(self._next[0])

    def take(self, link: ChainLink) -> list[Row]:
        """Return the rows of a link, all of them."""
        taken = []
        for id in range(link.first, link.last + 1):
            if self._next is None or self._next[0] != id:
                raise BrokenLink(f"event {id} is missing", at=id)
            taken.append(self._next)
            self._next = next(self._rows, None)
        return taken
