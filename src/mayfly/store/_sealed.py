"""Files of the state directory that hold what was worked out before, and count only where this user sealed them."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from mayfly.core import StoreError, content_hash
from mayfly.store._seal import Seal

# What is kept sealed (compiled rules) is a few megabytes; a larger file is not ours, and is not read into memory.
LARGEST = 64 * 1024 * 1024
# Bytes of the digest before the content.
_SEAL = 32


class SealedFiles:
    """Keep bytes under keys in one folder of the state directory, the *most* recently written ones.

    Whoever reads a compiled program back runs it, so nothing is handed out that is not exactly what this user put there
    under that key: the seal is over folder, key and content; key and file must be this user's own, and nobody else may
    write the directory. Everything else (damaged, foreign, too large) is as if it were not there, and where nothing can
    be written nothing is kept.
    """

    def __init__(self, state: Path, name: str, *, most: int = 16) -> None:
        self._state = state
        self._folder = state / name
        self._most = most
        self._seal: Seal | None = None

    def get(self, key: str) -> bytes | None:
        """Return what was put under *key*, if it is whole and ours."""
        with suppress(OSError, StoreError):
            found = _read(self._path(key))
            data = memoryview(found)[_SEAL:]
            if self._opened().holds_bytes(self._named(key, data), found[:_SEAL]):
                return bytes(data)
        return None

    def put(self, key: str, data: bytes) -> None:
        """Keep *data* under *key*; where nothing can be written, nothing is kept."""
        with suppress(OSError, StoreError):
            seal = self._opened().of_bytes(self._named(key, data))
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self._path(key), seal + data)
            self._trim()

    def _path(self, key: str) -> Path:
        return self._folder / content_hash(key)[:32]

    def _named(self, key: str, data: bytes | memoryview) -> bytes:
        return b"\0".join((b"mayfly sealed file", self._folder.name.encode(), key.encode(), data))

    def _opened(self) -> Seal:
        if self._seal is None:
            self._seal = Seal.open(self._state)
        about = self._state.stat()
        if not self._seal.own or about.st_uid != os.geteuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise StoreError(f"{self._state} is not ours alone")
        return self._seal

    def _trim(self) -> None:
        written = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for old in written[self._most :]:
            old.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    # Neither a link nor a pipe that nobody writes to.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size > LARGEST:
            raise StoreError(f"{path} is not a file of ours")
        return file.read(LARGEST)


def _write(path: Path, data: bytes) -> None:
    """Write aside and move into place; after a crash the seal tells half a file from a whole one."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
