"""Zygotes by their grants, the level they reached, and how many jobs run at once."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from queue import SimpleQueue
from typing import NamedTuple

from mayfly.core import SandboxSettings
from mayfly.sandbox._grants import Grants
from mayfly.sandbox._result import Level
from mayfly.sandbox._worker import Worker
from mayfly.sandbox._zygote import SpawnFailed, Zygote, ZygoteFailed, ZygoteGone

_KEPT = 8
# So many jobs are a few: for more, a zygote that prepares each of them pays for itself.
_FEW = 8
_TRIES = 3
_WAITING = 16


class NoWall(Exception):
    """This machine cannot give the sandbox that was asked for; the message says why."""


class Lease(NamedTuple):
    """A worker nobody else uses and the zygote it came from."""

    zygote: Zygote
    worker: Worker
    housekeeper: Housekeeper

    def end(self) -> None:
        """Kill the worker now; it is cleared away and replaced in the background."""
        self.worker.kill()
        self.housekeeper.clear(self)


class Housekeeper:
    """One thread that closes what dead workers leave and asks for new ones, so that callers need not wait for it."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Lease | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def clear(self, lease: Lease) -> None:
        """Clear *lease* away soon; at once where too many wait already."""
        if self._queue.qsize() >= _WAITING:
            lease.zygote.give_back(lease.worker)
            return
        self._queue.put(lease)
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="mayfly-housekeeper", daemon=True)
                    self._thread.start()

    def _work(self) -> None:
        while (lease := self._queue.get()) is not None:
            with contextlib.suppress(OSError):  # a descriptor that is gone already must not end the housekeeping
                lease.zygote.give_back(lease.worker)

    def close(self) -> None:
        """Finish what waits and end the thread."""
        with self._lock:
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join()
                self._thread = None

    def abandon(self) -> None:
        """In a forked child, where the thread does not exist: let go of what waits."""
        while not self._queue.empty():
            lease = self._queue.get()
            if lease is not None:
                lease.worker.abandon()


class Pool:
    """Start zygotes when they are first needed, and again when they die."""

    def __init__(self, settings: SandboxSettings, level: str, *, brief: bool = False) -> None:
        self.slots: SimpleQueue[None] = SimpleQueue()
        for _ in range(settings.jobs):
            self.slots.put(None)
        self._settings = settings
        self._wanted = level
        self._brief = brief
        self._lock = threading.RLock()
        self._zygotes: OrderedDict[Grants, Zygote] = OrderedDict()
        self._failures: dict[Level, str] = {}
        self._housekeeper = Housekeeper()

    def take(self, grants: Grants) -> Lease:
        """Return a fresh worker for *grants*."""
        for _ in range(_TRIES):
            zygote = self.zygote(grants)
            try:
                return Lease(zygote, zygote.take(), self._housekeeper)
            except ZygoteGone:
                self.discard(zygote)
            except SpawnFailed as error:
                raise NoWall(f"no worker could be made: {error}") from None
        raise NoWall("the sandbox process keeps dying")

    def zygote(self, grants: Grants) -> Zygote:
        """Return the zygote for *grants*, started if need be."""
        zygote = self._zygotes.get(grants)
        if zygote is not None and not _is_spent(zygote):
            return zygote
        with self._lock:
            zygote = self._zygotes.get(grants)
            if zygote is None or _is_spent(zygote):
                self._brief = self._brief and zygote is None
                fresh = self._start(grants)
                if zygote is not None:
                    zygote.close()
                zygote = self._zygotes[grants] = fresh
                self._retire_one()
            return zygote

    def _retire_one(self) -> None:
        """Keep few zygotes; one whose workers are in use stays."""
        if len(self._zygotes) > _KEPT:
            idle = [grants for grants, zygote in self._zygotes.items() if grants != Grants() and not zygote.leases]
            if idle:
                self._zygotes.pop(idle[0]).close()

    def discard(self, zygote: Zygote) -> None:
        """Forget a zygote that died."""
        with self._lock:
            if self._zygotes.get(zygote.grants) is zygote:
                del self._zygotes[zygote.grants]
                zygote.close()

    def _start(self, grants: Grants) -> Zygote:
        levels: tuple[Level, ...] = ("namespaces", "landlock")
        if self._wanted != "best":
            levels = tuple(level for level in levels if level == self._wanted)
        ready = self._ready if grants == Grants() else 1
        reasons = []
        for level in levels:
            known = self._failures.get(level)
            if known is None:
                try:
                    return Zygote(level, grants, self._settings, ready=ready, brief=self._brief)
                except ZygoteFailed as error:
                    known = str(error)
                    if grants == Grants():
                        self._failures[level] = known
            reasons.append(f"{level}: {known}")
        raise NoWall("; ".join(reasons))

    @property
    def _ready(self) -> int:
        return self._settings.workers or max(2, len(os.sched_getaffinity(0)))

    def close(self) -> None:
        """End every zygote."""
        self._housekeeper.close()
        with self._lock:
            while self._zygotes:
                self._zygotes.popitem()[1].close()

    def abandon(self) -> None:
        """In a forked child: let go without ending what belongs to the parent."""
        self._housekeeper.abandon()
        while self._zygotes:
            self._zygotes.popitem()[1].abandon()


def _is_spent(zygote: Zygote) -> bool:
    """Whether a zygote for a few jobs has had them, and nobody uses a worker of it."""
    return zygote.brief and zygote.taken >= _FEW and not zygote.leases
