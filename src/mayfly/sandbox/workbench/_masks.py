"""Files with secrets: found without walking the whole workspace each time, covered by empty ones, and their values.

A directory's own times change with every name that comes or goes in it, so only directories that changed since the last
look are read again; all of them are looked at each time, which costs a microsecond or two for each.
"""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mayfly.core import MayflyError, open_plain, secret_path, secret_values
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._files import dress, remove_tree
from mayfly.sandbox.workbench._journal import workspace_key

# A directory that changed so shortly before it was read may change again without another time: the clock of file
# systems stands still for some milliseconds. Such a one is read again the next time.
_UNSURE = 1_000_000_000
# A file of secrets has some lines; what is larger holds state or data, of which the first part is looked at.
_LARGEST = 256 * 1024
_MOST_FILES, _MOST_VALUES = 300, 1500


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
        with suppress(OSError), os.scandir(place) as entries:
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
        with suppress(OSError, ValueError, TypeError, KeyError):
            data = json.loads(self._cache.read_text(encoding="utf-8"))
            self._known = {
                path: _Known((row[0], row[1], row[2]), tuple(row[3]), tuple(row[4])) for path, row in data.items()
            }

    def save(self) -> None:
        """Keep what is known for the next process."""
        if not self._changed:
            return
        self._changed = False
        with suppress(OSError):
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
            with suppress(FileNotFoundError):
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
            with suppress(FileNotFoundError):
                dress(directory, os.path.join(self._workspace, os.path.relpath(directory, place)))


class SecretFiles:
    """The files that are masked in one workspace, read for their values; a file that changed is read again.

    A value that was known once stays known: a key that was replaced may still be in use.
    """

    def __init__(
        self, workspace: Path, *, state: Path, hidden: Path, secret: Callable[[str], object] = secret_path
    ) -> None:
        root = os.path.realpath(workspace)
        inside = os.path.relpath(os.path.realpath(hidden), root)
        cache = Path(os.path.realpath(state)) / "secrets" / f"{workspace_key(root)}.json"
        self._root = root
        self._masks = Masks(root, secret, cache, hidden="" if inside.startswith("..") else inside)
        self._seen: dict[str, tuple[int, ...]] = {}
        self._values: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def values(self) -> Mapping[str, str]:
        """Return each value with what it is: the same mapping as long as nothing was found anew."""
        return self._values

    def refresh(self) -> None:
        """Look at the files again; one that cannot be read tells nobody anything, a command included."""
        with self._lock, suppress(OSError, MayflyError):
            found = dict[str, str]()
            with Beneath(self._root) as beneath:
                for path in self._masks.find()[:_MOST_FILES]:
                    with suppress(OSError, MayflyError):
                        found |= self._read(beneath, path)
            if found.keys() - self._values.keys():
                self._values = dict(list({**self._values, **found}.items())[:_MOST_VALUES])

    def _read(self, beneath: Beneath, path: str) -> dict[str, str]:
        """Return the values in one file, nothing where it is as it was."""
        directory, name = beneath.parent(path)
        with open_plain(name, directory) as file:
            status = os.fstat(file.fileno())
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if not stat.S_ISREG(status.st_mode) or self._seen.get(path) == stamp:
                return {}
            data = file.read(_LARGEST)
        self._seen[path] = stamp
        return secret_values(data.decode("utf-8", "replace"), path)
