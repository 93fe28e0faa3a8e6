"""`Sandbox`: the pool, the lanes and the levels behind one method, `run`."""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox import _grants, _values
from mayfly.sandbox._call import Call, Job, MoreNeeded, NotSent, Ticket
from mayfly.sandbox._grants import NO_GRANTS
from mayfly.sandbox._outfit import Outfit
from mayfly.sandbox._pinned import Pins
from mayfly.sandbox._pool import NoWall, Pool
from mayfly.sandbox._result import Lane, Level, Result
from mayfly.sandbox._spender import Spender
from mayfly.sandbox._stream import Stream, Streaming, refused

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from mayfly.sandbox._map import Per
    from mayfly.sandbox._purchases import Purchases
    from mayfly.sandbox._till import Cashier

_TRIES = 8
# Sources that are known to need all modules, by their hash; with more of them than that, it is learned anew.
_MOST_REMEMBERED = 4096
_ALL_DIE = "no sandbox could be had just now: workers die before they are given a job"


class Sandbox:
    """Run Python nobody has read, behind walls made by the kernel.

    A context manager; safe to share between threads, and usable in a child after `os.fork`. Processes start with the
    first job, not before.
    """

    def __init__(
        self,
        settings: SandboxSettings | None = None,
        *,
        level: str | None = None,
        workspace: str | Path | None = None,
        packages: _grants.Packages = tuple,
        purchases: Purchases | None = None,
        brief: bool = False,
    ) -> None:
        """Make a sandbox; a *brief* one is for a few jobs: its first comes sooner, and nothing is prepared for more.

        *packages* says which directories of packages the grant for them opens beside those of this environment.
        *purchases* is asked, in a thread, for what a job with the grant `buy` wants of the wallet.
        """
        self._settings = settings or SandboxSettings()
        self._wanted = level or self._settings.level
        if self._wanted not in ("best", "namespaces", "landlock"):
            raise InputError(f"unknown sandbox level {self._wanted!r}", fix="use best, namespaces or landlock")
        self._workspace = workspace
        self._packages = packages
        self._purchases = purchases
        self._brief = brief
        self._full: set[int] = set()
        self._begin()
        _OPEN.add(self)

    def _begin(self) -> None:
        # Not a method of ours: the finalizer holds the pool, and the pool would hold us.
        open_till = partial(_open_till, self._purchases, self._settings)
        self._pool = Pool(self._settings, self._wanted, open_till, brief=self._brief)
        self._pins = Pins(self._pool, self._settings)
        self._threads: ThreadPoolExecutor | None = None
        self._finalizer = weakref.finalize(self, _shut, self._pool, self._pins)

    def run(
        self,
        source: str | bytes,
        entry: str | None,
        argument: object = None,
        *,
        timeout: float | None = None,
        grants: Collection[str] = (),
        lane: Lane = "one-shot",
        imports: Collection[str] | None = None,
        lines: str | Path | None = None,
        memory: int | None = None,
        tenant: str = "",
        ticket: Ticket | None = None,
        spender: Spender | None = None,
    ) -> Result:
        """Run *source*, call its *entry* with *argument*, return how that ended. Never raises for what a job does.

        *entry* is a function, or a class whose `invoke` is called; None takes the only candidate. *imports* adds the
        guarded importer and builtins of tier ephemeral, None is the wall alone. *lines* hands the lines of a file in
        as the argument. A generator's results are collected; `stream` hands them out as they come. With a *ticket*
        another thread can end the job. What it buys is bought in the name of *spender*.
        """
        prepare = partial(self._prepare, source, entry, argument, timeout, grants, imports, lines, memory, spender)
        return self._run(prepare, lane, tenant, ticket)

    async def arun(
        self,
        source: str | bytes,
        entry: str | None,
        argument: object = None,
        *,
        timeout: float | None = None,
        grants: Collection[str] = (),
        lane: Lane = "one-shot",
        imports: Collection[str] | None = None,
        lines: str | Path | None = None,
        memory: int | None = None,
        tenant: str = "",
        spender: Spender | None = None,
    ) -> Result:
        """Do what `run` does without blocking the event loop; cancelling the task kills the job."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        prepare = partial(self._prepare, source, entry, argument, timeout, grants, imports, lines, memory, spender)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._settings.jobs, "mayfly-sandbox")
        ticket = Ticket()
        work = asyncio.get_running_loop().run_in_executor(self._threads, self._run, prepare, lane, tenant, ticket)
        try:
            return await work
        except asyncio.CancelledError:
            ticket.cancel()
            raise

    def map(
        self,
        source: str | bytes,
        entry: str | None,
        arguments: Iterable[object],
        *,
        per: Per = "item",
        at_once: int | None = None,
        **options: Any,
    ) -> Iterator[Result]:
        """Run *source* for each of *arguments*, *at_once* at a time (as many as cores); yield results in their order.

        Each item has a fresh worker, or, *per* "batch", a few workers share the items: faster by far, and what an item
        leaves in memory the next one in that worker can find. *options* are those of `run`. *arguments* may be endless:
        they are taken as results are.
        """
        from mayfly.sandbox._map import Batch, cores

        def run(argument: object, **how: Any) -> Result:
            return self.run(source, entry, argument, **options, **how)

        batch = Batch(run, self.release, per=per, at_once=at_once or cores(self._settings.jobs))
        return batch.results(arguments)

    def release(self, tenant: str) -> None:
        """End the pinned workers of *tenant*."""
        self._pins.release(tenant)

    @contextmanager
    def stream(
        self,
        source: str | bytes,
        entry: str | None,
        argument: object = None,
        *,
        timeout: float | None = None,
        grants: Collection[str] = (),
        imports: Collection[str] | None = None,
        lines: str | Path | None = None,
        memory: int | None = None,
        ticket: Ticket | None = None,
        spender: Spender | None = None,
    ) -> Iterator[Stream]:
        """Yield a `Stream` over the items of a generator; leaving the block ends the job, as does the *ticket*."""
        job = self._prepare(source, entry, argument, timeout, grants, imports, lines, memory, spender)
        self._pool.slots.get()
        try:
            streaming = Streaming(job, partial(self._send, ticket=ticket), self._widen)
            try:
                yield Stream(streaming.items())
            finally:
                if ticket is not None:
                    ticket.release()
                streaming.end()
        except NoWall as error:
            yield Stream(iter([refused(str(error))]))
        finally:
            self._pool.slots.put(None)

    def _prepare(
        self,
        source: str | bytes,
        entry: str | None,
        argument: object,
        timeout: float | None,
        grants: Collection[str],
        imports: Collection[str] | None,
        lines: str | Path | None,
        memory: int | None,
        spender: Spender | None,
    ) -> Job:
        timeout = self._settings.timeout if timeout is None else timeout
        if not (isinstance(timeout, (int, float)) and 0 < timeout < math.inf):
            raise InputError(f"timeout must be a number of seconds above 0, not {timeout!r}")
        if memory is not None and not 0 < memory <= self._settings.memory:
            raise InputError(f"memory must be from 1 to {self._settings.memory} bytes, not {memory!r}")
        if lines is not None and argument is not None:
            raise InputError("lines are the argument: give one of the two")
        if isinstance(imports, str) or isinstance(grants, str):
            raise InputError("imports and grants are collections of names, not one string")
        if isinstance(source, str):
            try:
                source = source.encode()
            except UnicodeEncodeError as error:
                raise _values.BadValue(f"the source is not text: lone surrogate at character {error.start}") from None
        encoded = _values.encode(argument)
        if len(source) + len(encoded) > self._settings.source:
            raise _values.BadValue(f"source and argument are larger than the limit of {self._settings.source} bytes")
        allowed = None if imports is None else frozenset(imports)
        parsed = _grants.parse(tuple(grants), self._workspace, more=self._packages) if grants else NO_GRANTS
        full = hash(source) in self._full
        return Job(source, entry, encoded, allowed, parsed, float(timeout), memory, lines, spender or _NOBODY, full)

    def _run(self, prepare: Callable[[], Job], lane: Lane, tenant: str, ticket: Ticket | None) -> Result:
        try:
            job = prepare()
        except _values.BadValue as error:
            return Result(status="error", error=str(error), lane=lane)
        pool = self._pool
        pool.slots.get()
        try:
            # Calls in one process could be taken for each other; who buys is known for sure.
            alone = job.lines is not None or job.grants.sellers
            pinned = lane == "pinned" and self._settings.pinned and not alone
            while True:
                try:
                    return self._run_pinned(job, tenant, ticket) if pinned else self._run_once(job, ticket)
                except MoreNeeded as error:
                    job = self._widen(job, error)
                except NoWall as error:
                    return refused(str(error))
        finally:
            pool.slots.put(None)

    def _widen(self, job: Job, error: MoreNeeded) -> Job:
        """Return the job as it is to be begun again, with all it needs; the next one with its source begins so."""
        if len(self._full) >= _MOST_REMEMBERED:
            self._full.clear()
        self._full.add(hash(job.source))
        return job._replace(full=True, spent=error.spent)

    def _run_once(self, job: Job, ticket: Ticket | None) -> Result:
        for _ in range(_TRIES):
            call = self._send(job, ticket)
            try:
                return call.result()
            except NotSent as error:
                if ticket is not None and ticket.cancelled:
                    return call.died(str(error))
            finally:
                if ticket is not None:
                    ticket.release()
                call.lease.end()
        raise NoWall(_ALL_DIE)

    def _send(self, job: Job, ticket: Ticket | None) -> Call:
        """Send *job* to a fresh worker; one that died while it waited has run nothing, so the next is tried."""
        for _ in range(_TRIES):
            lease = self._pool.take(job.outfit(), job.timeout)
            call = Call(lease, job, self._settings, "one-shot")
            try:
                if ticket is not None:
                    ticket.hold(lease)
                call.send()
                return call
            except BaseException as error:
                if ticket is not None:
                    ticket.release()
                lease.end()
                if not isinstance(error, NotSent):
                    raise
        raise NoWall(_ALL_DIE)

    def _run_pinned(self, job: Job, tenant: str, ticket: Ticket | None) -> Result:
        answer = self._pins.run(job, tenant, ticket)
        if answer is None:
            return self._run_once(job, ticket)
        result, replay = answer
        if not replay:
            return result
        fresh = self._run_once(job, ticket)
        if (fresh.status, fresh.value) == (result.status, result.value):
            return result
        self._pins.forget(job, tenant)
        return fresh

    def check_grants(self, grants: Collection[str]) -> None:
        """Raise an `InputError` for a grant that is unknown or that this sandbox cannot give."""
        _grants.parse(tuple(grants), self._workspace, more=self._packages)

    def warm(self, grants: Collection[str] = ()) -> Level:
        """Start the processes now instead of with the first job; return the level they reached, or "none"."""
        parsed = _grants.parse(tuple(grants), self._workspace, more=self._packages)
        try:
            return self._pool.warm(Outfit(parsed, lean=parsed == NO_GRANTS))
        except NoWall:
            return "none"

    def close(self) -> None:
        """End every process of this sandbox."""
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _after_fork(self) -> None:
        self._finalizer.detach()
        self._pool.abandon()
        self._begin()


_NOBODY = Spender()
_OPEN: weakref.WeakSet[Sandbox] = weakref.WeakSet()


def _open_till(purchases: Purchases | None, settings: SandboxSettings) -> Cashier:
    """Make what jobs buy through, when the first of them may: most sandboxes never load it."""
    from mayfly.sandbox._till import Cashier

    return Cashier(purchases, settings)


def _shut(pool: Pool, pins: Pins) -> None:
    pins.close()
    pool.close()


def _forked() -> None:
    for box in list(_OPEN):
        box._after_fork()


os.register_at_fork(after_in_child=_forked)
