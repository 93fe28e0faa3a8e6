"""One worker that never raises and that can be stopped; where the worker itself is lost, the leaf is tried again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import ClassVar

from mayfly.core import MayflyError, PromiseSettings
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
