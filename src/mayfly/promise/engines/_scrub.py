"""Forget every secret in the environment of this process, before anything else is imported into it.

A worker of Ray inherits the environment of whoever started its node. Removing a variable from `os.environ` leaves it
in the memory that /proc shows, so it is wiped there as well.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection
from pathlib import Path

KEPT = frozenset(
    {"HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "PYTHONHOME", "PYTHONPATH", "SHELL", "TMPDIR"}
) | {"TZ", "USER", "VIRTUAL_ENV"}
KEPT_PREFIXES = ("LC_", "RAY_", "MAYFLY_RAY_", "OMP_", "SPT_")
SECRET = frozenset({"RAY_AUTH_TOKEN", "RAY_REDIS_PASSWORD"})


def is_kept(name: str, keep: Collection[str] = ()) -> bool:
    """Say whether a worker may have the variable *name*."""
    return name in keep or (name not in SECRET and (name in KEPT or name.startswith(KEPT_PREFIXES)))


def plain_environment() -> dict[str, str]:
    """Return what of this process's environment may be handed to a process that outlives it."""
    return {name: value for name, value in os.environ.items() if name in KEPT or name.startswith("LC_")}


def scrub(keep: Collection[str] = ()) -> None:
    """Remove every variable that is neither harmless nor in *keep* from this process."""
    for name in list(os.environ):
        if not is_kept(name, keep):
            del os.environ[name]
    _wipe(keep)


def _wipe(keep: Collection[str]) -> None:
    """Overwrite the removed variables where the kernel put them when this process began."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, stop = int(fields[47]), int(fields[48])
    if not 0 < start < stop:
        return
    place = start
    for entry in ctypes.string_at(start, stop - start).split(b"\0"):
        name = entry.partition(b"=")[0].decode(errors="replace")
        if entry and not is_kept(name, keep):
            ctypes.memset(place, 0, len(entry))
        place += len(entry) + 1
