"""The engine of many machines: each leaf is a task of Ray, which places it, queues it and retries it elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from mayfly.core import InputError, Settings
from mayfly.promise._job import Done, Job, Part, Worker
from mayfly.promise.engines._connect import ClusterConnection, last_line
from mayfly.promise.engines._host import do_leaf
from mayfly.promise.engines._local import EngineLost, Sleep, WorkerLost, failure, insist

# How often it is looked whether the cluster still answers, and how often in a row it may not.
CHECK_SECONDS = 5.0
MOST_SILENCES = 2


class RayEngine:
    """Do leaves as tasks of Ray, one core each, spread over the nodes.

    The part of a file that a job is about is read here and travels with it, so nodes share no file system. Ray does a
    task whose process or node was lost again elsewhere, `promise.retries` times. Calls may come from any event loop.
    """

    name = "ray"

    def __init__(
        self,
        settings: Settings,
        connection: ClusterConnection,
        make_worker: Callable[[Settings], Worker],
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._connection = connection
        self._sleep = sleep
        self._id = uuid4().hex
        self._ray = connection.ray
        here = replace(settings, promise=replace(settings.promise, engine="local"), sources={})
        self._packed: Any = self._ray.put(import_module("ray.cloudpickle").dumps((here, make_worker)))
        names = settings.promise.ray_keep.split(",")
        self._keep = frozenset(name.strip() for name in names if name.strip())
        self._task = self._ray.remote(num_cpus=1, max_retries=settings.promise.retries, scheduling_strategy="SPREAD")(
            do_leaf
        )

    async def do(self, job: Job) -> Done:
        """Have *job* done on some node; cancelling this stops the work there."""
        return await insist(job, lambda: self._once(job), settings=self._settings.promise, sleep=self._sleep)

    def cores(self) -> int:
        """Return how many cores the cluster has, of which a leaf takes one."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    async def aclose(self) -> None:
        """Let go of the cluster, which goes on; Ray ends the processes of whoever has left."""
        self._packed = None
        await asyncio.to_thread(self._connection.close)

    async def _once(self, job: Job) -> Done:
        if self._packed is None:
            # Ray would start a cluster of its own for a task that comes after the connection was closed.
            raise self._lost(job, "the engine was closed")
        try:
            data = await asyncio.to_thread(read_part, job.part) if job.part else None
        except (OSError, InputError) as error:
            return failure(InputError(str(error)) if isinstance(error, OSError) else error)
        try:
            shared = None if data is None else await asyncio.to_thread(self._ray.put, data)
            done = await self._answer(self._send(job, shared), job)
        except self._ray.exceptions.RayTaskError as error:
            return failure(RuntimeError(last_line(error)))
        except self._ray.exceptions.RayError as error:
            crashed = isinstance(error, self._ray.exceptions.WorkerCrashedError)
            raise self._lost(job, "its process died" if crashed else last_line(error)) from None
        except ConnectionError as error:
            raise self._lost(job, last_line(error)) from None
        if isinstance(done, str):
            raise WorkerLost(done)
        assert isinstance(done, Done), "a task gives its end, or the reason of its loss"
        return done

    def _send(self, job: Job, data: Any) -> Any:
        """Hand a task in. This does not wait, so no cancelling can come between it and who waits for its end."""
        plain = replace(job, context=dict(job.context))
        return self._task.remote(self._id, self._packed, self._keep, plain, data)

    async def _answer(self, sent: Any, job: Job) -> Any:
        """Return what the task gives; it is cancelled with this, and given up where the cluster falls silent."""
        ended: Future[Future[Any]] = Future()

        def tell(known: Future[Any]) -> None:
            if ended.set_running_or_notify_cancel():
                ended.set_result(known)

        sent.future().add_done_callback(tell)
        waiting = asyncio.wrap_future(ended)
        silences = 0
        try:
            while not (await asyncio.wait([waiting], timeout=CHECK_SECONDS))[0]:
                silences = 0 if await asyncio.to_thread(self._connection.answers) else silences + 1
                if silences == MOST_SILENCES:
                    raise self._lost(job, "the cluster does not answer")
        except asyncio.CancelledError:
            with suppress(Exception):
                self._ray.cancel(sent)
            raise
        finally:
            waiting.cancel()
        return waiting.result().result()

    def _lost(self, job: Job, reason: str) -> EngineLost:
        return EngineLost(job.id, self._settings.promise.retries + 1, reason)


def read_part(part: Part) -> bytes:
    """Return the bytes of *part*."""
    with Path(part.path).open("rb") as file:
        file.seek(part.start)
        data = file.read(part.stop - part.start)
    if len(data) != part.stop - part.start:
        raise InputError(f"{part.path}: it became shorter while it was read")
    return data
