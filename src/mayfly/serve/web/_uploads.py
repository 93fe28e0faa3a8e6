"""Uploaded files: kept below the state directory as long as their runs may want them, under names of our own."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from mayfly.core import InputError, Settings

_PIECE = 1024 * 1024
# What of a file's own name is kept: its ending decides how it is read, and the rest is for people.
_KEPT = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


class Uploads:
    """Keep uploaded files, each in a directory of its own."""

    def __init__(self, settings: Settings) -> None:
        self._home = settings.state.absolute() / "uploads"
        self._seconds = settings.web.uploads * 86_400

    def keep(self, name: str, source: BinaryIO) -> Path:
        """Write what *source* holds and return where; nothing of *name* but letters and its ending is used."""
        plain = _KEPT.sub("_", name.replace("\\", "/").rpartition("/")[2]).lstrip(".")[-_LONGEST:] or "upload"
        # A server that runs for months gets rid of old files whenever new ones come.
        self.sweep()
        place = self._home / secrets.token_hex(8)
        try:
            place.mkdir(parents=True, mode=0o700)
            with (place / plain).open("xb") as file:
                shutil.copyfileobj(source, file, _PIECE)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise InputError(f"the file could not be kept: {error.strerror}") from None
        return place / plain

    def drop(self, path: Path) -> None:
        """Remove one file."""
        if path.parent.parent == self._home:
            shutil.rmtree(path.parent, ignore_errors=True)

    def sweep(self) -> None:
        """Remove files that nobody has asked for in time."""
        until = time.time() - self._seconds
        for place in self._home.glob("*") if self._home.is_dir() else ():
            with suppress(OSError):
                if place.stat().st_mtime < until:
                    shutil.rmtree(place, ignore_errors=True)
