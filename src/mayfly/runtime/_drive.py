"""One attempt at a tree: journal, engines, capabilities and rules around a resolver, until it ends or has to stop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, MayflyError, Pool, StoreError
from mayfly.library import Registry
from mayfly.persona import Desk
from mayfly.policy import Permit
from mayfly.promise import (
    CannotCombine,
    Effects,
    Engine,
    Journal,
    Leaves,
    LocalEngine,
    Options,
    Part,
    Past,
    Promise,
    Resolver,
    Saved,
    Tester,
    ToolSupply,
    TreeLimits,
    about_store,
    open_engine,
    part_of,
    past_of,
)
from mayfly.promise.split import Unmergeable, check_unchanged, merge
from mayfly.runtime._leaf import LeafWorker, make_worker
from mayfly.store import Killed, KillSwitch

if TYPE_CHECKING:
    from mayfly.runtime._parts import Parts
    from mayfly.store import JSON, Claim

# Seconds between two looks; a person who cancels a run, or takes it up elsewhere, waits so long at most.
POLL = 1.0


class Cancelled(MayflyError):
    """Somebody asked the run to stop."""

    code = "CANCELLED"


@dataclass(kw_only=True)
class Drive:
    """Resolve one tree with the parts of a runtime; *before* is what an earlier attempt has proven."""

    parts: Parts
    tell: Callable[[str, Any], None]
    registry: Registry
    supply: ToolSupply
    workspace: Path
    run: str
    root: Promise[Any]
    options: Options
    claim: Claim
    pool: Pool
    before: Saved | None = None

    def __post_init__(self) -> None:
        # What another process has taken up is not written to any more, by whatever part of this one.
        self._ledger = self.parts.ledger.fenced(self.claim.fence)
        self._desk: Desk | None = None
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    async def work(self) -> None:
        """Resolve the tree; raises where it had to be stopped from outside."""
        journal = Journal(self._ledger, self.run, delays=self._delays(), seq=self.before.seq if self.before else 0)
        home = LocalEngine(
            self.parts.settings, lambda settings: LeafWorker(settings, parts=self.parts, observer=self.tell)
        )
        engine: Engine = home
        try:
            await asyncio.to_thread(self._check_patiently)
            if self.parts.settings.promise.engine != "local":
                engine = await asyncio.to_thread(open_engine, self.parts.settings, make_worker)
            await self._until_stopped(await self._resolver(journal, home, engine))
        finally:
            await journal.aclose()
            for one in {id(engine): engine, id(home): home}.values():
                await one.aclose()

    async def _until_stopped(self, resolver: Resolver) -> None:
        """Resolve, and look meanwhile whether the run has to stop; then every leaf is stopped before this returns."""
        self.tell("pool", self.pool)
        work = asyncio.ensure_future(resolver.resolve(self.root))
        watch = asyncio.ensure_future(self._watch())
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unfinished = not work.done()
            self._stopped.set()
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        if unfinished:
            self._close(resolver, watch)
            watch.result()
        work.result()

    def _close(self, resolver: Resolver, watch: asyncio.Future[None]) -> None:
        """Give the ground of what is open; where another process has the run, that is not for this one to say."""
        error = None if watch.cancelled() else watch.exception()
        if isinstance(error, (Cancelled, Killed)):
            try:
                resolver.give_up(self.root, str(error), error.code)
            except StoreError:
                pass  # what cannot be written is interrupted, and the run says why

    def _delays(self) -> tuple[float, ...]:
        settings = self.parts.settings.promise
        return tuple(settings.retry_delay * settings.retry_factor**number for number in range(settings.retries))

    async def _resolver(self, journal: Journal, home: Engine, engine: Engine) -> Resolver:
        settings, kill = self.parts.settings, self.parts.switch.check
        past = await asyncio.to_thread(self._past) if self.before else {}
        effects = Effects(
            journal=journal, kill=self._check_patiently, permit=self._permit, past=past, delays=self._delays()
        )
        effects.report_open(self.root)
        return Resolver(
            leaves=Leaves(
                effects=effects,
                registry=self.registry,
                supply=self.supply,
                engine=engine,
                home=home,
                pool=self.pool,
                kill=kill,
                options=self.options,
                delays=self._delays(),
            ),
            value_tester=Tester(self.parts.sandbox, seconds=settings.gates.test_timeout),
            merge=_merged,
            limits=TreeLimits(
                pool=self.pool, max_depth=settings.promise.max_depth, max_children=settings.promise.max_children
            ),
            watch=lambda promise: self.tell("node", promise),
        )

    def _permit(self, action: str, target: str, payload: str) -> Permit:
        with self._lock:
            if self._desk is None:
                self._desk = Desk(self.parts.settings, ledger=self._ledger, workspace=self.workspace)
        return self._desk.kernel(session=self.run).permitted(action, target, payload)

    def _past(self) -> dict[str, Past]:
        keys = [f"{self.run}/{promise.id}" for promise in self.root.walk() if not promise.children]
        return past_of(self.parts.ledger, keys)

    def _taken_up(self) -> int:
        """Return by which event the run was last taken up."""
        found = self.parts.ledger.last(kind="run.resumed", subject=self.run)
        return found.id if found else 0

    async def _watch(self) -> None:
        """Raise when the run has to stop: it was cancelled, the kill switch is on, or another process has it."""
        seen: int | None = None
        while True:
            try:
                found = await asyncio.to_thread(self.parts.ledger.last, kind="run.cancelled", subject=self.run)
                if seen is None:
                    # Whoever asked after this attempt had begun is heard, however late the first look comes.
                    seen = await asyncio.to_thread(self._taken_up)
                await asyncio.to_thread(self.claim.check)
            except StoreError:
                found = None  # a store that cannot be reached is the journal's trouble, which waits for it
            await asyncio.to_thread(self._check_switch)
            if found is not None and found.id > (seen or 0):
                payload: Any = found.payload
                said = f": {payload['reason']}" if payload.get("reason") else ""
                raise Cancelled(f"cancelled by {payload['by']}{said}", fix=f"to go on: mayfly resume {self.run}")
            await asyncio.sleep(POLL)

    def _check_patiently(self) -> None:
        """Raise when the switch is on; where it cannot be read, wait for the store as the journal does."""
        for delay in (*self._delays(), None):
            try:
                self.parts.switch.check()
                return
            except Killed as error:
                if delay is None or not about_store(error) or self._stopped.wait(delay):
                    raise

    def _check_switch(self) -> None:
        """Raise when somebody turned the switch on; one that cannot be read lets nothing begin, and ends nothing."""
        try:
            # What a leaf saw a moment ago is no reason to look later.
            KillSwitch(self.parts.ledger, cache=0).check()
        except Killed as error:
            if not about_store(error):
                raise


def _merged(kind: str, values: Sequence[object], parts: Sequence[Part]) -> object:
    """Join the results of parts of a file that is still the same; results that do not join after all say so."""
    check_unchanged(parts)
    try:
        return merge(kind, values)
    except Unmergeable as error:
        raise CannotCombine(str(error)) from error


def kept_options(options: Options, nodes: Sequence[Promise[Any]]) -> dict[str, JSON]:
    """Return what a later process needs to go on, and by what it sees that a file is another one now."""
    parts = [part for promise in nodes if (part := part_of(promise))]
    files: dict[str, JSON] = {part.path: list(_look(part.path)) for part in parts}
    return {
        "model": options.model,
        "tier": options.tier,
        "accept_weak": options.accept_weak,
        "hints": list(options.hints),
        "workspace": str(options.workspace),
        "files": files,
    }


def check_files(files: Mapping[str, Any]) -> None:
    """Refuse to go on where a file is another one than when the run began: half of the answer would be about each."""
    for path, seen in files.items():
        if list(_look(path)) != list(seen):
            raise ConflictError(f"{path} has changed since the run began", fix="run it again from the beginning")


def _look(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    return found.st_size, found.st_mtime_ns
