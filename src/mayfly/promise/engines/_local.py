"""The engine of one machine: one worker, its jobs in threads of this process; a lost worker is replaced."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import ClassVar

from mayfly.core import MayflyError, PromiseSettings, Settings, Stop
from mayfly.promise._job import Done, Job, Worker

Sleep = Callable[[float], Awaitable[None]]
CANCELLED = Done(status="collapsed", reason="cancelled", code="CANCELLED")
# Whoever cancels waits so long for a job to end; what does not heed its stop is left to finish.
GRACE = 2.0


class WorkerLost(MayflyError):
    """The worker itself is gone, whatever the leaf was; a worker raises it where its own machinery died."""

    code: ClassVar[str] = "WORKER_LOST"


class EngineLost(MayflyError):
    """No worker lived long enough to do a leaf, however often it was tried."""

    code: ClassVar[str] = "ENGINE_LOST"

    def __init__(self, job: str, attempts: int, last: str) -> None:
        times = f"{attempts} time{'s' if attempts != 1 else ''}"
        super().__init__(f"{job}: its worker was lost {times}, last: {last}")
        self.job = job
        self.attempts = attempts
        self.last = last

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.job, self.attempts, self.last)


async def insist(job: Job, once: Callable[[], Awaitable[Done]], *, settings: PromiseSettings, sleep: Sleep) -> Done:
    """Await `once()` until it answers, longer apart each time it raises `WorkerLost`."""
    for attempt in range(settings.retries):
        try:
            return await once()
        except WorkerLost:
            await sleep(settings.retry_delay * settings.retry_factor**attempt)
    try:
        return await once()
    except WorkerLost as lost:
        raise EngineLost(job.id, settings.retries + 1, lost.message) from None


def failure(error: Exception) -> Done:
    """Return the end of a leaf whose worker could not be made or raised, which it never should."""
    if isinstance(error, MayflyError):
        return Done(status="failed", reason=str(error), code=error.code)
    return Done(status="failed", reason=f"unexpected {type(error).__name__}: {error}", code="WORKER")


def do_job(worker: Worker, job: Job, data: bytes | None, stop: Stop) -> Done:
    """Have *job* done; only `WorkerLost` is raised, anything else the worker raises is a failure with its reason."""
    if stop.cancelled:
        return CANCELLED
    try:
        return worker.do(job, data, stop=stop)
    except WorkerLost:
        raise
    except Exception as error:
        return failure(error)


class LocalEngine:
    """Do leaves here, as many at once as the settings allow.

    The worker is made when the first leaf needs it and replaced when it was lost. Calls may come from any event loop.
    """

    name = "local"

    def __init__(
        self, settings: Settings, make_worker: Callable[[Settings], Worker], *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._settings = settings
        self._make_worker = make_worker
        self._sleep = sleep
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._threads = ThreadPoolExecutor(settings.promise.parallel, thread_name_prefix="mayfly-leaf")

    async def do(self, job: Job) -> Done:
        """Have *job* done in a thread; cancelling this stops the work itself."""
        return await insist(job, lambda: self._once(job), settings=self._settings.promise, sleep=self._sleep)

    def cores(self) -> int:
        """Return how many cores this process may use."""
        return len(os.sched_getaffinity(0))

    async def aclose(self) -> None:
        """End the worker, which ends its jobs, then the threads."""
        await asyncio.to_thread(self._close)

    async def _once(self, job: Job) -> Done:
        stop = Stop()
        future = self._threads.submit(copy_context().run, self._work, job, stop)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancel():
                await asyncio.to_thread(stop.cancel)
                await asyncio.to_thread(wait, [future], GRACE)
            raise

    def _work(self, job: Job, stop: Stop) -> Done:
        try:
            worker = self._open_worker()
        except Exception as error:
            return failure(error)
        try:
            return do_job(worker, job, None, stop)
        except WorkerLost:
            self._drop(worker)
            raise

    def _open_worker(self) -> Worker:
        with self._lock:
            if self._worker is None:
                self._worker = self._make_worker(self._settings)
            return self._worker

    def _drop(self, lost: Worker) -> None:
        """Forget a worker that is gone; of several jobs that lost it, only the first does so."""
        with self._lock:
            if self._worker is not lost:
                return
            self._worker = None
        lost.close()

    def _close(self) -> None:
        with self._lock:
            worker, self._worker = self._worker, None
        self._threads.shutdown(wait=False, cancel_futures=True)
        if worker is not None:
            worker.close()
        self._threads.shutdown(wait=True)
