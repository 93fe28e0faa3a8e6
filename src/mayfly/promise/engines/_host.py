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
from uuid import uuid4

from mayfly.promise.engines._local import Runner, WorkerLost
from mayfly.promise.engines._scrub import scrub

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.promise._job import Done, Job

# Ray cancels a task by a simulated signal, which is only seen between two waits: so none of them is longer.
LONGEST_WAIT = 0.2


class _Process:
    """The one worker of this process, and the engine it was made for."""

    engine: str = ""
    runner: Runner | None = None


def do_leaf(engine: str, packed: bytes, keep: Collection[str], job: Job, data: bytes | None) -> Done | str:
    """Do *job* and return its end, or the reason where the worker itself is lost; cancelling the task stops the work.

    Ray keeps the process for further tasks, and the worker stays with it for as long as the engine is the same.
    """
    if _Process.engine != engine:
        _close_worker()
    try:
        _Process.runner = runner = _Process.runner or _make_runner(packed, keep)
        _Process.engine = engine
        return _run(runner, job, data)
    except WorkerLost as lost:
        _close_worker()
        return f"{socket.gethostname()}: {lost.message}"


def _run(runner: Runner, job: Job, data: bytes | None) -> Done:
    call, cancelled = uuid4().hex, False
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(runner.do, call, job, data)
        # Ray cancels by interrupting, at whatever line this is, and again every few seconds until the task has ended.
        while True:
            try:
                while not done.done():
                    if cancelled:
                        runner.cancel(call, job.id)
                    wait([done], LONGEST_WAIT)
                return done.result()
            except KeyboardInterrupt:
                cancelled = True


def _make_runner(packed: bytes, keep: Collection[str]) -> Runner:
    scrub(keep)
    try:
        settings, make_worker = pickle.loads(packed)
    except Exception as error:
        raise WorkerLost(f"{type(error).__name__}: {error}") from None
    try:
        return Runner(make_worker(settings))
    except Exception as error:
        raise WorkerLost(without_secret(f"{type(error).__name__}: {error}", settings)) from None


def _close_worker() -> None:
    runner, _Process.runner = _Process.runner, None
    if runner is not None:
        runner.close()


def without_secret(text: str, settings: Settings) -> str:
    """Return *text* without the database's URL."""
    url = settings.store.database_url
    return text.replace(url, "the database") if url else text
