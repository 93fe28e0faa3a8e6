"""Files that hold the events of old runs: compressed, named by the ledger, and read where a subject is asked for."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core import StoreError, content_hash, write_whole
from mayfly.store._append import append_events
from mayfly.store._database import Connection, Row
from mayfly.store._events import Event, decode
from mayfly.store._rows import COLUMNS, EVENTS, to_events
from mayfly.store._runs import OPEN, RUNS, RunRow

FOLDER = "archive"
# Names of files, and of those that are being written.
_OURS = re.compile(r"(\.?)[0-9]+-[0-9]+-[0-9a-f]{12}\.jsonl\.gz(\.[0-9a-f]{8})?")
# Other writers wait while one file is written: with so many events that is a fraction of a second.
MOST_EVENTS = 10_000
# Values of one statement; databases take a few thousand at most.
_MANY = 1000
# Files kept in memory once they were read; the events of one run are in one or two of them.
_KEPT = 2
_FILE = "id, name, hash, events, first"
# What tells that an effect was told to be unknown, and what closes that.
_UNKNOWN, _CLOSED = "effect.unknown", ("effect.settled", "effect.done")


class ArchiveFile(NamedTuple):
    """One file as the ledger knows it."""

    number: int
    name: str
    hash: str
    events: int
    first: int


class Archived(NamedTuple):
    """What one transaction moved out of the ledger."""

    file: str
    runs: int
    events: int
    until: int


class ArchiveReader:
    """Read files back; one that is not what the ledger says is named and not used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: OrderedDict[int, dict[str, list[Row]]] = OrderedDict()

    def rows(self, file: ArchiveFile) -> list[Row]:
        """Return the rows of a file in order of id."""
        path = self.folder / file.name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror or error}", fix="it holds events of old runs: put it back where it was"
            ) from None
        if content_hash(data) != file.hash:
            raise StoreError(f"{path} is not what was archived", fix="restore a copy")
        import gzip

        return [tuple(json.loads(line)) for line in gzip.decompress(data).splitlines()]

    def events(self, files: Iterable[ArchiveFile], subject: str) -> list[Event]:
        """Return the events of a subject in these files, in order of id."""
        found = [row for file in files for row in self._by_subject(file).get(subject, ())]
        return sorted(to_events(found), key=lambda event: event.id)

    def _by_subject(self, file: ArchiveFile) -> dict[str, list[Row]]:
        if file.number not in self._kept:
            grouped: dict[str, list[Row]] = {}
            for row in self.rows(file):
                grouped.setdefault(row[4], []).append(row)
            self._kept[file.number] = grouped
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[file.number]


def all_archives(connection: Connection) -> list[ArchiveFile]:
    """Return every file there is, the oldest first."""
    return [ArchiveFile(*row) for row in connection.run(f"SELECT {_FILE} FROM mayfly_archives ORDER BY id")]


def archives_of(connection: Connection, subjects: Sequence[str]) -> dict[str, list[ArchiveFile]]:
    """Return the files with events of each of the subjects that has any."""
    if not subjects:
        return {}
    query = f"""
    SELECT subject, {_FILE} FROM mayfly_archived JOIN mayfly_archives ON archive = id
    WHERE subject IN ({", ".join("?" * len(subjects))}) ORDER BY id
    """
    found: dict[str, list[ArchiveFile]] = {}
    for subject, *file in connection.run(query, subjects):
        found.setdefault(subject, []).append(ArchiveFile(*file))
    return found


def archive_some(connection: Connection, folder: Path, *, before: str, after: int) -> Archived | None:
    """Move runs that ended before a moment, and after an event, into one file; None where there are no more.

    The file is whole and on disk before the transaction ends, so whatever happens the events are in one place or both,
    never in none.
    """
    connection.lock(EVENTS)
    rows: list[Row] = []
    runs = 0
    until = after
    for run in _ended(connection, before, after):
        until = run.ended
        found = _rows_of(connection, run.id)
        if found and not _is_unsettled(found):
            rows, runs = rows + found, runs + 1
        if len(rows) >= MOST_EVENTS:
            break
    if not rows:
        return None
    rows.sort()
    name, hash = _write(folder, rows)
    _enter(connection, name, hash, rows, runs)
    return Archived(name, runs, len(rows), until)


def _ended(connection: Connection, before: str, after: int) -> Iterator[RunRow]:
    """Yield the runs that ended before a moment and still have events in the ledger, in the order of their ends."""
    ended = f"""
    WHERE status <> '{OPEN}' AND ended > ? AND ended_at < ?
    AND EXISTS (SELECT 1 FROM mayfly_events WHERE subject = mayfly_runs.id)
    ORDER BY ended LIMIT {_MANY}
    """
    while found := RUNS.select(connection, ended, [after, before]):
        yield from found
        after = found[-1].ended


def _rows_of(connection: Connection, run: str) -> list[Row]:
    """Return the rows of a run: its own, those of its promises, and the values it has proven."""
    own = _by_subject(connection, [run])
    payloads: list[Any] = [(row[3], decode(row[5], id=row[0])) for row in own]
    places = {f"{run}/{payload['node']}" for _, payload in payloads if isinstance(payload.get("node"), str)}
    keys = {payload.get("key") for kind, payload in payloads if kind == "promise.resolved"} - {"", None}
    values = [row for row in _by_subject(connection, sorted(keys)) if decode(row[5], id=row[0]).get("run") == run]
    return [*own, *_by_subject(connection, sorted(places)), *values]


def _by_subject(connection: Connection, subjects: Sequence[str]) -> list[Row]:
    found: list[Row] = []
    for some in _chunks(subjects):
        query = f"SELECT {COLUMNS} FROM mayfly_events WHERE subject IN ({', '.join('?' * len(some))}) ORDER BY id"
        found += [tuple(row) for row in connection.run(query, some)]
    return found


def _is_unsettled(rows: Sequence[Row]) -> bool:
    """Whether nobody can tell of one of the effects whether it happened: a person still has to look."""
    newest = {row[4]: row[3] for row in sorted(rows) if row[3] in (_UNKNOWN, *_CLOSED)}
    return _UNKNOWN in newest.values()


def _enter(connection: Connection, name: str, hash: str, rows: Sequence[Row], runs: int) -> None:
    """Put the file in the place of the events it holds."""
    from mayfly.store._kinds import StoreArchived

    number = connection.value("SELECT coalesce(max(id), 0) + 1 FROM mayfly_archives")
    file = ArchiveFile(number, name, hash, len(rows), rows[0][0])
    connection.run(f"INSERT INTO mayfly_archives ({_FILE}) VALUES (?, ?, ?, ?, ?)", file)
    subjects = sorted({(row[4], number) for row in rows})
    connection.run_many("INSERT INTO mayfly_archived (subject, archive) VALUES (?, ?)", subjects)
    # The last event is this one, which stays: ids go on from it.
    told = StoreArchived(name=name, hash=hash, events=len(rows), runs=runs)
    append_events(connection, [Event.of(told, subject="store")])
    with connection.database.unguarded(connection):
        for some in _chunks([row[0] for row in rows]):
            connection.run(f"DELETE FROM mayfly_events WHERE id IN ({', '.join('?' * len(some))})", some)


def _write(folder: Path, rows: Sequence[Row]) -> tuple[str, str]:
    """Write a file that says in its name what it holds; return the name and the hash."""
    import gzip  # loaded where it is used: hardly any process archives

    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    data = gzip.compress(text.encode("ascii"), mtime=0)
    hash = content_hash(data)
    name = f"{rows[0][0]}-{rows[-1][0]}-{hash[:12]}.jsonl.gz"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(folder / name, data)
    return name, hash


def sweep(folder: Path, known: Collection[str]) -> None:
    """Take away what a process wrote and could not enter: those events are still in the ledger."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name not in known and _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]
