"""A copy of the workspace, where there is no overlay to be had: what differs is found by what was copied when.

The copy shares its data with the workspace where the file system can do that. Before each command it follows what
happened to the workspace meanwhile; what commands have changed is left alone.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mayfly.sandbox.workbench._changes import Change, Signature
from mayfly.sandbox.workbench._compare import signature
from mayfly.sandbox.workbench._files import copy_file, dress, is_directory, remove, set_owner
from mayfly.sandbox.workbench._overlay import Difference, OverlayTree, Place


class _Copied(NamedTuple):
    """What a path was in the workspace, and what its copy was then."""

    original: Signature
    copy: tuple[int, ...]


class CopyTree(OverlayTree):
    """The tree that commands see is the copy itself; there is nothing below it."""

    def __init__(self, workspace: str, place: Path, masks: Callable[[], Iterable[str]], *, hidden: str = "") -> None:
        super().__init__(workspace, place, hidden=hidden)
        self._masks = masks
        self.upper = str(place / "copy")
        os.makedirs(self.upper, exist_ok=True)
        self._copied: dict[str, _Copied] = {}
        self._root = Place(self.upper, "")
        self._owner = -1

    def give_to(self, user: int) -> None:
        """Have all copies belong to *user*, for commands of root that run as somebody nobody is."""
        self._owner = user

    def refresh(self) -> None:
        """Follow the workspace wherever no command has changed the copy."""
        masked = set(self._masks())
        dress(self.upper, self.workspace)
        self._give(self.upper)
        found: set[str] = set()
        for path, kind in self._walk(""):
            found.add(path)
            self._follow(path, kind, masked)
        for path in sorted(self._copied.keys() - found, reverse=True):
            if self._is_untouched(path):
                self._forget(path)

    def _walk(self, path: str) -> Iterator[tuple[str, os.stat_result]]:
        with contextlib.suppress(OSError), os.scandir(f"{self.workspace}/{path}") as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                inside = f"{path}/{entry.name}" if path else entry.name
                if inside == self._hidden:
                    continue
                found = entry.stat(follow_symlinks=False)
                yield inside, found
                if stat.S_ISDIR(found.st_mode):
                    yield from self._walk(inside)

    def _follow(self, path: str, found: os.stat_result, masked: set[str]) -> None:
        known = self._copied.get(path)
        if known is not None and known.original == signature(found):
            return
        target = f"{self.upper}/{path}"
        if known is None and os.path.lexists(target):
            return  # a command made something of that name: when it is committed, there is a conflict
        if known is not None:
            if not self._is_untouched(path):
                return
            if not (stat.S_ISDIR(found.st_mode) and os.path.isdir(target)):
                self._forget(path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            self._copy(path, found, target, masked=path in masked)

    def _copy(self, path: str, found: os.stat_result, target: str, *, masked: bool) -> None:
        source = f"{self.workspace}/{path}"
        if stat.S_ISDIR(found.st_mode):
            os.makedirs(target, exist_ok=True)
            dress(target, source)
        elif stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(source), target)
            set_owner(target, found)
        elif stat.S_ISREG(found.st_mode) and masked:
            with open(target, "xb") as file:
                file.truncate(found.st_size)
            dress(target, source)
        elif stat.S_ISREG(found.st_mode):
            copy_file(source, target)
        else:
            return
        self._give(target)
        self._copied[path] = _Copied(signature(found), _stamp(os.lstat(target)))

    def _give(self, target: str) -> None:
        if self._owner >= 0:
            os.chown(target, self._owner, self._owner, follow_symlinks=False)

    def _is_untouched(self, path: str) -> bool:
        try:
            return _stamp(os.lstat(f"{self.upper}/{path}")) == self._copied[path].copy
        except OSError:
            return False

    def _forget(self, path: str) -> None:
        """Remove a copy, to be made again; a directory with something in it stays."""
        target = f"{self.upper}/{path}"
        try:
            if is_directory(target):
                os.rmdir(target)
            elif os.path.lexists(target):
                os.unlink(target)
        except OSError:
            return
        self._copied.pop(path, None)

    def differences(self) -> Iterator[Difference]:
        """Yield every path whose copy is no longer what it was."""
        found: set[str] = set()
        for directory, names, files in os.walk(self.upper):
            for name in (*names, *files):
                path = os.path.relpath(f"{directory}/{name}", self.upper)
                found.add(path)
                if path not in self._copied or not self._is_untouched(path):
                    yield Difference(path, f"{self.upper}/{path}")
        for path in sorted(self._copied.keys() - found):
            yield Difference(path, "")

    def wipe(self) -> None:
        """Forget every change."""
        self.keep_only(())

    def keep_only(self, changes: Iterable[Change]) -> None:
        """Forget all changes but these."""
        kept = {path for change in changes for path in (change.path, change.old_path) if path}
        for path, now in sorted(self.differences(), reverse=True):
            if path in kept:
                continue
            if now and not any(one.startswith(path + "/") for one in kept):
                remove(now)
            self._copied.pop(path, None)
        self.refresh()

    def settle(self, changes: Iterable[Change]) -> None:
        """Give what is to be committed the owner it has in the workspace, or that of the workspace."""
        if self._owner < 0:
            return
        usual = os.stat(self.workspace)
        for change in changes:
            if change.now.startswith(self.upper + "/"):
                with contextlib.suppress(FileNotFoundError):
                    before = f"{self.workspace}/{change.old_path or change.path}"
                    set_owner(change.now, os.lstat(before) if os.path.lexists(before) else usual)

    def remove(self, path: str) -> None:
        """Delete *path* from the copy."""
        remove(f"{self.upper}/{path}")

    def _new_directory(self, path: str, target: str) -> None:
        os.mkdir(target)
        self._give(target)

    def put_bytes(self, path: str, data: bytes, mode: int) -> None:
        """Put a file with *data* at *path* of the copy."""
        super().put_bytes(path, data, mode)
        self._give(f"{self.upper}/{path}")


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    """Return what tells whether a copy was touched; a directory is what is in it, and its mode."""
    if stat.S_ISDIR(found.st_mode):
        return (found.st_mode,)
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns)
