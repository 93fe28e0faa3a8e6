"""Files of ours: tables that are shipped beside the code, and files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def write_whole(path: Path, data: bytes, *, fresh: bool = False, durable: bool = True) -> None:
    """Write a file for its owner alone: aside, onto the disk, then into its place, so that nobody reads half of it.

    One that is to be *fresh* replaces nothing: `FileExistsError` where there is a file already. What can be made again,
    and tells by itself whether it is whole, need not be *durable*: waiting for a disk takes milliseconds.
    """
    aside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if fresh:
            os.link(aside, path)
        else:
            os.replace(aside, path)
        if durable:
            sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def shipped_table(path: Path) -> dict[str, Any]:
    """Return a table of ours."""
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8"))


def sync_folder(folder: Path) -> None:
    """Have the names in one directory written to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
