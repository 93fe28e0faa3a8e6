"""One source, many arguments: a few at a time, the results in the order of the arguments."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Literal, Protocol

from mayfly.core import InputError
from mayfly.sandbox._job import Ticket
from mayfly.sandbox._result import Lane, Result

Per = Literal["item", "batch"]
# Arguments that are taken from an iterator beyond those whose results are awaited: so many for each one at work keep
# all of them busy while the caller looks at a result.
_AHEAD = 2


class Run(Protocol):
    """`Sandbox.run`, with all but these said already."""

    def __call__(self, argument: object, *, lane: Lane, tenant: str, ticket: Ticket) -> Result:
        """Run the source once."""


def check(per: Per, at_once: int) -> None:
    """Raise an `InputError` for what cannot be meant."""
    if per not in ("item", "batch"):
        raise InputError(f"a worker is for each item or for a batch, not {per!r}", fix="use item or batch")
    if at_once < 1:
        raise InputError(f"at_once must be a number of jobs above 0, not {at_once!r}")


def run_each(
    run: Run, release: Callable[[str], None], arguments: Iterable[object], *, per: Per, at_once: int
) -> Iterator[Result]:
    """Yield the results of *run* for each of *arguments*; whoever stops listening ends what still runs."""
    lane: Lane = "one-shot" if per == "item" else "pinned"
    # A name nobody else uses for each thread: with it a worker is found again, and by nobody else.
    tenants = [f"map {os.urandom(16).hex()}" for _ in range(at_once)]
    free: SimpleQueue[str] = SimpleQueue()
    for tenant in tenants:
        free.put(tenant)
    waiting: deque[tuple[Future[Result], Ticket]] = deque()

    def call(argument: object, ticket: Ticket) -> Result:
        tenant = free.get()
        try:
            return run(argument, lane=lane, tenant=tenant, ticket=ticket)
        finally:
            free.put(tenant)

    with ThreadPoolExecutor(at_once, "mayfly-map") as threads:
        try:
            for argument in arguments:
                if len(waiting) >= at_once * _AHEAD:
                    yield waiting[0][0].result()
                    waiting.popleft()
                ticket = Ticket()
                waiting.append((threads.submit(call, argument, ticket), ticket))
            while waiting:
                yield waiting[0][0].result()
                waiting.popleft()
        finally:
            for future, ticket in waiting:
                future.cancel()
                ticket.cancel()
            threads.shutdown()
            for tenant in tenants:
                release(tenant)


def cores(most: int) -> int:
    """Return how many jobs at once keep this machine busy, no more than *most*."""
    with contextlib.suppress(AttributeError):  # only Linux says how many of its cores are ours
        return min(most, len(os.sched_getaffinity(0)))
    return min(most, os.cpu_count() or 1)
