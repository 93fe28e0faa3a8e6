"""The files of a git directory, in the workspace or as a set of changes leaves them, read without following a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from mayfly.core import InputError, open_plain
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._changes import Change, entry_kind

# A reflog of some hundred thousand entries; what is larger is not read, and nobody can tell what is in it.
LARGEST = 64 << 20
# Refs and reflogs of one repository; looking at more of them would take longer than a command is waited for.
_MOST_FILES = 50_000


class GitDirectory:
    """One git directory below a workspace; with *changes* as they leave it, a context manager."""

    def __init__(self, workspace: str, root: str = ".git", changes: Iterable[Change] = ()) -> None:
        self.root = root
        self._beneath = Beneath(workspace)
        self._changed: dict[str, Change | None] = {}
        inside = [change for change in changes if self._is_inside(change.path) or self._is_inside(change.old_path)]
        self._changed |= {change.old_path: None for change in inside if change.old_path}
        self._changed |= {change.path: change if change.after is not None else None for change in inside}

    def __enter__(self) -> GitDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self._beneath.__exit__()

    def _is_inside(self, path: str) -> bool:
        return path.startswith(self.root + "/")

    def kind(self, name: str) -> str:
        """Return "file", "directory" or "link", or nothing where there is no such thing."""
        path = f"{self.root}/{name}" if name else self.root
        if path in self._changed:
            change = self._changed[path]
            return change.after.kind if change is not None and change.after is not None else ""
        found = self._beneath.look(path)
        return "" if found is None else entry_kind(found.st_mode)

    def read(self, name: str) -> bytes:
        """Return the content of a file, nothing where there is none; one that is too large is an error."""
        if self.kind(name) != "file":
            return b""
        path = f"{self.root}/{name}"
        change = self._changed.get(path)
        if change is not None:
            return read_plain(change.now)
        directory, last = self._beneath.parent(path)
        return read_plain(last, directory)

    def files(self, top: str) -> Iterator[str]:
        """Yield every file below the directory *top*, by its name in the git directory."""
        below = f"{self.root}/{top}/"
        names = dict.fromkeys(self._walk(top))
        for path, change in self._changed.items():
            if path.startswith(below):
                name = path[len(self.root) + 1 :]
                names.pop(name, None)
                if change is not None and change.after is not None and change.after.kind == "file":
                    names[name] = None
        yield from names

    def _walk(self, top: str) -> Iterator[str]:
        todo, seen = [f"{self.root}/{top}"], 0
        while todo:
            place = todo.pop()
            found = self._beneath.look(place)
            if found is None or not stat.S_ISDIR(found.st_mode):
                continue
            for name in self._beneath.names(place):
                inside = f"{place}/{name}"
                there = self._beneath.look(inside)
                if there is not None and stat.S_ISDIR(there.st_mode):
                    todo.append(inside)
                elif there is not None and stat.S_ISREG(there.st_mode):
                    yield inside[len(self.root) + 1 :]
                seen += 1
                if seen > _MOST_FILES:
                    raise InputError(f"{self.root}/{top} has more than {_MOST_FILES} files", fix="run: git pack-refs")


def read_plain(place: str, directory: int | None = None, *, most: int = LARGEST) -> bytes:
    """Read a regular file without following a link; one larger than *most* is an error."""
    with open_plain(place, directory) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError(f"{place} is no regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"{place} is larger than {most} bytes")
    return data
