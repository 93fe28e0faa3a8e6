"""Where a job about data writes what does not fit into memory: a directory on the host that goes with the job."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox._data import Input, mapped
from mayfly.sandbox._python import wait_for_end
from mayfly.sandbox._workspace import Usage, Watch
from mayfly.sandbox.jail import _wire
from mayfly.sandbox.jail._walls import anybody_can_enter

_PREFIX = "mayfly-data-"
_ELSEWHERE = "set sandbox.data_directory"
# Seconds until a directory without a process is a leftover, and not one that is just being made.
_LEFTOVER = 60.0
# DuckDB spills to a few files that it fills; a program that makes many does something else.
_MOST_FILES = 10_000


class Scratch:
    """The directory of one job: locked while its process lives, watched while the job runs."""

    def __init__(self, settings: SandboxSettings, *, handed_on: bool) -> None:
        """Make the directory; one that is *handed_on* is for a user that can enter what everybody can enter."""
        place = _place(settings)
        _remove_leftovers(place)
        try:
            if handed_on and not anybody_can_enter(place):
                raise PermissionError(errno.EACCES, "it is closed to the user that root steps down to")
            self.path = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
            self._lock = _lock(self.path)
            os.mkdir(f"{self.path}/spill", 0o700)
        except OSError as error:
            raise InputError(f"{place}: {error.strerror}", fix=_ELSEWHERE) from None
        budget = Usage(settings.data_spill, _MOST_FILES)
        self.watch = Watch(f"{self.path}/spill", budget, "the job has written", "(sandbox.data_spill)")

    def setup(self, inputs: Collection[Input], processor: int, memory: int) -> bytes:
        """Return the frame that tells a worker what it is given."""
        files = [(one.path, one.name, one.device, one.inode) for one in inputs]
        limits = {"processor": processor, "memory": memory, "mapped": mapped(memory)}
        told = {"files": files, "scratch": self.path, **limits}
        text = json.dumps(told).encode()
        return _wire.SETUP.pack(len(text)) + text

    def remove(self, process: int) -> None:
        """Remove the directory, as soon as the process with that descriptor, which was killed, writes no more."""
        self.watch.close()
        wait_for_end(process)
        with contextlib.suppress(RecursionError):  # where nothing but Landlock keeps a job from making directories
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _place(settings: SandboxSettings) -> str:
    """Return where such directories are made: on a disk, as /tmp often is not."""
    named = settings.data_directory or os.environ.get("TMPDIR")
    return os.path.realpath(named or ("/var/tmp" if os.access("/var/tmp", os.W_OK) else tempfile.gettempdir()))


def _lock(path: str) -> int:
    """Lock a directory for as long as this process lives; an `OSError` where another has it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@functools.cache
def _remove_leftovers(place: str) -> None:
    """Remove, once, the directories of processes that were killed and could not do it."""
    for path in Path(place).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # somebody's, whom it serves or belongs to
            if time.time() - path.lstat().st_mtime > _LEFTOVER:
                lock = _lock(str(path))
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)
