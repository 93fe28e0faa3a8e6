"""The values in the files of secrets of one workspace: no copy that is made of anything holds them."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from mayfly.core import MayflyError, secret_path, secret_values
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._files import open_plain
from mayfly.sandbox.workbench._journal import workspace_key
from mayfly.sandbox.workbench._masks import Masks

# A file of secrets has some lines; what is larger holds state or data, of which the first part is looked at.
_LARGEST = 256 * 1024
_MOST_FILES, _MOST_VALUES = 300, 1500


class SecretFiles:
    """The files that are masked in one workspace, read for their values; a file that changed is read again.

    A value that was known once stays known: a key that was replaced may still be in use.
    """

    def __init__(
        self, workspace: Path, *, state: Path, hidden: Path, secret: Callable[[str], object] = secret_path
    ) -> None:
        root = os.path.realpath(workspace)
        inside = os.path.relpath(os.path.realpath(hidden), root)
        cache = Path(os.path.realpath(state)) / "secrets" / f"{workspace_key(root)}.json"
        self._root = root
        self._masks = Masks(root, secret, cache, hidden="" if inside.startswith("..") else inside)
        self._seen: dict[str, tuple[int, ...]] = {}
        self._values: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def values(self) -> Mapping[str, str]:
        """Return each value with what it is: the same mapping as long as nothing was found anew."""
        return self._values

    def refresh(self) -> None:
        """Look at the files again; one that cannot be read tells nobody anything, a command included."""
        with self._lock, suppress(OSError, MayflyError):
            found = dict[str, str]()
            with Beneath(self._root) as beneath:
                for path in self._masks.find()[:_MOST_FILES]:
                    with suppress(OSError, MayflyError):
                        found |= self._read(beneath, path)
            if found.keys() - self._values.keys():
                self._values = dict(list({**self._values, **found}.items())[:_MOST_VALUES])

    def _read(self, beneath: Beneath, path: str) -> dict[str, str]:
        """Return the values in one file, nothing where it is as it was."""
        directory, name = beneath.parent(path)
        with open_plain(name, directory) as file:
            status = os.fstat(file.fileno())
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if not stat.S_ISREG(status.st_mode) or self._seen.get(path) == stamp:
                return {}
            data = file.read(_LARGEST)
        self._seen[path] = stamp
        return secret_values(data.decode("utf-8", "replace"), path)
