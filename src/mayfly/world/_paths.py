"""Files of the workspace, opened step by step from its root, so that no link and no special file leads anywhere else.

And glob patterns over their paths, matched in time that no pattern can blow up.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import translate
from functools import lru_cache
from typing import BinaryIO, NamedTuple

from mayfly.core import InputError, Invocation, LimitError, open_below

DEEPEST = 40
MOST_ENTRIES = 200_000


class DirectoryEntry(NamedTuple):
    """Something in a directory: its path from the workspace, and what it is."""

    path: str
    kind: str
    size: int


def root_of(invocation: Invocation) -> str:
    """Return the workspace with its own links followed."""
    root = os.path.realpath(invocation.workspace)
    if not os.path.isdir(root):
        raise InputError(f"the workspace {invocation.workspace} is not a directory")
    return root


def inside(root: str, path: str) -> str:
    """Return where *path* leads, relative to the workspace *root*; a path that leads out of it is refused."""
    if not path or "\0" in path:
        raise InputError("the path is empty" if not path else "the path holds a null character")
    real = os.path.realpath(os.path.join(root, os.path.expanduser(path)))
    if real != root and not real.startswith(root.rstrip("/") + "/"):
        raise InputError(f"{path} is outside the workspace", fix="name a file of the workspace")
    return os.path.relpath(real, root)


@contextmanager
def reading(root: str, path: str) -> Iterator[BinaryIO]:
    """Open a regular file of the workspace for reading; anything else is one clear `InputError`."""
    descriptor = _opened(root, inside(root, path), path)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise InputError(f"{path} is {_KINDS.get(stat.S_IFMT(mode), 'no file')}, not a regular file")
    with open(descriptor, "rb") as file:
        yield file


def read_bytes(root: str, path: str, *, most: int) -> bytes:
    """Return the content of a regular file of at most *most* bytes."""
    with reading(root, path) as file:
        content = file.read(most + 1)
        if len(content) > most:
            size = max(os.fstat(file.fileno()).st_size, len(content))
            raise LimitError(f"bytes of {path}", used=size, limit=most)
    return content


def read_text(root: str, path: str, *, most: int) -> str:
    """Return the text of a file; one that is not UTF-8 is an `InputError`."""
    return decoded(read_bytes(root, path, most=most), path)


def decoded(content: bytes, path: str) -> str:
    """Return *content* as text."""
    if b"\0" in content:
        raise InputError(f"{path} is not a text file: it holds null bytes", fix='read it with {"encoding": "base64"}')
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        fix = "name its encoding, such as latin-1"
        raise InputError(f"{path} is not UTF-8 text: byte {error.start} does not fit", fix=fix) from None


def _opened(root: str, real: str, path: str) -> int:
    try:
        return open_below(root, real)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def entries(root: str, path: str) -> list[DirectoryEntry]:
    """Return what is in one directory, sorted by name."""
    descriptor = _opened(root, inside(root, path), path)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise InputError(f"{path} is not a directory", fix="name a directory")
        return _scanned(descriptor, os.path.normpath(inside(root, path)))
    finally:
        os.close(descriptor)


def walk(
    root: str, path: str, *, hidden: bool, enter: Callable[[str], bool] = lambda _: True
) -> Iterator[DirectoryEntry]:
    """Yield every entry below a directory, sorted, without following links; what cannot be read is left out.

    Names with a leading dot are left out unless *hidden*, and what is in directories that are not to be *entered* by
    their names. Too many entries or levels are a `LimitError`.
    """
    waiting = [(os.path.normpath(path), 0)]
    seen = 0
    while waiting:
        directory, depth = waiting.pop()
        if depth > DEEPEST:
            raise LimitError(f"levels below {path}", used=depth, limit=DEEPEST)
        try:
            found = entries(root, directory)
        except InputError:
            if depth == 0:
                raise
            continue
        shown = [entry for entry in found if hidden or not os.path.basename(entry.path).startswith(".")]
        seen += len(shown)
        if seen > MOST_ENTRIES:
            raise LimitError(f"entries below {path}", used=seen, limit=MOST_ENTRIES, fix="name a smaller directory")
        yield from shown
        below = (entry.path for entry in reversed(shown) if entry.kind == "directory")
        waiting += [(one, depth + 1) for one in below if enter(os.path.basename(one))]


def _scanned(descriptor: int, directory: str) -> list[DirectoryEntry]:
    found: list[DirectoryEntry] = []
    with os.scandir(descriptor) as scan:
        for entry in scan:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            kind = _WORDS.get(stat.S_IFMT(status.st_mode), "special")
            path = entry.name if directory == "." else f"{directory}/{entry.name}"
            if sayable(path):
                found.append(DirectoryEntry(path, kind, status.st_size))
            if len(found) > MOST_ENTRIES:
                raise LimitError(f"entries of {directory}", used=len(found), limit=MOST_ENTRIES)
    return sorted(found)


def sayable(path: str) -> bool:
    """Say whether a name is text; one that is not cannot be in a result, and is left out."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}
_WORDS = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link"}


LONGEST = 500


class Glob:
    """Match paths: `*` and `?` stay within one name, `**` stands for any number of directories.

    A pattern without a slash is about the name alone, wherever the file lies.
    """

    def __init__(self, pattern: str) -> None:
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if not parts or ".." in parts or pattern.startswith(("/", "~")) or len(pattern) > LONGEST:
            fix = "write *.py, test_*, src/**/*.toml or a whole name"
            raise InputError(f"{pattern[:80]!r} is not a pattern for files of the workspace", fix=fix)
        self._anywhere = len(parts) == 1
        self._parts = parts
        self.hidden = any(part.startswith(".") for part in parts)

    def fits(self, path: str) -> bool:
        """Say whether *path*, from the directory that is looked at, fits."""
        names = path.split("/")
        if self._anywhere:
            return self._parts == ["**"] or _fits_name(self._parts[0], names[-1])
        # Which beginnings of the path the beginning of the pattern fits, part by part.
        reached = {0}
        for part in self._parts:
            if part == "**":
                reached = set(range(min(reached, default=len(names) + 1), len(names) + 1))
            else:
                reached = {at + 1 for at in reached if at < len(names) and _fits_name(part, names[at])}
        return len(names) in reached


def _fits_name(pattern: str, name: str) -> bool:
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    # The standard translation keeps what one star took, so matching a name is never worse than quadratic.
    return re.compile(translate(pattern))
