"""What lives on a node of a Ray cluster: one worker, its environment scrubbed, its answers plain data.

Nothing is imported here that might read the environment; the settings and the maker of the worker arrive as bytes and
are only unpacked when the environment is clean. They hold the database's URL, so they are never printed.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mayfly.core import Cost, Proof
from mayfly.promise._job import Done, Job
from mayfly.promise.engines._lost import WorkerLost
from mayfly.promise.engines._runner import Runner
from mayfly.promise.engines._scrub import scrub

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.promise._job import Worker


class Host:
    """Own the one worker of a node, which does as many jobs at once as there are *slots*."""

    def __init__(self, packed: bytes, keep: Collection[str], slots: int) -> None:
        scrub(keep)
        self._slots = threading.Semaphore(slots)
        self._runner: Runner | None = None
        self._error: str | None = None
        try:
            settings, make_worker = _unpack(packed)
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"
            return
        try:
            self._runner = Runner(make_worker(settings))
        except Exception as error:
            self._error = without_secret(f"{type(error).__name__}: {error}", settings)

    def hello(self) -> dict[str, Any]:
        """Say who this is, and what kept the worker from being made."""
        return {"host": socket.gethostname(), "pid": os.getpid(), "error": self._error}

    def do(self, call: str, job: dict[str, Any], data: bytes | None = None) -> dict[str, Any]:
        """Do a job and return its end as plain data."""
        if self._runner is None:
            return {"lost": self._error or "it was closed"}
        try:
            with self._slots:
                done = self._runner.do(call, Job.from_json(job), data)
        except WorkerLost as lost:
            return {"lost": lost.message}
        return {"done": done_to_data(done)}

    def cancel(self, call: str, job: str) -> None:
        """Stop a job."""
        if self._runner is not None:
            self._runner.cancel(call, job)

    def close(self) -> None:
        """End the worker's processes and connections."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()


def _unpack(packed: bytes) -> tuple[Settings, Callable[[Settings], Worker]]:
    unpacked: tuple[Settings, Callable[[Settings], Worker]] = pickle.loads(packed)
    return unpacked


def without_secret(text: str, settings: Settings) -> str:
    """Return *text* without the database's URL."""
    url = settings.store.database_url
    return text.replace(url, "the database") if url else text


def done_to_data(done: Done) -> dict[str, Any]:
    """Return plain data; the value, which may be large, is not copied."""
    data = {name: getattr(done, name) for name in done.__dataclass_fields__}
    data["proof"] = asdict(done.proof) if done.proof else None
    data["cost"] = done.cost.to_json()
    return data


def done_from_data(data: Mapping[str, Any]) -> Done:
    """Read what `done_to_data` wrote."""
    fields = dict(data)
    fields["proof"] = Proof.from_json(fields["proof"]) if fields.get("proof") else None
    fields["cost"] = Cost.from_json(fields["cost"])
    return Done(**fields)
