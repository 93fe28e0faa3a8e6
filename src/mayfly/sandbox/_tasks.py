"""Limit threads where the kernel counts them by user only: without namespaces, and not as root."""

from __future__ import annotations

import contextlib
import os
import time

_FRESH = 1.0
_SPARE = 32


class _Count:
    """The tasks of this user as they were counted last."""

    at = float("-inf")
    tasks = 0


def limit(threads: int) -> int:
    """Return the limit that leaves a job about *threads*: what the user runs now, and a little for what may come."""
    if time.monotonic() - _Count.at > _FRESH:
        _Count.tasks, _Count.at = _count(), time.monotonic()
    return _Count.tasks + threads + _SPARE


def _count() -> int:
    total, user = 0, os.getuid()
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                total += len(os.listdir(f"/proc/{entry.name}/task"))
    return total
