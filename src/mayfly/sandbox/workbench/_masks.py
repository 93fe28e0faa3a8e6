"""Files with secrets: found without walking the whole workspace each time, and covered by empty ones.

A directory's own times change with every name that comes or goes in it, so only directories that changed since the last
look are read again; all of them are looked at each time, which costs a microsecond or two for each.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mayfly.sandbox.workbench._files import dress, remove_tree

# A directory that changed so shortly before it was read may change again without another time: the clock of file
# systems stands still for some milliseconds. Such a one is read again the next time.
_UNSURE = 1_000_000_000


class _Known(NamedTuple):
    stamp: tuple[int, int, int]
    secrets: tuple[str, ...]
    directories: tuple[str, ...]


class Masks:
    """The files with secrets of one workspace."""

    def __init__(self, workspace: str, secret: Callable[[str], object], cache: Path, *, hidden: str = "") -> None:
        self._workspace = workspace
        self._secret = secret
        self._cache = cache
        self._hidden = hidden
        self._known: dict[str, _Known] = {}
        self._loaded = False
        self._changed = False
        self._found: list[str] = []
        self._checks: list[tuple[str, int, int, int]] = []

    def find(self) -> list[str]:
        """Return the paths of all files with secrets, as the workspace is now."""
        self._load()
        if self._checks and self._is_unchanged():
            return self._found
        known: dict[str, _Known] = {}
        found: list[str] = []
        todo = [""]
        lstat = os.lstat  # called for every directory there is
        while todo:
            path = todo.pop()
            try:
                status = lstat(f"{self._workspace}/{path}")
            except OSError:
                continue
            stamp = (status.st_ino, status.st_ctime_ns, status.st_mtime_ns)
            old = self._known.get(path)
            if old is None or old.stamp != stamp:
                old = self._read(path, f"{self._workspace}/{path}", stamp)
                self._changed = self._changed or old.stamp[0] >= 0
            known[path] = old
            if old.secrets:
                found += [f"{path}/{name}" if path else name for name in old.secrets]
            if old.directories:
                todo += [f"{path}/{name}" for name in old.directories] if path else old.directories
        self._known = known
        self._found = sorted(found)
        self._checks = [(f"{self._workspace}/{path}", *one.stamp) for path, one in known.items()]
        return self._found

    def _is_unchanged(self) -> bool:
        """Say whether every directory is as it was; a loop with nothing else in it, for there may be thousands."""
        lstat = os.lstat
        try:
            for place, inode, changed, modified in self._checks:
                status = lstat(place)
                if status.st_ctime_ns != changed or status.st_mtime_ns != modified or status.st_ino != inode:
                    return False
        except OSError:
            return False
        return True

    def _read(self, path: str, place: str, stamp: tuple[int, int, int]) -> _Known:
        secrets, directories = [], []
        if time.time_ns() - max(stamp[1:]) < _UNSURE:
            stamp = (-1, -1, -1)
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                inside = f"{path}/{entry.name}" if path else entry.name
                if inside == self._hidden:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                elif entry.is_file(follow_symlinks=False) and self._secret(inside):
                    secrets.append(entry.name)
        return _Known(stamp, tuple(secrets), tuple(directories))

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            data = json.loads(self._cache.read_text(encoding="utf-8"))
            self._known = {
                path: _Known((row[0], row[1], row[2]), tuple(row[3]), tuple(row[4])) for path, row in data.items()
            }

    def save(self) -> None:
        """Keep what is known for the next process."""
        if not self._changed:
            return
        self._changed = False
        with contextlib.suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            text = json.dumps({path: [*row.stamp, row.secrets, row.directories] for path, row in self._known.items()})
            part = self._cache.with_suffix(f".{os.getpid()}")
            part.write_text(text, encoding="utf-8")
            os.rename(part, self._cache)

    def cover(self, place: Path) -> dict[str, str]:
        """Make *place* the layer that covers them: files of the same size, time and mode without their contents.

        What a command is told about such a file is all true, but for what is in it: so a version control system that
        goes by sizes and times sees no change.
        """
        remove_tree(str(place))
        place.mkdir()
        if self._hidden:
            self._parents(place, self._hidden)
            os.mknod(place / self._hidden, stat.S_IFCHR, os.makedev(0, 0))
        covered: dict[str, str] = {}
        for path in self.find():
            self._parents(place, path)
            target = str(place / path)
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(os.path.join(self._workspace, path))
                with open(target, "xb") as file:
                    file.truncate(status.st_size)
                dress(target, os.path.join(self._workspace, path))
                covered[path] = target
        self._dress_directories(place)
        return covered

    def _parents(self, place: Path, path: str) -> None:
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            inside = "/".join(parts[:count])
            if not (place / inside).is_dir():
                (place / inside).mkdir()

    def _dress_directories(self, place: Path) -> None:
        """Give directories their modes and times at last: making files in them would change or need them."""
        for directory, _, _ in os.walk(place, topdown=False):
            with contextlib.suppress(FileNotFoundError):
                dress(directory, os.path.join(self._workspace, os.path.relpath(directory, place)))
