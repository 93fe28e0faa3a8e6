"""Which branch is checked out in a workspace, read from its files without running git."""

import os
import re
import stat
from typing import Final

_LARGEST: Final = 1024
_HEAD: Final = re.compile(r"ref: refs/heads/([A-Za-z0-9][A-Za-z0-9._/+@=-]{0,199})\s*")


class Branch:
    """Read the branch of one workspace again only when the file that says it has changed."""

    def __init__(self, workspace: str) -> None:
        self._directory = os.path.join(workspace, ".git")
        self._mark: tuple[int, int, int] | None = None
        self._name: str | None = None

    def name(self) -> str | None:
        """Return the branch; None where there is none, or where its file is not plainly there."""
        try:
            found = os.lstat(os.path.join(self._directory, "HEAD"))
        except (OSError, ValueError):
            return None
        mark = (found.st_ino, found.st_mtime_ns, found.st_size)
        if mark != self._mark:
            self._mark, self._name = mark, self._read()
        return self._name

    def _read(self) -> str | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            directory = os.open(self._directory, flags | os.O_DIRECTORY)
        except OSError:
            return None
        try:
            descriptor = os.open("HEAD", flags, dir_fd=directory)
        except OSError:
            return None
        finally:
            os.close(directory)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            text = file.read(_LARGEST).decode("utf-8", "replace")
        said = _HEAD.fullmatch(text)
        return said[1] if said else None
