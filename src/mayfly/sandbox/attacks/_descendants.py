"""Find and count the processes that descend from this one, orphans included."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

_SET_SUBREAPER = 36
_GET_SUBREAPER = 37


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Become the parent of descendants whose own parent dies, so that none gets out of sight."""
    libc = ctypes.CDLL(None)
    before = ctypes.c_int()
    libc.prctl(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_SET_SUBREAPER, before.value, 0, 0, 0)


def descendants(apart: Collection[int] = ()) -> set[int]:
    """Return the numbers of all living processes below this one, but for those in *apart* and what is below them."""
    parents = dict(_living())
    found: set[int] = set()
    border = {os.getpid()}
    while border:
        border = {pid for pid, parent in parents.items() if parent in border} - found - set(apart)
        found |= border
    return found


def _living() -> Iterator[tuple[int, int]]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state not in "ZX":
            yield int(name), int(parent)
