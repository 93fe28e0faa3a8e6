"""What a tool needs of the room it works in, and the source files that are there."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from mayfly.core import InputError
from mayfly.world._paths import walk

# Directories that belong to tools, beside those with a leading dot: nobody wrote what is in them.
_OF_TOOLS = ("venv", "node_modules", "__pycache__")


class WorkspacePlace(Protocol):
    """A workspace in which files are read and programs run; `Room` is one."""

    @property
    def workspace(self) -> Path:
        """Where it is on this machine."""
        ...

    @property
    def kernel(self) -> Any:
        """A function that returns the kernel in force."""
        ...

    def read(self, path: str) -> bytes:
        """Return the content of a file of the workspace."""
        ...

    def run(
        self, command: Sequence[str], *, key: str, timeout: float | None = None, keep: bool = True
    ) -> tuple[Any, Any]:
        """Run a command and return how it ended, and what became of what it changed."""
        ...


def source_files(place: WorkspacePlace, suffixes: frozenset[str], *, under: str = ".", most: int) -> Iterator[str]:
    """Return the files with one of *suffixes*, by name: no links are followed, nothing that tools keep for themselves.

    Only names are looked at here; contents are read through the room, which masks what is secret.
    """

    def is_own(name: str) -> bool:
        return not name.startswith(".") and name not in _OF_TOOLS

    below = walk(os.path.realpath(place.workspace), under, hidden=True, enter=is_own)
    files = (entry.path for entry in below if entry.kind == "file")
    return islice((path for path in files if os.path.splitext(path)[1].lower() in suffixes), most)


def text_in(place: WorkspacePlace, path: str, *, most: int) -> str:
    """Return a file as text; one that is none, or is larger than *most* bytes, is an `InputError`."""
    data = place.read(path)
    if len(data) > most:
        raise InputError(f"{path} has {len(data):,} bytes, more than the {most:,} that are looked at")
    # The same sign by which git takes a file for binary.
    if b"\0" in data[:8192]:
        raise InputError(f"{path} is no text: {len(data):,} bytes")
    return data.decode("utf-8-sig", "replace")


def own_python(module: str, *words: str) -> list[str]:
    """Return the command that runs the project's own interpreter: that of its environment, of PATH, or ours.

    Of these it is the first that has *module*, any where none is named, and ours where none of them has it.
    """
    return ["sh", "-c", f'{find_python(module)}\nexec "$python" "$@"', "sh", *words]


def find_python(module: str) -> str:
    """Return the lines of shell that put this interpreter into the variable `python`."""
    places = f".venv/bin/python venv/bin/python python3 {shlex.quote(sys.executable)}"
    return f'for python in {places}; do "$python" -c "import {module or "sys"}" > /dev/null 2>&1 && break; done'
