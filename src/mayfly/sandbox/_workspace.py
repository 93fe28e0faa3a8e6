"""Hold a directory that jobs write to to a size and a number of files: the kernel limits single files only.

A thread looks at the whole while jobs write to it, and ends those that are at work when it has grown beyond its budget.
One that was larger before a job may stay so, and not grow. Between two looks a job can write as much as the disk takes
in that time; what it wrote stays, for whoever owns the workspace to remove.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from typing import NamedTuple, Protocol

from mayfly.sandbox._python import pid_of

# Seconds between two looks; where a look takes long, so many times as long as it took.
_PAUSE = 0.02
_SHARE = 20
# What a job begins with is looked at anew where that takes no longer; it must not be blamed for what others wrote.
_QUICK = 0.05
_BLOCK = 512


class Usage(NamedTuple):
    """What a workspace holds: bytes on disk, files with directories, and directories of ours that are closed to us."""

    size: int
    files: int
    closed: int = 0


class Writer(Protocol):
    """A worker whose job may write: its process by a descriptor, and how it is ended."""

    process: int

    def kill(self) -> None:
        """End it."""


class Watched:
    """A job that may write: what its workspace may hold, and why it was ended if it was."""

    def __init__(self, worker: Writer, limit: Usage) -> None:
        self.worker = worker
        self.limit = limit
        self.reason = ""


class Watch:
    """The jobs that may write to one directory, and what it may hold by them."""

    def __init__(self, path: str, budget: Usage, said: str = "the workspace holds", setting: str = "") -> None:
        """Hold *path* to *budget*; *said* and *setting* begin and end the reason why a job was ended."""
        self._path = path
        self._budget = budget
        self._said = said
        self._setting = f" {setting}" if setting else ""
        self._changed = threading.Condition()
        self._active: list[Watched] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self._seen = Usage(0, 0)
        self._seen_at = float("-inf")
        self._cost = 0.0

    def begin(self, worker: Writer) -> Watched:
        """Note what the workspace holds and watch it from now on."""
        if self._cost <= _QUICK:
            self._seen_at = float("-inf")
        held = self._look([], most=None)
        limit = Usage(max(self._budget.size, held.size), max(self._budget.files, held.files), held.closed)
        watched = Watched(worker, limit)
        with self._changed:
            self._active.append(watched)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="mayfly-workspace", daemon=True)
                self._thread.start()
            self._changed.notify()
        return watched

    def end(self, watched: Watched) -> str:
        """Look once more; return why the job counts as failed, or nothing."""
        self.forget(watched.worker)
        self._seen_at = float("-inf")  # what it wrote since the last look counts, however long another look takes
        self._judge([watched], self._look([watched], most=watched.limit.files))
        if watched.reason:
            # It went on writing after the look that ended it, and that is not for the next job to answer for.
            self._seen_at = float("-inf")
        return watched.reason

    def forget(self, worker: Writer) -> None:
        """Watch this job no longer."""
        with self._changed:
            self._active = [watched for watched in self._active if watched.worker is not worker]

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._active or self._closed)
                if self._closed:
                    return
                active = list(self._active)
            time.sleep(max(_PAUSE, _SHARE * self._cost))
            usage = self._look(active, most=max(watched.limit.files for watched in active))
            with self._changed:
                still = [watched for watched in active if watched in self._active]
                self._judge(still, usage)
                for watched in still:
                    if watched.reason:
                        watched.worker.kill()

    def _judge(self, jobs: list[Watched], usage: Usage) -> None:
        for watched in jobs:
            if usage.size > watched.limit.size:
                watched.reason = f"{self._said} more than its limit of {watched.limit.size} bytes{self._setting}"
            elif usage.files > watched.limit.files:
                watched.reason = f"{self._said} more than its limit of {watched.limit.files} files{self._setting}"
            elif usage.closed > watched.limit.closed:
                watched.reason = "a directory of the workspace was closed, so that nobody can see what it holds"

    def _look(self, jobs: list[Watched], *, most: int | None) -> Usage:
        """Return what there is; a workspace that takes long to look at is looked at now and then only."""
        began = time.monotonic()
        if began - self._seen_at > _SHARE * self._cost:
            usage = measure(self._path, most)
            self._seen, self._seen_at = usage, time.monotonic()
            self._cost = self._seen_at - began
        hidden = sum(_nameless(watched.worker, self._path) for watched in jobs)
        return self._seen._replace(size=self._seen.size + hidden)


def measure(path: str, most: int | None = None) -> Usage:
    """Add up what is below *path*, links not followed; stop above *most* files.

    A directory that cannot be looked into (its name is longer than the kernel takes) counts as more than any limit: it
    was made so on purpose.
    """
    size = files = closed = 0
    todo = [path]
    while todo and (most is None or files <= most):
        place = todo.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    files += 1
                    with contextlib.suppress(FileNotFoundError):
                        size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # it went away meanwhile
        except PermissionError:
            closed += _is_ours(place)  # what is another's was not made by a job: jobs are us, or less
        except OSError:
            files += most or 0
    return Usage(size, files, closed)


def _is_ours(path: str) -> bool:
    try:
        return os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return False


def _nameless(worker: Writer, path: str) -> int:
    """Return the bytes of files that a job has removed and still holds open."""
    total = 0
    with contextlib.suppress(OSError):  # it has ended, or its descriptors are not ours to see
        device = os.stat(path).st_dev
        place = f"/proc/{pid_of(worker.process)}/fd"
        for name in os.listdir(place):
            with contextlib.suppress(OSError):
                found = os.stat(f"{place}/{name}")
                if stat.S_ISREG(found.st_mode) and not found.st_nlink and found.st_dev == device:
                    total += found.st_blocks * _BLOCK
    return total
