"""What a tool needs of the room it works in, and the source files that are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mayfly.core import InputError
from mayfly.world._copy import LEFT_OUT
from mayfly.world._paths import entries

if TYPE_CHECKING:
    from mayfly.policy import Permit


class Ended(Protocol):
    """How a program ended and what it printed."""

    @property
    def code(self) -> int | None:
        """Its exit status, if it came to one."""
        ...

    @property
    def output(self) -> str:
        """What it printed, cleaned, perhaps with its middle left out."""
        ...

    @property
    def whole(self) -> int:
        """How many bytes it printed in all."""
        ...

    @property
    def reason(self) -> str:
        """Why it did not come to an end of its own."""
        ...


class Rules(Protocol):
    """Who says what may be done."""

    def permitted(self, action: str, target: str, payload: Any = "") -> Permit:
        """Decide one action."""
        ...

    def query(self, goal: str, facts: Any = ()) -> list[Any]:
        """Return the rows of a goal."""
        ...


class Place(Protocol):
    """A workspace in which files are read and programs run; `Room` is one."""

    @property
    def workspace(self) -> Path:
        """Where it is on this machine."""
        ...

    @property
    def kernel(self) -> Any:
        """A function that returns the `Rules` in force."""
        ...

    def read(self, path: str) -> bytes:
        """Return the content of a file of the workspace."""
        ...

    def run(
        self,
        command: Sequence[str] | str,
        *,
        key: str,
        cwd: str = ".",
        timeout: float | None = None,
        grants: Sequence[str] = (),
        keep: bool = True,
        stdin: bytes = b"",
    ) -> tuple[Any, Any]:
        """Run a command and return how it `Ended`, and what became of what it changed."""
        ...


def source_files(place: Place, suffixes: frozenset[str], *, under: str = ".", most: int) -> Iterator[str]:
    """Yield the files with one of *suffixes*, by name: no links are followed, nothing that tools keep for themselves.

    Only names are looked at here; contents are read through the room, which masks what is secret.
    """
    root = os.path.realpath(place.workspace)
    waiting, found = [os.path.normpath(under)], 0
    while waiting:
        directory = waiting.pop()
        try:
            here = entries(root, directory)
        except InputError:
            if directory == os.path.normpath(under):
                raise
            continue  # it went away, or may not be read
        below = []
        for entry in here:
            name = os.path.basename(entry.path)
            if entry.kind == "directory" and not name.startswith(".") and name not in LEFT_OUT:
                below.append(entry.path)
            elif entry.kind == "file" and os.path.splitext(name)[1].lower() in suffixes:
                yield entry.path
                found += 1
                if found >= most:
                    return
        waiting += reversed(below)


def text_in(place: Place, path: str, *, most: int) -> str:
    """Return a file as text; one that is none, or is larger than *most* bytes, is an `InputError`."""
    data = place.read(path)
    if len(data) > most:
        raise InputError(f"{path} has {len(data):,} bytes, more than the {most:,} that are looked at")
    # The same sign by which git takes a file for binary.
    if b"\0" in data[:8192]:
        raise InputError(f"{path} is no text: {len(data):,} bytes")
    return data.decode("utf-8-sig", "replace")


def interpreter_of(place: Place) -> str:
    """Return the interpreter of the workspace's own environment, or the one that we run in."""
    for name in (".venv", "venv"):
        if (place.workspace / name / "bin" / "python").exists():
            return f"{name}/bin/python"
    return sys.executable
