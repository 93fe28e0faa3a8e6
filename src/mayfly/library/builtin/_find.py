"""List a directory, and find files by their names."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from mayfly.core import InputError, LimitError
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import (
    Fields,
    asked_path,
    described,
    fields_of,
    flag_of,
    is_directory,
    named_in,
    only,
    said,
    text_of,
)
from mayfly.library.builtin._glob import Glob
from mayfly.library.builtin._paths import entries, inside, root_of, sayable, walk

MOST_FOUND = 10_000


def find_builtins() -> tuple[Builtin, ...]:
    """Return the capabilities that look at names of files."""
    return (
        Builtin(
            name="list_directory",
            description="List the entries of one directory or folder, each with its kind and size.",
            call=_list,
            action="list_files",
            target=_listed,
            check=_still_listed,
            proves="every entry is there, and the directory holds no other",
        ),
        Builtin(
            name="find_files",
            description="Find files named by a name or a glob pattern, or all files below a directory; list the paths.",
            call=_find,
            action="find_files",
            target=_searched,
            check=_still_found,
            proves="every path is a file that is there, and another walk finds the same ones",
        ),
    )


def _listed(invocation: Invocation) -> str:
    return text_of(fields_of(invocation, main="path", asked=asked_path), "path", default=".")


def _list(invocation: Invocation) -> list[dict[str, object]]:
    found = entries(root_of(invocation), _listed(invocation))
    return [{"name": os.path.basename(entry.path), "kind": entry.kind, "size": entry.size} for entry in found]


def _still_listed(invocation: Invocation, value: object) -> bool:
    if not isinstance(value, list):
        return False
    names = [entry.get("name") for entry in value if isinstance(entry, dict)]
    root = root_of(invocation)
    there = os.listdir(os.path.join(root, inside(root, _listed(invocation))))
    return len(names) == len(value) and names == sorted(filter(sayable, there))


class _Wanted(NamedTuple):
    """Which files are looked for: below a directory, by a pattern or all, those with a leading dot or not."""

    path: str
    glob: Glob | None
    hidden: bool

    def fits(self, path: str) -> bool:
        below = path if self.path == "." else path.removeprefix(f"{self.path}/")
        return self.glob is None or self.glob.fits(below)


def _wanted(invocation: Invocation) -> _Wanted:
    fields = fields_of(invocation, main="pattern", others=("path", "hidden"), asked=_asked)
    pattern = text_of(fields, "pattern", default="")
    if "path" not in fields and pattern and is_directory(invocation, pattern):
        fields, pattern = {**fields, "path": pattern}, ""
    glob = Glob(pattern) if pattern else None
    return _Wanted(
        text_of(fields, "path", default="."), glob, flag_of(fields, "hidden", default=glob is not None and glob.hidden)
    )


def _inside(invocation: Invocation) -> _Wanted:
    """Return the same with the directory as it is reached from the workspace; one outside is refused here too."""
    wanted = _wanted(invocation)
    return wanted._replace(path=inside(root_of(invocation), wanted.path))


def _asked(invocation: Invocation) -> Fields:
    """Find pattern and directory in an intent such as "find *.py in src"."""
    kind = _kind(invocation)
    if kind:
        place = named_in(invocation)
        return {"pattern": kind} if place is None else {"pattern": kind, "path": place}
    words = invocation.intent.split()
    globs = [word.strip("\"'`,;") for word in words if "*" in word]
    fields = only(globs, "pattern")
    place = named_in(invocation)
    if not fields and place is None:
        paths = [token.text for token in said(invocation) if token.kind in ("path", "quoted")]
        return only(paths, "pattern")
    if not fields:
        fields = only(
            [token.text for token in said(invocation) if token.text != place and token.kind == "path"], "pattern"
        )
    return fields if place is None else {**fields, "path": place}


# What people call files by what they hold.
_CALLED = {
    "python": "py",
    "markdown": "md",
    "text": "txt",
    "yaml": "y*ml",
    "javascript": "js",
    "typescript": "ts",
    "rust": "rs",
    "shell": "sh",
    **{name: name for name in ("json", "toml", "csv", "html", "css", "sql", "xml", "ini", "log", "java", "pdf", "php")},
}


def _kind(invocation: Invocation) -> str:
    """Return the pattern for "Python files"; a word that nobody can turn into one is a mistake, not all files."""
    words = described(invocation, "file", "files")
    if not words:
        return ""
    if len(words) > 1 or words[0] not in _CALLED:
        raise InputError(f"nobody can tell which files are {' '.join(words)[:80]!r}", fix="give a pattern such as *.py")
    return f"*.{_CALLED[words[0]]}"


def _searched(invocation: Invocation) -> str:
    return _wanted(invocation).path


def _find(invocation: Invocation) -> list[str]:
    wanted, found = _inside(invocation), list[str]()
    for entry in walk(root_of(invocation), wanted.path, hidden=wanted.hidden):
        if entry.kind == "file" and wanted.fits(entry.path):
            found.append(entry.path)
            if len(found) > MOST_FOUND:
                fix = "name a smaller directory or a pattern"
                raise LimitError("files found", used=len(found), limit=MOST_FOUND, fix=fix)
    return sorted(found)


def _still_found(invocation: Invocation, value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return False
    wanted, root = _inside(invocation), root_of(invocation)
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
