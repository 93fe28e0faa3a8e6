"""A worker that is gone: the leaf it held is tried again elsewhere, for a while."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from mayfly.core import MayflyError, PromiseSettings
from mayfly.promise._job import Done, Job

Sleep = Callable[[float], Awaitable[None]]
HURRY = 0.1


class WorkerLost(MayflyError):
    """The worker itself is gone, whatever the leaf was; a worker raises it where its own machinery died."""

    code: ClassVar[str] = "WORKER_LOST"


class EngineLost(MayflyError):
    """No worker lived long enough to do a leaf, however often it was tried."""

    code: ClassVar[str] = "ENGINE_LOST"

    def __init__(self, job: str, attempts: tuple[str, ...]) -> None:
        times = f"{len(attempts)} time{'s' if len(attempts) != 1 else ''}"
        last = attempts[-1] if attempts else "it was never tried"
        super().__init__(f"{job}: its worker was lost {times}, last: {last}")
        self.job = job
        self.attempts = attempts

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.job, self.attempts)


async def insist(
    job: Job,
    once: Callable[[int], Awaitable[Done]],
    *,
    settings: PromiseSettings,
    sleep: Sleep,
    idle: Callable[[], bool] = lambda: False,
) -> Done:
    """Await `once(attempt)` until it answers, longer apart each time; *idle* says that another worker is free."""
    attempts: list[str] = []
    for attempt in range(settings.retries + 1):
        try:
            return await once(attempt)
        except WorkerLost as lost:
            attempts.append(lost.message)
        if attempt < settings.retries:
            delay = settings.retry_delay * settings.retry_factor**attempt
            await sleep(delay * HURRY if idle() else delay)
    raise EngineLost(job.id, tuple(attempts))
