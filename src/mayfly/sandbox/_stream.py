"""A result that is handed out while it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mayfly.sandbox._call import Call, MoreNeeded
from mayfly.sandbox._job import Job
from mayfly.sandbox._pool import NoWall
from mayfly.sandbox._result import Result


class Stream:
    """Iterate over the items of a result while they come; `result` says how it ended."""

    def __init__(self, items: Iterator[object]) -> None:
        self._items = items
        self.result: Result | None = None

    def __iter__(self) -> Iterator[object]:
        for item in self._items:
            if isinstance(item, Result):
                self.result = item
                return
            yield item


class Streaming:
    """A job at work; one that needs more than a lean worker has begins again, if nothing of it was handed out yet."""

    def __init__(self, job: Job, send: Callable[[Job], Call], widen: Callable[[Job, MoreNeeded], Job]) -> None:
        self._job = job
        self._send = send
        self._widen = widen
        self._call = send(job)

    def items(self) -> Iterator[object]:
        """Yield the items; the last thing yielded is the `Result`."""
        handed_out = False
        try:
            for item in self._call.items():
                handed_out = True
                yield item
        except MoreNeeded as error:
            job = self._widen(self._job, error)
            if handed_out:
                yield Result(status="error", error="the job needs a module it did not import before its first item")
            else:
                self.end()
                yield from self._again(job)

    def _again(self, job: Job) -> Iterator[object]:
        try:
            self._call = self._send(job)
        except NoWall as error:
            yield refused(str(error))
        else:
            yield from self._call.items()

    def end(self) -> None:
        """End the worker, whatever it does."""
        self._call.lease.end()


def refused(reason: str) -> Result:
    """Return the result of a job for which no sandbox could be had."""
    return Result(status="refused", error=reason, level="none")
