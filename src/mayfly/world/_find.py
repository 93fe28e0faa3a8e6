"""List a directory, and find files by their names."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from mayfly.core import Invocation, LimitError
from mayfly.world._declare import COUNT, DIRECTORY, FLAG, GLOB, PATH, gives, takes, tool
from mayfly.world._paths import Glob, entries, inside, root_of, sayable, walk

MOST_FOUND = 10_000
_READ = ("fs:workspace",)


def _listed(call: Invocation) -> str:
    return str(call.arguments.get("path", "."))


def _still_listed(call: Invocation, value: object) -> bool:
    if not isinstance(value, list):
        return False
    names = [entry.get("name") for entry in value if isinstance(entry, dict)]
    root = root_of(call)
    there = os.listdir(os.path.join(root, inside(root, _listed(call))))
    return len(names) == len(value) and names == sorted(filter(sayable, there))


class _Wanted(NamedTuple):
    """Which files are looked for: below a directory, by a pattern or all, those with a leading dot or not."""

    path: str
    glob: Glob | None
    hidden: bool

    def fits(self, path: str) -> bool:
        below = path if self.path == "." else path.removeprefix(f"{self.path}/")
        return self.glob is None or self.glob.fits(below)


def _wanted(call: Invocation) -> _Wanted:
    """Read the arguments; a directory outside of the workspace is refused here too."""
    pattern = call.arguments.get("pattern")
    glob = Glob(pattern) if pattern else None
    hidden = bool(call.arguments.get("hidden", glob is not None and glob.hidden))
    return _Wanted(inside(root_of(call), str(call.arguments.get("path", "."))), glob, hidden)


def _still_found(call: Invocation, value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return False
    wanted, root = _wanted(call), root_of(call)
    there = {path for path in _walked(root, wanted) if wanted.fits(path)}
    return len(set(value)) == len(value) and set(value) == there


def _walked(root: str, wanted: _Wanted) -> list[str]:
    """Walk as the standard library does, to compare with our own walk."""
    found: list[str] = []
    for directory, below, names in os.walk(os.path.join(root, wanted.path)):
        if not wanted.hidden:
            below[:] = [name for name in below if not name.startswith(".")]
            names = [name for name in names if not name.startswith(".")]
        for name in filter(sayable, names):
            path = os.path.join(directory, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                found.append(os.path.relpath(path, root))
    return found


@tool(
    takes(path={**DIRECTORY, "default": "."}),
    output_schema={"type": "array", "items": gives(name={"type": "string"}, kind={"type": "string"}, size=COUNT)},
    does="list directory, list entry",
    grants=_READ,
    asks="path",
    action="list_files",
    check=_still_listed,
    proves="every entry is there, and the directory holds no other",
)
def list_directory(call: Invocation) -> list[dict[str, object]]:
    """List the entries of one directory or folder, each with its kind and size."""
    found = entries(root_of(call), _listed(call))
    return [{"name": os.path.basename(entry.path), "kind": entry.kind, "size": entry.size} for entry in found]


@tool(
    takes(pattern=GLOB, path={**DIRECTORY, "default": "."}, hidden=FLAG),
    output_schema={"type": "array", "items": PATH},
    does="find file, list file",
    grants=_READ,
    asks="path",
    check=_still_found,
    proves="every path is a file that is there, and another walk finds the same ones",
)
def find_files(call: Invocation) -> list[str]:
    """Find files by a name or a glob pattern, or all files below a directory; list the paths."""
    wanted, found = _wanted(call), list[str]()
    for entry in walk(root_of(call), wanted.path, hidden=wanted.hidden):
        if entry.kind == "file" and wanted.fits(entry.path):
            found.append(entry.path)
            if len(found) > MOST_FOUND:
                fix = "name a smaller directory or a pattern"
                raise LimitError("files found", used=len(found), limit=MOST_FOUND, fix=fix)
    return sorted(found)
