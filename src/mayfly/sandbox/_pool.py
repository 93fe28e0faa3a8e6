"""Zygotes by what their workers are given, the level they reached, and how many jobs run at once."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Generic, NamedTuple, TypeVar

from mayfly.core import SandboxSettings
from mayfly.sandbox._grants import NO_GRANTS, Outfit
from mayfly.sandbox._member import join_in_time
from mayfly.sandbox._purchases import Cashier
from mayfly.sandbox._result import Level
from mayfly.sandbox._worker import Worker
from mayfly.sandbox._zygote import SpawnFailed, Zygote, ZygoteFailed, ZygoteGone

_KEPT = 8
# So many jobs are a few: for more, a zygote that prepares each of them pays for itself.
_FEW = 8
_WAITING = 16
# A start that met an accident is tried so often, after pauses that double: in all a little more than a second.
_TRIES = 8
_PAUSE = 0.005
# Seconds a job waits at least for its sandbox, however short its own timeout: that counts from when it has one.
_PATIENCE = 5.0
T = TypeVar("T")


class NoWall(Exception):
    """The sandbox that was asked for could not be had; the message says why."""


class Background(Generic[T]):
    """Do *work* with one item after the other, in a thread that starts with the first of them."""

    def __init__(self, name: str, work: Callable[[T], None]) -> None:
        self._name = name
        self._work = work
        # None is the end.
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, item: T) -> None:
        """Have *item* worked on, after those that wait already."""
        self._queue.put(item)
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()

    @property
    def waiting(self) -> int:
        """How many nobody has begun with."""
        return self._queue.qsize()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            self._work(item)

    def close(self) -> None:
        """Finish what waits and end the thread."""
        with self._lock:
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join()
                self._thread = None

    def left_over(self) -> Iterator[T]:
        """In a forked child, where the thread does not exist: yield what waits."""
        while not self._queue.empty():
            if (item := self._queue.get()) is not None:
                yield item


class Lease(NamedTuple):
    """A worker nobody else uses, the zygote it came from, and the thread that clears it away."""

    zygote: Zygote
    worker: Worker
    housekeeper: Background[Lease]

    def end(self) -> None:
        """Kill the worker now; it is cleared away and replaced in the background, or at once where too many wait."""
        self.worker.kill()
        if self.housekeeper.waiting >= _WAITING:
            self.zygote.give_back(self.worker)
        else:
            self.housekeeper.put(self)


def _clear_away(lease: Lease) -> None:
    with contextlib.suppress(OSError):  # a descriptor that is gone already must not end the housekeeping
        lease.zygote.give_back(lease.worker)
        if not lease.housekeeper.waiting:
            lease.zygote.gather()


class Pool:
    """Start zygotes when they are first needed, and again when they die."""

    def __init__(self, settings: SandboxSettings, level: str, cashier: Cashier, *, brief: bool = False) -> None:
        self.slots: SimpleQueue[None] = SimpleQueue()
        for _ in range(settings.jobs):
            self.slots.put(None)
        self._settings = settings
        self._wanted = level
        self._cashier = cashier
        self._brief = brief
        self._lock = threading.RLock()
        self._zygotes: OrderedDict[Outfit, Zygote] = OrderedDict()
        self._stood: Level | None = None
        # In a row, the last ones: what is started after one is to stand soon, and is replaced after a few jobs.
        self._accidents = 0
        self._housekeeper = Background("mayfly-housekeeper", _clear_away)
        self._mover = Background("mayfly-cgroups", join_in_time)

    def take(self, outfit: Outfit, patience: float) -> Lease:
        """Return a fresh worker with *outfit*; whoever wants one waits about *patience* seconds for it."""
        zygote = self._zygotes.get(outfit)
        if zygote is not None and (worker := zygote.take_waiting()) is not None:
            return Lease(zygote, worker, self._housekeeper)
        return self._try(lambda: self._take(outfit, patience), patience)

    def warm(self, outfit: Outfit) -> Level:
        """Start what makes workers with *outfit*, and return the level it stands at."""
        return self._try(lambda: self.zygote(outfit), 0.0).level

    def _try(self, action: Callable[[], T], patience: float) -> T:
        """Do it again after an accident: what is missing now may be there in a moment.

        Where nothing but accidents happens, every job tries once: it is better told soon.
        """
        deadline = time.monotonic() + max(patience, _PATIENCE)
        for attempt in range(_TRIES if self._accidents < _TRIES else 1):
            try:
                done = action()
                self._accidents = 0
                return done
            except (ZygoteFailed, ZygoteGone, SpawnFailed) as error:
                self._accidents += 1
                reason = str(error)
            time.sleep(_PAUSE * 2**attempt)
            if time.monotonic() > deadline:
                break
        raise NoWall(f"no sandbox could be had just now: {reason}")

    def _take(self, outfit: Outfit, patience: float) -> Lease:
        zygote = self.zygote(outfit)
        try:
            return Lease(zygote, zygote.take(patience), self._housekeeper)
        except ZygoteGone:
            self.discard(zygote)
            raise

    def zygote(self, outfit: Outfit) -> Zygote:
        """Return the zygote for *outfit*, started if need be."""
        zygote = self._zygotes.get(outfit)
        if zygote is not None and _is_good(zygote):
            return zygote
        with self._lock:
            zygote = self._zygotes.get(outfit)
            if zygote is None or not _is_good(zygote):
                self._brief = self._brief and zygote is None
                fresh = self._start(outfit)
                if zygote is not None:
                    zygote.close()
                zygote = self._zygotes[outfit] = fresh
                self._retire_one()
            return zygote

    def _retire_one(self) -> None:
        """Keep few zygotes; one whose workers are in use stays."""
        if len(self._zygotes) > _KEPT:
            idle = [
                outfit for outfit, zygote in self._zygotes.items() if outfit.grants != NO_GRANTS and not zygote.leases
            ]
            if idle:
                self._zygotes.pop(idle[0]).close()

    def discard(self, zygote: Zygote) -> None:
        """Forget a zygote that died."""
        with self._lock:
            if self._zygotes.get(zygote.outfit) is zygote:
                del self._zygotes[zygote.outfit]
                zygote.close(now=True)

    def _start(self, outfit: Outfit) -> Zygote:
        """Start a zygote at the level this sandbox stands at; the first that stands, of those wanted, is that level.

        Only the kernel's own answer that it cannot be done leads to the next level. An accident is the caller's to try
        again, and says nothing about levels.
        """
        levels: tuple[Level, ...] = (self._stood,) if self._stood else ("namespaces", "landlock")
        ready = self._ready if outfit.grants == NO_GRANTS else 1
        reasons = []
        for level in levels:
            if self._wanted in ("best", level):
                try:
                    brief = self._brief or self._accidents > 0
                    zygote = Zygote(
                        level,
                        outfit,
                        self._settings,
                        ready=ready,
                        brief=brief,
                        join_group=self._mover.put,
                        cashier=self._cashier,
                    )
                    self._stood = level
                    return zygote
                except ZygoteFailed as error:
                    if not error.permanent:
                        raise
                    reasons.append(f"{level}: {error}")
                    if outfit.grants != NO_GRANTS and self._stands(level):
                        self._stood = level
                        break
        raise NoWall(f"this machine gives no sandbox: {'; '.join(reasons)}")

    def _stands(self, level: Level) -> bool:
        """Say whether *level* can be had at all, if not with the grants of a job."""
        if self._stood:
            return True
        try:
            Zygote(level, Outfit(NO_GRANTS, lean=True), self._settings, ready=0, brief=True).close()
        except ZygoteFailed as error:
            if not error.permanent:
                raise
            return False
        return True

    @property
    def _ready(self) -> int:
        return self._settings.workers or max(2, len(os.sched_getaffinity(0)))

    def close(self) -> None:
        """End every zygote."""
        self._housekeeper.close()
        with self._lock:
            while self._zygotes:
                self._zygotes.popitem()[1].close()
            self._mover.close()

    def abandon(self) -> None:
        """In a forked child: let go without ending what belongs to the parent."""
        for lease in self._housekeeper.left_over():
            lease.worker.abandon()
        while self._zygotes:
            self._zygotes.popitem()[1].abandon()


def _is_good(zygote: Zygote) -> bool:
    """Whether a zygote can serve: not one for a few jobs that has had them, and with the workspace it was given."""
    spent = zygote.brief and zygote.taken >= _FEW and not zygote.leases
    return not spent and zygote.has_its_workspace
