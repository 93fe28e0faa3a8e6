"""The library's files: what the store has, readable and diffable, and where a person may put something of their own.

`NAME/N-HASH/` holds tool.py, test_tool.py and card.json of one version, `NAME/current` points to the one that serves.
All of it follows from the store: it is written after a version serves and repaired where it is missing. What was edited
there, or put there as `NAME/tool.py`, is a candidate: it counts for nothing until it has passed the gates.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mayfly.core import StoreError, open_plain
from mayfly.library._signature import LONGEST_NAME, NAME
from mayfly.store import ServedTool, ToolVersionRow

POINTER = "current"
SOURCE, TESTS, CARD = "tool.py", "test_tool.py", "card.json"
# A version's directory: its number and the beginning of the hash of its source.
_VERSION = re.compile(r"[1-9][0-9]*-[0-9a-f]{12}")
# What is being written, and is nobody's if its writer died.
_ASIDE = ".aside-"
# Larger files are no tools; the gates refuse far smaller ones, and say so.
_LARGEST = 2_000_000


@dataclass(frozen=True, kw_only=True)
class CheckedOutFile:
    """A file that is not what the store has: a version in the making, or a problem."""

    name: str
    path: Path
    source: str = ""
    tests: str | None = None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class CheckoutFiles:
    """What the files of one version hold."""

    source: str
    tests: str
    card: str


class Checkout:
    """Write versions out, and see what somebody changed."""

    def __init__(self, state: Path) -> None:
        self.folder = state / "library"

    def directory(self, row: ToolVersionRow) -> Path:
        """Return where the files of a version lie."""
        return self.folder / row.name / f"{row.version}-{row.source[:12]}"

    def write(self, row: ToolVersionRow, files: CheckoutFiles, *, point: bool = True) -> Path:
        """Put a version's files in place, whole or not at all, and let the pointer name it.

        What somebody edited there stays as it is: it is theirs until it is taken in.
        """
        target = self.directory(row)
        home = target.parent
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            home.mkdir(mode=0o700, exist_ok=True)
            _sweep(home)
            if not self.is_whole(row) and not self.was_edited(row):
                _write_aside(target, files, _moment(row))
            if point:
                _point(home, target.name)
        except OSError as error:
            raise StoreError(f"{target}: {error.strerror or error}") from None
        return target

    def remove(self, name: str) -> None:
        """Take away what lies under a name that nothing serves under; the store keeps every version."""
        home = self.folder / name
        with suppress(OSError):
            (home / POINTER).unlink(missing_ok=True)
            _sweep(home)
            for inner in list(home.iterdir()):
                if _VERSION.fullmatch(inner.name) and inner.is_dir() and not inner.is_symlink():
                    shutil.rmtree(inner, ignore_errors=True)
            home.rmdir()  # stays where somebody keeps something of their own there

    def is_whole(self, row: ToolVersionRow) -> bool:
        """Whether a version's files are there and untouched, by a look at their size and time alone."""
        home = self.directory(row)
        try:
            source = os.lstat(home / SOURCE)
            others = [os.lstat(home / name) for name in (TESTS, CARD)]
        except OSError:
            return False
        moment = _moment(row)
        regular = all(stat.S_ISREG(one.st_mode) and one.st_mtime_ns == moment for one in (source, *others))
        return regular and source.st_size == row.size

    def points_to(self, name: str) -> str:
        """Return the directory that the pointer of a name names, empty where there is none."""
        try:
            return os.readlink(self.folder / name / POINTER)
        except OSError:
            return ""

    def names(self) -> list[str]:
        """Return the names of the directories that could hold a tool."""
        try:
            with os.scandir(self.folder) as entries:
                return sorted(entry.name for entry in entries if not entry.name.startswith("."))
        except OSError:
            return []

    def candidates(self, served: Sequence[ServedTool]) -> Iterator[CheckedOutFile]:
        """Yield what was edited or put there by hand; of what is as it was written nothing is read."""
        known = {one.tool.name: one.version for one in served}
        for name in self.names():
            home = self.folder / name
            if not NAME.fullmatch(name) or len(name) > LONGEST_NAME or not home.is_dir():
                yield CheckedOutFile(name=name, path=home, problem="this is not the name of a tool")
                continue
            if (home / SOURCE).is_symlink() or (home / SOURCE).exists():
                yield _read(name, home)
            elif name in known and self.was_edited(known[name]):
                yield _read(name, self.directory(known[name]))

    def was_edited(self, row: ToolVersionRow) -> bool:
        """Whether a file of a version is there and another one than was written; a missing one is repaired instead."""
        home, moment = self.directory(row), _moment(row)
        for name in (SOURCE, TESTS):
            with suppress(OSError):
                about = os.lstat(home / name)
                size = row.size if name == SOURCE else about.st_size
                if about.st_mtime_ns != moment or about.st_size != size:
                    return True
        return False

    def discard(self, candidate: CheckedOutFile) -> None:
        """Take a candidate's files away once a version was made of them, or they are what the store has anyway."""
        with suppress(OSError):
            (candidate.path / SOURCE).unlink(missing_ok=True)
            (candidate.path / TESTS).unlink(missing_ok=True)
            if _VERSION.fullmatch(candidate.path.name):
                shutil.rmtree(candidate.path, ignore_errors=True)


def _read(name: str, home: Path) -> CheckedOutFile:
    try:
        source = read_regular(home / SOURCE, most=_LARGEST)
        tests = read_regular(home / TESTS, most=_LARGEST) if (home / TESTS).exists() else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return CheckedOutFile(name=name, path=home, problem=f"it cannot be read: {reason}")
    return CheckedOutFile(name=name, path=home, source=source, tests=tests)


def read_regular(path: Path, *, most: int, errors: str = "strict") -> str:
    """Return the text of a regular file of at most *most* bytes; `ValueError` says why it is none."""
    with open_plain(path) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ValueError(f"{path.name} is no file")
        if about.st_size > most:
            raise ValueError(f"{path.name} has more than {most:,} bytes")
        return file.read(most).decode("utf-8", errors)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a directory that holds *files*, on the disk when this returns."""
    folder.mkdir(mode=0o700)
    for name, data in files.items():
        with open(folder / name, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _moment(row: ToolVersionRow) -> int:
    """Return the time that the files of a version carry: that of its event, so that a look tells an edited one."""
    return int(datetime.fromisoformat(row.at).timestamp()) * 1_000_000_000


def _write_aside(target: Path, files: CheckoutFiles, moment: int) -> None:
    aside, old = (target.parent / f"{_ASIDE}{secrets.token_hex(8)}" for _ in range(2))
    texts = {SOURCE: files.source, TESTS: files.tests, CARD: files.card}
    try:
        write_folder(aside, {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()})
        for name in texts:
            os.utime(aside / name, ns=(moment, moment))
        with suppress(FileNotFoundError):  # half of one makes room
            os.rename(target, old)
        with suppress(FileExistsError):  # another process has just written the same
            os.rename(aside, target)
    finally:
        for left in (aside, old):
            shutil.rmtree(left, ignore_errors=True)


def _point(home: Path, name: str) -> None:
    """Let the pointer name a directory in one step: whoever follows it finds the old version or the new one."""
    if os.path.lexists(home / POINTER) and os.path.islink(home / POINTER) and os.readlink(home / POINTER) == name:
        return
    aside = home / f"{_ASIDE}{secrets.token_hex(8)}"
    os.symlink(name, aside)
    os.replace(aside, home / POINTER)


# Seconds after which what lies aside is nobody's: writing three small files takes far less.
_DEAD = 60.0


def _sweep(home: Path) -> None:
    """Remove what writers that died have left; another one may be at work just now."""
    for inner in list(home.iterdir()) if home.is_dir() else ():
        if not inner.name.startswith(_ASIDE):
            continue
        with suppress(OSError):
            if time.time() - os.lstat(inner).st_mtime > _DEAD:
                shutil.rmtree(inner) if inner.is_dir() and not inner.is_symlink() else inner.unlink()
