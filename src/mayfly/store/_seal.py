"""Seals over what the store keeps: who can write the store but cannot read the key can forge nothing."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from mayfly.core import StoreError, content_hash, open_plain, write_whole

# A key as long as the digest of HMAC-SHA256: a longer one adds nothing.
SIZE = 32


class Seal:
    """Sign texts with a key that lives in the state directory, readable by its owner alone."""

    def __init__(self, key: bytes, *, own: bool = True) -> None:
        self._key = key
        self.own = own
        """Whether this user made the key; root may read one that somebody else made, and knows."""

    @classmethod
    def open(cls, directory: Path, *, name: str = "seal") -> Seal:
        """Read the key, making it on first use; of two processes that make it at once, one wins and both use it."""
        path = directory / f"{name}.key"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                with suppress(FileExistsError):
                    write_whole(path, secrets.token_bytes(SIZE), fresh=True)
            key, owner = _read(path)
            return cls(key, own=owner == os.geteuid())
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror or error}", fix="set MAYFLY_STATE_DIR to a directory of your own"
            ) from None

    def of(self, text: str) -> str:
        """Return the seal of *text*."""
        return self.of_bytes(text.encode()).hex()

    def holds(self, text: str, seal: str) -> bool:
        """Whether *seal* was made for *text* with this key."""
        return hmac.compare_digest(self.of(text).encode(), seal.encode())

    def of_bytes(self, data: bytes) -> bytes:
        """Return the seal of *data*."""
        return hmac.digest(self._key, data, "sha256")

    def holds_bytes(self, data: bytes, seal: bytes) -> bool:
        """Whether *seal* was made for *data* with this key."""
        return hmac.compare_digest(self.of_bytes(data), seal)


def _read(path: Path) -> tuple[bytes, int]:
    with open_plain(path) as file:
        about = os.fstat(file.fileno())
        if stat.S_IMODE(about.st_mode) & 0o077:
            raise StoreError(f"{path} can be read by others", fix=f"chmod 600 {path}, or remove it to start afresh")
        key = file.read(SIZE + 1)
    if len(key) != SIZE:
        raise StoreError(f"{path} is damaged", fix="remove it; what was sealed with it then counts no more")
    return key, about.st_uid


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
            found = _read_own_file(self._path(key))
            data = memoryview(found)[_SEAL:]
            if self._opened().holds_bytes(self._named(key, data), found[:_SEAL]):
                return bytes(data)
        return None

    def put(self, key: str, data: bytes) -> None:
        """Keep *data* under *key*; where nothing can be written, nothing is kept."""
        with suppress(OSError, StoreError):
            seal = self._opened().of_bytes(self._named(key, data))
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # After a crash the seal tells half a file from a whole one.
            write_whole(self._path(key), seal + data, durable=False)
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


def _read_own_file(path: Path) -> bytes:
    with open_plain(path) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size > LARGEST:
            raise StoreError(f"{path} is not a file of ours")
        return file.read(LARGEST)
