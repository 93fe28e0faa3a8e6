"""Files of ours: tables that are shipped beside the code, and files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any


def write_whole(path: Path, data: bytes, *, fresh: bool = False, durable: bool = True, private: bool = True) -> None:
    """Write a file: aside, onto the disk, then into its place, so that nobody reads half of it.

    One that is to be *fresh* replaces nothing: `FileExistsError` where there is a file already. What can be made again,
    and tells by itself whether it is whole, need not be *durable*: waiting for a disk takes milliseconds. A *private*
    one is for its owner alone; any other may be read by whom the umask lets, like what a person writes with an editor.
    """
    # A name may be as long as a file system takes, and this one has a dozen characters more.
    aside = path.with_name(f".{path.name[:50]}.{os.urandom(4).hex()}")
    mode = 0o600 if private else 0o666
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if fresh:
            # Unlike a rename, a link never takes the place of a file that somebody makes meanwhile.
            os.link(aside, path)
        else:
            os.replace(aside, path)
        if durable:
            sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def open_plain(path: str | Path, directory: int | None = None) -> BufferedReader:
    """Open a file to be read, without following a link and without waiting for whoever writes to a pipe."""

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)

    return open(path, "rb", opener=opened)


def open_below(root: str, path: str) -> int:
    """Open *path* below *root* for reading, step by step, so that no link that is put there meanwhile is followed.

    A path that leads up is refused. No pipe is waited for; the file that is opened may be a directory or a special one.
    """
    if os.pardir in path.split(os.sep):
        raise PermissionError(errno.EACCES, "it leads out", path)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    here = os.open(root, flags | os.O_DIRECTORY)
    for step in path.split(os.sep):
        if step == ".":
            continue
        try:
            below = os.open(step, flags, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def distinct_names(paths: Sequence[str | Path]) -> tuple[str, ...]:
    """Return the last parts of paths, as many of each as tell all of them apart."""
    split = [Path(os.path.abspath(path)).parts[1:] for path in paths]
    for count in range(1, max(map(len, split), default=0) + 1):
        names = tuple("/".join(parts[-count:]) for parts in split)
        if len(set(names)) == len(set(split)):
            return names
    return ()


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
