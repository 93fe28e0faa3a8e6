"""Zygotes by their grants, the level they reached, and how many jobs run at once."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import NamedTuple

from mayfly.core import SandboxSettings
from mayfly.sandbox._grants import Grants
from mayfly.sandbox._result import Level
from mayfly.sandbox._worker import Worker
from mayfly.sandbox._zygote import SpawnFailed, Zygote, ZygoteFailed, ZygoteGone

_KEPT = 8
_TRIES = 3


class NoWall(Exception):
    """This machine cannot give the sandbox that was asked for; the message says why."""


class Lease(NamedTuple):
    """A worker nobody has used and the zygote it came from."""

    zygote: Zygote
    worker: Worker

    def end(self) -> None:
        """Kill the worker and have it replaced in the background."""
        self.zygote.give_back(self.worker)


class Pool:
    """Start zygotes when they are first needed, and again when they die."""

    def __init__(self, settings: SandboxSettings, level: str) -> None:
        self.slots = threading.BoundedSemaphore(settings.jobs)
        self._settings = settings
        self._wanted = level
        self._lock = threading.RLock()
        self._zygotes: OrderedDict[Grants, Zygote] = OrderedDict()
        self._failures: dict[Level, str] = {}

    def take(self, grants: Grants) -> Lease:
        """Return a fresh worker for *grants*."""
        for _ in range(_TRIES):
            zygote = self.zygote(grants)
            try:
                return Lease(zygote, zygote.take())
            except ZygoteGone:
                self.discard(zygote)
            except SpawnFailed as error:
                raise NoWall(f"no worker could be made: {error}") from None
        raise NoWall("the sandbox process keeps dying")

    def zygote(self, grants: Grants) -> Zygote:
        """Return the zygote for *grants*, started if need be."""
        zygote = self._zygotes.get(grants)
        if zygote is not None:
            return zygote
        with self._lock:
            zygote = self._zygotes.get(grants)
            if zygote is None:
                zygote = self._zygotes[grants] = self._start(grants)
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
                    return Zygote(level, grants, self._settings, ready=ready)
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
        with self._lock:
            while self._zygotes:
                self._zygotes.popitem()[1].close()

    def abandon(self) -> None:
        """In a forked child: let go without ending what belongs to the parent."""
        while self._zygotes:
            self._zygotes.popitem()[1].abandon()
