"""Processes of this machine: who is alive, who belongs to whom, and waiting for something to become true."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Long enough for a cluster to come up on a busy machine with two cores.
PATIENCE = 240.0


def until(true: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait until something is true; whether it became so."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    """Whether there is such a process that is more than a name waiting to be read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def below(pid: int) -> list[int]:
    """Return every process that descends from *pid*."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, wanted = [], [pid]
    while wanted:
        children = parents.get(wanted.pop(), [])
        found += children
        wanted += children
    return found


def kill(*pids: int) -> None:
    """Kill processes at once; those that are gone already are no matter."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def command_of(pid: int) -> bytes:
    """Return how a process was called; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def parent_of(pid: int) -> int:
    """Return the parent of a process; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def in_background(work: Callable[[], Any], *, after: float = 0.0) -> threading.Thread:
    """Do *work* in a thread that is not waited for, *after* some seconds."""
    thread = threading.Timer(after, work)
    thread.daemon = True
    thread.start()
    return thread
