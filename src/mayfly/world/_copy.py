"""A copy of the workspace for code that is not trusted: without its secrets, its history and its environments."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mayfly.core import InputError, LimitError, secret_path
from mayfly.world._paths import DEEPEST, entries, reading

MOST_FILES = 20_000
LARGEST = 256 * 1024 * 1024
# Directories that belong to tools: nobody wrote what is in them.
LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "__pycache__", ".mayfly"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}
)


@contextmanager
def copied(root: str) -> Iterator[Path]:
    """Yield a new directory with the workspace *root* as `project` in it, gone afterwards."""
    held = Path(tempfile.mkdtemp(prefix="mayfly-tests-"))
    try:
        place = held / secrets.token_hex(16)
        (place / "temporary").mkdir(parents=True)
        _copy(root, place / "project")
        if os.geteuid() == 0:
            _open_up(held, place)
        yield place
    finally:
        _remove(held)


def _open_up(held: Path, place: Path) -> None:
    """Let another user write there: without namespaces a job of root's steps down to one that owns nothing.

    Nobody else finds the place, as its name cannot be guessed and the directory above cannot be listed.
    """
    for directory, _, names in os.walk(place):
        os.chmod(directory, 0o777)
        for name in names:
            if not os.path.islink(os.path.join(directory, name)):
                os.chmod(os.path.join(directory, name), 0o666)
    os.chmod(held, 0o711)


def _copy(root: str, target: Path) -> None:
    files = size = 0
    waiting = [(".", 0)]
    while waiting:
        directory, depth = waiting.pop()
        (target / directory).mkdir()
        for entry in entries(root, directory) if depth <= DEEPEST else ():
            if os.path.basename(entry.path) in LEFT_OUT or secret_path(entry.path):
                continue
            if entry.kind == "directory":
                waiting.append((entry.path, depth + 1))
            elif entry.kind in ("file", "link"):
                files += 1
                size += entry.size
                _check(files, size)
                _copy_one(root, entry.path, target / entry.path, entry.kind)


def _check(files: int, size: int) -> None:
    if files > MOST_FILES:
        raise LimitError("files to copy for the tests", used=files, limit=MOST_FILES)
    if size > LARGEST:
        raise LimitError("bytes to copy for the tests", used=size, limit=LARGEST)


def _copy_one(root: str, path: str, target: Path, kind: str) -> None:
    if kind == "link":
        leads = os.readlink(os.path.join(root, path))
        if not os.path.isabs(leads):
            os.symlink(leads, target)
        return
    try:
        with reading(root, path) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)
    except InputError:
        # What cannot be read here could not be read by the tests either.
        return


def _remove(place: Path) -> None:
    try:
        shutil.rmtree(place, ignore_errors=True)
    except RecursionError:
        # Tests may leave directories deeper than anybody walks; they lie in the system's own temporary directory.
        return
