"""A claim by a lock on a file, which the kernel takes back when the process that holds it ends."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mayfly.core import StoreError
from mayfly.store._claim import holder_words
from mayfly.store._database import ELSEWHERE
from mayfly.store._oslock import is_locked, try_lock, unlock
from mayfly.store._rows import identity

# Who holds a claim is host, process and token; somebody else's file may hold anything, and no more of it is read.
_LONGEST = 200


class FileRight:
    """Hold *path* locked; the name of the holder stands in it for whoever comes second."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> str | None:
        """Lock the file, making it where needed."""
        self.leave()
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            while (file := self._open()) is not None:
                if self._is(file):
                    self._file = file
                    return None
                # Its last holder took it away after it was opened and before it was locked.
                os.close(file)
            return holder_words(self._holder())
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror or error}", fix=ELSEWHERE) from None

    def holds(self) -> bool:
        """Whether the locked file is still the one others would lock."""
        return self._file is not None and self._is(self._file)

    def drop(self) -> None:
        """Take the file away while it is locked, so that claims leave nothing behind, then let it go."""
        if self._file is None:
            return
        with suppress(OSError):
            if self._is(self._file):
                self._path.unlink()
            # A process just being started may have the file open for an instant longer.
            unlock(self._file)
        self.leave()

    def leave(self) -> None:
        """Close the file, which unlocks it only where no other process has it open by inheritance."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)

    def _open(self) -> int | None:
        """Return the file, open and locked, with our name in it; None where another has it locked."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if not try_lock(file):
                os.close(file)
                return None
        except BaseException:
            os.close(file)
            raise
        # The name is for messages alone: a full disk is no reason not to hold the lock.
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, identity(os.getpid()).encode(), 0)
        return file

    def _is(self, file: int) -> bool:
        """Whether *file* is what others find at the path."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(file), os.stat(self._path, follow_symlinks=False))
        return False

    def _holder(self) -> str:
        with suppress(OSError):
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                return os.read(file, _LONGEST).decode("utf-8", "replace")
            finally:
                os.close(file)
        return ""


def claimed_files(folder: Path, names: Iterable[str]) -> set[str]:
    """Return which of the names are claimed at this moment; looking takes no lock."""
    return {name for name in names if _is_claimed(folder / name)}


def _is_claimed(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return is_locked(file)
    finally:
        os.close(file)
