"""The engine of one machine: one worker, its jobs in threads of this process; a lost worker is replaced."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import ClassVar
from uuid import uuid4

from mayfly.core import MayflyError, PromiseSettings, Settings
from mayfly.promise._job import Done, Job, Worker

Sleep = Callable[[float], Awaitable[None]]
CANCELLED = Done(status="collapsed", reason="cancelled", code="CANCELLED")
# Cancelled calls that are remembered: a call that was cancelled before it began must not begin.
REMEMBERED = 10_000


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


class Runner:
    """Have jobs done by one worker, several at once, each call known by a name of its own.

    A job may be cancelled before its turn came, between its turn and the moment the worker knows of it, or after it
    ended: so a cancelled call is remembered, and the worker is told again until the call has come back.
    """

    def __init__(self, worker: Worker, *, again: float = 0.2, times: int = 100) -> None:
        self._worker = worker
        self._again = again
        self._times = times
        self._lock = threading.Lock()
        self._running: dict[str, threading.Event] = {}
        self._cancelled: OrderedDict[str, None] = OrderedDict()

    def do(self, call: str, job: Job, data: bytes | None = None) -> Done:
        """Do *job*; only `WorkerLost` is raised, anything else the worker raises is a failure with its reason."""
        ended = threading.Event()
        with self._lock:
            if call in self._cancelled:
                return CANCELLED
            self._running[call] = ended
        try:
            return self._worker.do(job, data)
        except WorkerLost:
            raise
        except Exception as error:
            return failure(error)
        finally:
            with self._lock:
                del self._running[call]
            ended.set()

    def cancel(self, call: str, job: str) -> None:
        """Stop *call*, which does *job*; returns when it has come back or never will."""
        with self._lock:
            self._cancelled[call] = None
            if len(self._cancelled) > REMEMBERED:
                self._cancelled.popitem(last=False)
            ended = self._running.get(call)
        stop: Callable[[str], object] | None = getattr(self._worker, "cancel", None)
        if ended is None or stop is None:
            return
        for _ in range(self._times):
            stop(job)
            if ended.wait(self._again):
                return

    def close(self) -> None:
        """End every process and connection of the worker."""
        self._worker.close()


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
        self._runner: Runner | None = None
        self._threads = ThreadPoolExecutor(settings.promise.parallel, thread_name_prefix="mayfly-leaf")

    async def do(self, job: Job) -> Done:
        """Have *job* done in a thread; cancelling this stops the work itself."""
        return await insist(job, lambda: self._once(job), settings=self._settings.promise, sleep=self._sleep)

    async def aclose(self) -> None:
        """End the worker, which ends its jobs, then the threads."""
        await asyncio.to_thread(self._close)

    async def _once(self, job: Job) -> Done:
        call = uuid4().hex
        begun: Future[Runner] = Future()
        future = self._threads.submit(copy_context().run, self._work, call, job, begun)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancel():
                runner = await asyncio.wrap_future(begun)
                await asyncio.to_thread(runner.cancel, call, job.id)
            raise

    def _work(self, call: str, job: Job, begun: Future[Runner]) -> Done:
        try:
            runner = self._worker()
        except Exception as error:
            begun.cancel()
            return failure(error)
        begun.set_result(runner)
        try:
            return runner.do(call, job)
        except WorkerLost:
            self._drop(runner)
            raise

    def _worker(self) -> Runner:
        with self._lock:
            if self._runner is None:
                self._runner = Runner(self._make_worker(self._settings))
            return self._runner

    def _drop(self, lost: Runner) -> None:
        """Forget a worker that is gone; of several jobs that lost it, only the first does so."""
        with self._lock:
            if self._runner is not lost:
                return
            self._runner = None
        lost.close()

    def _close(self) -> None:
        with self._lock:
            runner, self._runner = self._runner, None
        self._threads.shutdown(wait=False, cancel_futures=True)
        if runner is not None:
            runner.close()
        self._threads.shutdown(wait=True)
