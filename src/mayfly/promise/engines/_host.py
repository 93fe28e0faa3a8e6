"""One leaf as a task of Ray: what runs on a node, in a process of Ray's whose environment is scrubbed first.

Nothing is imported here that might read the environment; the settings and the maker of the worker arrive as bytes and
are only unpacked when the environment is clean. They hold the database's URL, so they are never printed.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from mayfly.core import Stop
from mayfly.promise.engines._local import WorkerLost, do_job
from mayfly.promise.engines._scrub import scrub

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.promise._job import Done, Job, Worker

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
    stop, cancelled = Stop(), False
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(do_job, worker, job, data, stop)
        # Ray cancels by interrupting, at whatever line this is, and again every few seconds until the task has ended.
        while True:
            try:
                while not done.done():
                    if cancelled:
                        stop.cancel()
                    wait([done], LONGEST_WAIT)
                return done.result()
            except KeyboardInterrupt:
                cancelled = True


def _make_worker(packed: bytes, keep: Collection[str]) -> Worker:
    scrub(keep)
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
