"""Find and end exactly the processes of one cluster: each carries the cluster's mark in its environment."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

MARK = "MAYFLY_RAY_CLUSTER"
GRACE = 2.0


def started(pid: int) -> int | None:
    """Return when process *pid* began, in ticks since boot: with the pid it names one process for ever."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def marked(mark: str) -> list[int]:
    """Return every living process whose environment carries *mark*."""
    wanted = f"{MARK}={mark}".encode()
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if pid != os.getpid() and wanted in _environment(pid)]


def carries(pid: int, mark: str) -> bool:
    """Say whether *pid* is a living process with *mark*."""
    return started(pid) is not None and f"{MARK}={mark}".encode() in _environment(pid)


def end(mark: str, first: int | None, *, seconds: float) -> int:
    """Ask process *first* to end the others, then end what is left of *mark*; returns how many had to be killed."""
    if first is not None:
        _signal(first, mark, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while (left := marked(mark)) and time.monotonic() < deadline:
            # What outlives the one that was to end it by this much will not end by itself.
            deadline = deadline if first in left else min(deadline, time.monotonic() + GRACE)
            time.sleep(0.1)
            _reap(first)
    left = marked(mark)
    killed = len(left)
    while left:
        for pid in left:
            _signal(pid, mark, signal.SIGKILL)
        time.sleep(0.05)
        left = marked(mark)
    return killed


def _reap(pid: int) -> None:
    """Let a child of this process that ended be forgotten; anybody else's is not ours to wait for."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _signal(pid: int, mark: str, number: int) -> None:
    """Send a signal to *pid* if it still is the process that carries *mark*, and to no process that took its number."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if carries(pid, mark):
            signal.pidfd_send_signal(handle, number)
    except OSError:
        return
    finally:
        os.close(handle)


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
