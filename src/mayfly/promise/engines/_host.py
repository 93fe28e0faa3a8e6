"""One leaf as a task of Ray: what runs on a node, in a process of Ray's whose environment is scrubbed first.

Such a process inherits the environment of whoever started its node. Nothing is imported here that might read it; the
settings and the maker of the worker arrive as bytes and are only unpacked when the environment is clean. They hold the
database's URL, so they are never printed.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import socket
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import Stop
from mayfly.promise.engines._local import WorkerLost, do_job

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.promise._job import Done, Job, Worker


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
    """Overwrite the removed variables in the memory that /proc shows, where `os.environ` leaves them."""
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


# Ray cancels a task by a simulated signal, which is only seen between two waits: so none of them is longer.
LONGEST_WAIT = 0.2


class _Process:
    """The one worker of this process, and the engine it was made for."""

    engine: str = ""
    worker: Worker | None = None


def do_leaf(engine: str, packed: bytes, keep: Collection[str], job: Job, data: bytes | None) -> Done | str:
    """Do *job* and return its end, or the reason where the worker itself is lost; cancelling the task stops the work.

    Ray keeps the process for further tasks, and the worker stays with it for as long as the engine is the same.
    """
    if _Process.engine != engine:
        _close_worker()
    try:
        _Process.worker = worker = _Process.worker or _make_worker(packed, keep)
        _Process.engine = engine
        return _run(worker, job, data)
    except WorkerLost as lost:
        _close_worker()
        return f"{socket.gethostname()}: {lost.message}"


def _run(worker: Worker, job: Job, data: bytes | None) -> Done:
    stop = Stop()
    with ThreadPoolExecutor(1) as thread:
        try:
            done = thread.submit(do_job, worker, job, data, stop)
            while not done.done():
                wait([done], LONGEST_WAIT)
            return done.result()
        except KeyboardInterrupt:
            # Ray cancels by interrupting, at whatever line this is; leaving the block waits until the work has stopped.
            stop.cancel()
            raise


def _make_worker(packed: bytes, keep: Collection[str]) -> Worker:
    scrub(keep)
    # A node that was begun in the background of a shell ignores interrupts, and with them all cancelling would be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        settings, make_worker = pickle.loads(packed)
    except Exception as error:
        raise WorkerLost(f"{type(error).__name__}: {error}") from None
    try:
        worker: Worker = make_worker(settings)
    except Exception as error:
        raise WorkerLost(without_secret(f"{type(error).__name__}: {error}", settings)) from None
    return worker


def _close_worker() -> None:
    worker, _Process.worker = _Process.worker, None
    if worker is not None:
        worker.close()


def without_secret(text: str, settings: Settings) -> str:
    """Return *text* without the database's URL."""
    url = settings.store.database_url
    return text.replace(url, "the database") if url else text
