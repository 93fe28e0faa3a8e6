"""`Sandbox`: the pool, the lanes and the levels behind one method, `run`."""

from __future__ import annotations

import os
import weakref
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from mayfly.core import Closing, InputError, SandboxSettings
from mayfly.sandbox import _grants, _values
from mayfly.sandbox._call import Call, MoreNeeded, NotSent, Stream, refused
from mayfly.sandbox._grants import NO_GRANTS, Outfit
from mayfly.sandbox._job import Job, JobOptions, Ticket, make_job
from mayfly.sandbox._pinned import Pins
from mayfly.sandbox._pool import NoWall, Pool
from mayfly.sandbox._purchases import Cashier, Purchases, Spender
from mayfly.sandbox._result import Level, Result

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from mayfly.sandbox._map import Per

_TRIES = 8
# Sources that are known to need all modules, by their hash; with more of them than that, it is learned anew.
_MOST_REMEMBERED = 4096
_ALL_DIE = "no sandbox could be had just now: workers die before they are given a job"


class Sandbox(Closing):
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
        cashier = Cashier(self._purchases, self._settings)
        self._pool = Pool(self._settings, self._wanted, cashier, brief=self._brief)
        self._pins = Pins(self._pool, self._settings)
        self._threads: ThreadPoolExecutor | None = None
        self._finalizer = weakref.finalize(self, _shut, self._pool, self._pins)

    def run(
        self, source: str | bytes, entry: str | None, argument: object = None, **options: Unpack[JobOptions]
    ) -> Result:
        """Run *source*, call its *entry* with *argument*, return how that ended. Never raises for what a job does.

        *entry* is a function, or a class whose `invoke` is called; None takes the only candidate. A generator's results
        are collected; `stream` hands them out as they come. The *options* are those of `JobOptions`.
        """
        try:
            job = self._make_job(source, entry, argument, options)
        except _values.BadValue as error:
            return Result(status="error", error=str(error), lane=options.get("lane", "one-shot"))
        self._pool.slots.get()
        try:
            return self._run(job)
        finally:
            self._pool.slots.put(None)

    async def arun(
        self, source: str | bytes, entry: str | None, argument: object = None, **options: Unpack[JobOptions]
    ) -> Result:
        """Do what `run` does without blocking the event loop; cancelling the task kills the job."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        ticket = options["ticket"] = options.get("ticket") or Ticket()
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._settings.jobs, "mayfly-sandbox")
        run = partial(self.run, source, entry, argument, **options)
        work = asyncio.get_running_loop().run_in_executor(self._threads, run)
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
        from mayfly.sandbox._map import check, cores, run_each

        at_once = at_once or cores(self._settings.jobs)
        check(per, at_once)
        run = partial(self.run, source, entry, **options)
        return run_each(run, self.release, arguments, per=per, at_once=at_once)

    def release(self, tenant: str) -> None:
        """End the pinned workers of *tenant*."""
        self._pins.release(tenant)

    @contextmanager
    def stream(
        self, source: str | bytes, entry: str | None, argument: object = None, **options: Unpack[JobOptions]
    ) -> Iterator[Stream]:
        """Yield a `Stream` over the items of a generator; leaving the block ends the job, as does the *ticket*."""
        job = self._make_job(source, entry, argument, options)
        self._pool.slots.get()
        try:
            stream = Stream(job, self._send, self._widen)
            try:
                yield stream
            finally:
                stream.end()
        finally:
            self._pool.slots.put(None)

    def _make_job(self, source: str | bytes, entry: str | None, argument: object, options: JobOptions) -> Job:
        job = make_job(source, entry, argument, options, settings=self._settings, parse_grants=self._parse_grants)
        return replace(job, full=True) if hash(job.source) in self._full else job

    def _parse_grants(self, grants: Collection[str]) -> _grants.Grants:
        return _grants.parse(tuple(grants), self._workspace, more=self._packages)

    def _run(self, job: Job) -> Result:
        # Calls in one process could be taken for each other; who buys is known for sure.
        alone = job.lines is not None or job.grants.sellers or job.grants.data
        pinned = job.lane == "pinned" and self._settings.pinned and not alone
        while True:
            try:
                return self._run_pinned(job) if pinned else self._run_once(job)
            except MoreNeeded as error:
                job = self._widen(job, error)
            except NoWall as error:
                return refused(str(error))

    def _widen(self, job: Job, error: MoreNeeded) -> Job:
        """Return the job as it is to be begun again, with all it needs; the next one with its source begins so."""
        if len(self._full) >= _MOST_REMEMBERED:
            self._full.clear()
        self._full.add(hash(job.source))
        return replace(job, full=True, spent=error.spent)

    def _run_once(self, job: Job) -> Result:
        for _ in range(_TRIES):
            call = self._send(job)
            try:
                return call.result()
            except NotSent as error:
                if job.ticket.cancelled:
                    return call.died(str(error))
            finally:
                job.ticket.release()
                call.lease.end()
        raise NoWall(_ALL_DIE)

    def _send(self, job: Job) -> Call:
        """Send *job* to a fresh worker; one that died while it waited has run nothing, so the next is tried."""
        for _ in range(_TRIES):
            lease = self._pool.take(job.outfit(), job.timeout)
            call = Call(lease, job, self._settings, "one-shot")
            try:
                job.ticket.hold(lease.worker)
                call.send()
                return call
            except BaseException as error:
                job.ticket.release()
                lease.end()
                if not isinstance(error, NotSent):
                    raise
        raise NoWall(_ALL_DIE)

    def _run_pinned(self, job: Job) -> Result:
        answer = self._pins.run(job)
        if answer is None:
            return self._run_once(job)
        result, replay = answer
        if not replay:
            return result
        fresh = self._run_once(job)
        if (fresh.status, fresh.value) == (result.status, result.value):
            return result
        self._pins.forget(job)
        return fresh

    def check_grants(self, grants: Collection[str]) -> None:
        """Raise an `InputError` for a grant that is unknown or that this sandbox cannot give."""
        self._parse_grants(grants)

    def warm(self, grants: Collection[str] = ()) -> Level:
        """Start the processes now instead of with the first job; return the level they reached, or "none"."""
        parsed = self._parse_grants(grants)
        try:
            return self._pool.warm(Outfit(parsed, lean=parsed == NO_GRANTS))
        except NoWall:
            return "none"

    def close(self) -> None:
        """End every process of this sandbox."""
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        self._finalizer()

    def _after_fork(self) -> None:
        self._finalizer.detach()
        self._pool.abandon()
        self._begin()


def only_reading(grants: Collection[str]) -> tuple[str, ...]:
    """Return what is left of *grants* for jobs that may be run any number of times: nothing that has an effect.

    A proof runs a program, and wrong versions of it, hundreds of times: they may read the workspace and import
    packages or query data, and neither write, nor reach the network, nor buy.
    """
    kept = {"fs:workspace" if grant.startswith("fs:workspace") else grant for grant in grants}
    return tuple(sorted(grant for grant in kept if grant in ("fs:workspace", "package", "data")))


class GrantedSandbox(Sandbox):
    """Add *grants* to every job; the processes are those of the sandbox it was made from, and end with that.

    What such a job buys is bought in the name of *spender*.
    """

    def __init__(self, box: Sandbox, grants: Collection[str], *, spender: Spender | None = None) -> None:
        self._box = box
        self._settings = box._settings
        self._spender = spender
        self._added = tuple(grants)

    def run(self, source: str | bytes, entry: str | None, argument: object = None, **options: Any) -> Result:
        """Do what `Sandbox.run` does."""
        return self._box.run(source, entry, argument, **self._with_grants(options))

    async def arun(self, source: str | bytes, entry: str | None, argument: object = None, **options: Any) -> Result:
        """Do what `Sandbox.arun` does."""
        return await self._box.arun(source, entry, argument, **self._with_grants(options))

    @contextmanager
    def stream(
        self, source: str | bytes, entry: str | None, argument: object = None, **options: Any
    ) -> Iterator[Stream]:
        """Do what `Sandbox.stream` does."""
        with self._box.stream(source, entry, argument, **self._with_grants(options)) as stream:
            yield stream

    def release(self, tenant: str) -> None:
        """Do what `Sandbox.release` does."""
        self._box.release(tenant)

    def _with_grants(self, options: dict[str, Any]) -> dict[str, Any]:
        grants = (*options.get("grants", ()), *self._added)
        return {"spender": self._spender, **options, "grants": grants}

    def check_grants(self, grants: Collection[str]) -> None:
        """Do what `Sandbox.check_grants` does."""
        self._box.check_grants(grants)

    def warm(self, grants: Collection[str] = ()) -> Level:
        """Do what `Sandbox.warm` does."""
        return self._box.warm((*grants, *self._added))

    def close(self) -> None:
        """End nothing: the processes belong to the sandbox it was made from."""


_OPEN: weakref.WeakSet[Sandbox] = weakref.WeakSet()


def _shut(pool: Pool, pins: Pins) -> None:
    pins.close()
    pool.close()


def _forked() -> None:
    for box in list(_OPEN):
        box._after_fork()


os.register_at_fork(after_in_child=_forked)
