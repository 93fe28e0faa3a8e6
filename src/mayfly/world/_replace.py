"""Change files of the workspace step by step from its root, so that no link leads a change anywhere else."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from mayfly.core import InputError, LimitError
from mayfly.world._paths import inside

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 40


def put_file(root: str, path: str, content: bytes) -> str:
    """Put *content* where *path* leads, in place of what was there; return the path from the workspace."""
    with open_parent(root, path, make=True) as (directory, name):
        try:
            _replace(directory, name, content, path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
    return inside(root, path)


def remove_file(root: str, path: str) -> str:
    """Remove one regular file; return the path from the workspace."""
    where = inside(root, path)
    with open_parent(root, path) as (directory, name):
        if _mode(directory, name, path) is None:
            raise InputError(f"{path}: No such file or directory")
        os.unlink(name, dir_fd=directory)
    return where


def make_directory(root: str, path: str) -> str:
    """Make a directory and those above it; return the path from the workspace."""
    where = inside(root, path)
    try:
        os.close(_open_directory(root, where.split(os.sep), make=True))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    return where


def exists(root: str, path: str) -> bool:
    """Say whether there is anything at a path of the workspace."""
    return os.path.lexists(os.path.join(root, inside(root, path)))


@contextmanager
def open_parent(root: str, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """Open the directory in which a file lies or is to lie, made where it is not there; yield both."""
    steps = inside(root, path).split(os.sep)
    if steps == ["."] or path.endswith("/"):
        raise InputError(f"{path} is a directory", fix="name a file")
    if len(steps) > _DEEPEST:
        raise LimitError(f"levels of {path}", used=len(steps), limit=_DEEPEST)
    try:
        directory = _open_directory(root, steps[:-1], make=make)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    try:
        yield directory, steps[-1]
    finally:
        os.close(directory)


def _open_directory(root: str, steps: list[str], *, make: bool) -> int:
    """Open a directory of the workspace without following links on the way."""
    here = os.open(root, _FLAGS)
    for step in steps:
        try:
            if make:
                try:
                    os.mkdir(step, dir_fd=here)
                except FileExistsError:
                    pass
            below = os.open(step, _FLAGS, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _replace(directory: int, name: str, content: bytes, path: str) -> None:
    mode = _mode(directory, name, path)
    held = f".{name[:100]}.{secrets.token_hex(6)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(held, flags, 0o666, dir_fd=directory)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(held, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        os.unlink(held, dir_fd=directory)
        raise
    os.fsync(directory)


def _mode(directory: int, name: str, path: str) -> int | None:
    """Return the mode of a file that is replaced or removed; only a regular file is."""
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is not a regular file, so it is not replaced")
    return stat.S_IMODE(mode)
