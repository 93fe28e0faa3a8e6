"""The engine of one machine: one worker, its jobs in threads of this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from uuid import uuid4

from mayfly.core import Settings
from mayfly.promise._job import Done, Job, Worker
from mayfly.promise.engines._runner import Runner, Sleep, WorkerLost, failure, insist


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
