"""Seals over what the store keeps: who can write the store but cannot read the key can forge nothing."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path

from mayfly.core import StoreError

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
                _make(path)
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


def _make(path: Path) -> None:
    """Write a fresh key aside and link it into place, so that nobody ever reads half of one."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SIZE))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            pass
    finally:
        aside.unlink(missing_ok=True)


def _read(path: Path) -> tuple[bytes, int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if stat.S_IMODE(about.st_mode) & 0o077:
            raise StoreError(f"{path} can be read by others", fix=f"chmod 600 {path}, or remove it to start afresh")
        key = file.read(SIZE + 1)
    if len(key) != SIZE:
        raise StoreError(f"{path} is damaged", fix="remove it; what was sealed with it then counts no more")
    return key, about.st_uid
