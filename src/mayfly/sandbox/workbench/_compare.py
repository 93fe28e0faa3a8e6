"""Turn the paths that may differ into changes: what they were, what they are, and which were renamed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from mayfly.sandbox.workbench._beneath import read_entry
from mayfly.sandbox.workbench._changes import (
    UNCERTAIN,
    Change,
    ChangeKind,
    Changes,
    Entry,
    Signature,
)
from mayfly.sandbox.workbench._files import digest_file, look
from mayfly.sandbox.workbench._overlay import Difference

_Stamp = tuple[int, int, int, int, int]


def signature(found: os.stat_result) -> Signature:
    """Return what tells one version of a file from another without reading it."""
    if stat.S_ISDIR(found.st_mode):
        return (found.st_mode,)
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)


class _Seen(NamedTuple):
    signature: Signature | None
    entry: Entry | None


class Comparison:
    """What is known from one look at an overlay to the next."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        # Digests of files that were read before; whatever is written to a file changes its stamp.
        self._digests: dict[_Stamp, str] = {}
        # What the workspace had at a path when the overlay first differed there: what its commands began with.
        self._seen: dict[str, _Seen] = {}

    def forget(self, paths: Iterable[str] | None = None) -> None:
        """Forget what was seen at *paths*, or all of it."""
        if paths is None:
            self._seen.clear()
            self._digests.clear()
        for path in paths or ():
            self._seen.pop(path, None)

    def _digest(self, found: os.stat_result, place: str) -> str:
        stamp = (found.st_dev, found.st_ino, found.st_ctime_ns, found.st_mtime_ns, found.st_size)
        if stamp not in self._digests:
            self._digests[stamp] = digest_file(place)
        return self._digests[stamp]

    def compare(
        self, differences: Iterable[Difference], *, masked: Mapping[str, str] | None = None, since: int | None = None
    ) -> Changes:
        """Return the changes; a file of the workspace that changed *since* a command began is uncertain from now on.

        So is, where none ran, whatever differs for the first time. *masked* names what a command saw in the place of
        each file with secrets.
        """
        changes: list[Change] = []
        known, self._seen = self._seen, {}
        links: set[str] = set()
        for path, now in differences:
            change = self._change(path, now, (masked or {}).get(path, ""), known.get(path), since, links)
            if change is not None:
                changes.append(change)
        return Changes(sorted(self._with_renames(changes, masked or {}), key=lambda change: change.path))

    def _change(
        self, path: str, now: str, mask: str, known: _Seen | None, since: int | None, links: set[str]
    ) -> Change | None:
        was = f"{self._workspace}/{path}"
        before, after = look(was), look(now) if now else None
        # Where a link became a directory, what is in it now was not there: the workspace's path leads elsewhere.
        if os.path.dirname(path) in links:
            before = None
        if before is None or stat.S_ISLNK(before.st_mode):
            links.add(path)
        if before is None and after is None and known is None:
            return None
        seen = known or self._see(was, mask, before, since)
        new = None if after is None else self._entry(after, now)
        if (
            new is not None
            and seen.entry is not None
            and new.kind == "file" == seen.entry.kind
            and not seen.entry.digest
        ):
            seen = seen._replace(entry=self._with_digest(seen, was, mask))
        self._seen[path] = seen
        kind = change_kind(seen.entry, new)
        if kind is None:
            return None
        return Change(
            kind=kind, path=path, before=seen.entry, after=new, was=was, now=now, seen=seen.signature, masked=bool(mask)
        )

    def _see(self, was: str, mask: str, found: os.stat_result | None, since: int | None) -> _Seen:
        if found is None:
            return _Seen(None, None)
        # Without a command nothing comes to differ, but by what others did: as below a directory that was deleted.
        uncertain = since is None or (found.st_ctime_ns >= since and not stat.S_ISDIR(found.st_mode))
        return _Seen(UNCERTAIN if uncertain else signature(found), self._entry(found, was, digest=False))

    def _with_digest(self, seen: _Seen, was: str, mask: str) -> Entry | None:
        """Read what a command began with, if it is still there; for a masked file, what stood in its place."""
        place = mask or was
        found = look(place)
        fits = found is not None and (bool(mask) or seen.signature in (UNCERTAIN, signature(found)))
        if seen.entry is None or found is None or not fits or not stat.S_ISREG(found.st_mode):
            return seen.entry
        return replace(seen.entry, digest=self._digest(found, place))

    def _entry(self, found: os.stat_result, place: str, *, digest: bool = True) -> Entry:
        if not stat.S_ISREG(found.st_mode):
            return read_entry(found, place)
        read = self._digest(found, place) if digest else ""
        return Entry(kind="file", mode=stat.S_IMODE(found.st_mode), size=found.st_size, digest=read)

    def _with_renames(self, changes: list[Change], masked: Mapping[str, str]) -> list[Change]:
        """Pair what was deleted with what was created with the same contents."""
        origins = _Origins(changes, lambda change: self._contents(change, masked))
        renamed: dict[str, Change] = {}
        for change in changes:
            if change.kind == "created" and (found := origins.take(change)) is not None:
                renamed[change.path] = self._renamed(change, found, masked)
        return [renamed.get(change.path, change) for change in changes if change.path not in origins.taken]

    def _contents(self, change: Change, masked: Mapping[str, str]) -> Entry:
        """Return what a command saw at a path that it deleted."""
        assert change.before is not None
        place = masked.get(change.path) or change.was
        with contextlib.suppress(OSError):
            if change.before.kind == "file":
                return replace(change.before, digest=self._digest(os.lstat(place), place))
        return change.before

    def _renamed(self, change: Change, origin: Change, masked: Mapping[str, str]) -> Change:
        before, now = origin.before, change.now
        if origin.path in masked:
            # A command moved what it could not read: the file moves, not what stood in its place.
            now, after = origin.was, replace(change.after or origin.before, digest="")  # type: ignore[type-var]
        else:
            before, after = self._contents(origin, masked), change.after
        return replace(
            change,
            kind="renamed",
            old_path=origin.path,
            before=before,
            after=after,
            was=origin.was,
            now=now,
            seen_old=origin.seen,
            masked=change.masked or origin.masked,
        )


class _Origins:
    """What was deleted, by its contents; those are read only where something of the same size was created."""

    def __init__(self, changes: Iterable[Change], contents: Callable[[Change], Entry]) -> None:
        self._contents = contents
        self._by_place: dict[str, Change] = {}
        self._unread: dict[tuple[str, int], list[Change]] = defaultdict(list)
        self._by_contents: dict[tuple[str, str], dict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
        self.taken: set[str] = set()
        for change in changes:
            if change.kind == "deleted" and change.before is not None and change.before.kind in ("file", "link"):
                self._by_place[change.was] = change
                self._unread[(change.before.kind, change.before.size)].append(change)

    def take(self, change: Change) -> Change | None:
        """Return the deleted path that a created one was: the same file, or the same contents, best the same name."""
        entry = change.after
        if entry is None or entry.kind not in ("file", "link"):
            return None
        found = self._by_place.get(change.now) or self._alike(entry, os.path.basename(change.path))
        if found is None or found.path in self.taken:
            return None
        self.taken.add(found.path)
        return found

    def _alike(self, entry: Entry, name: str) -> Change | None:
        for change in self._unread.pop((entry.kind, entry.size), ()):
            read = self._contents(change)
            self._by_contents[(read.digest, read.target)][os.path.basename(change.path)].append(change)
        names = self._by_contents.get((entry.digest, entry.target), {})
        # Empty files are all alike: only one of the same name is taken for its origin.
        empty = entry.kind == "file" and entry.size == 0
        for key in (name,) if empty else (name, *list(names)):
            while names.get(key):
                change = names[key].pop()
                if change.path not in self.taken:
                    return change
            names.pop(key, None)
        return None


def change_kind(before: Entry | None, after: Entry | None) -> ChangeKind | None:
    """Return how *after* differs from *before*; None where it does not."""
    if before is None:
        return "created"
    if after is None:
        return "deleted"
    if before.kind != after.kind or after.kind == "special":
        return "replaced"
    if not before.same_content(after):
        return "link" if after.kind == "link" else "changed"
    return None if before.mode == after.mode else "mode"
