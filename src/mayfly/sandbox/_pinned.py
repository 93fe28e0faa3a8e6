"""The pinned lane: a worker that keeps one source for one tenant, for code that has been proven.

It isolates tools from each other, not the calls of one tool: what a call leaves in memory the next one can find.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from mayfly.core import SandboxSettings
from mayfly.sandbox._call import Call, NotSent
from mayfly.sandbox._grants import Grants
from mayfly.sandbox._job import Job
from mayfly.sandbox._pool import Lease, Pool
from mayfly.sandbox._result import Result


class _Key(NamedTuple):
    source: bytes
    entry: str | None
    imports: frozenset[str] | None
    grants: Grants
    memory: int | None
    tenant: str
    # Callers who come at once have a worker each: the first of them, the second, and so on.
    copy: int = 0


class _Pin:
    """One worker. `busy` and `doomed` belong to the lock of `Pins`; the rest to whoever made it busy."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.busy = True
        self.doomed = False
        self.calls = 0
        self.born = time.monotonic()


class Pins:
    """The pinned workers of one sandbox, the least recently used dropped first."""

    def __init__(self, pool: Pool, settings: SandboxSettings) -> None:
        self._pool = pool
        self._settings = settings
        # More at once would only wait for each other.
        self._most = len(os.sched_getaffinity(0))
        self._lock = threading.Lock()
        self._pins: OrderedDict[_Key, _Pin] = OrderedDict()

    def run(self, job: Job) -> tuple[Result, bool] | None:
        """Call *job* on its own worker and say whether to replay it; None if it must go one-shot this time."""
        key = self._key(job)
        acquired = self._acquire(key, job)
        if acquired is None:
            return None
        key, pin = acquired
        call = Call(pin.lease, job, self._settings, "pinned")
        keep = False
        try:
            job.ticket.hold(pin.lease.worker)
            call.send(again=pin.calls > 0)
            pin.calls += 1
            result = call.result()
            keep = result.ok and not call.threads
        except NotSent:
            return None
        finally:
            job.ticket.release()
            self._release(key, pin, keep=keep and not job.ticket.cancelled)
        due = pin.calls % self._settings.replay == 0 and not job.grants.effects
        return result, due and result.ok

    def forget(self, job: Job) -> None:
        """Drop the workers of *job*: an answer differed from a fresh one."""
        mine = self._key(job)
        self._end(lambda key: key._replace(copy=0) == mine)

    def release(self, tenant: str) -> None:
        """End the workers of *tenant*."""
        self._end(lambda key: key.tenant == tenant)

    def _end(self, is_meant: Callable[[_Key], bool]) -> None:
        with self._lock:
            keys = [key for key in self._pins if is_meant(key)]
            idle = [pin for key in keys if self._doom(pin := self._pins.pop(key))]
        for pin in idle:
            pin.lease.end()

    @staticmethod
    def _key(job: Job) -> _Key:
        return _Key(job.source, job.entry, job.imports, job.grants, job.memory, job.tenant)

    def _acquire(self, key: _Key, job: Job) -> tuple[_Key, _Pin] | None:
        """Return a worker nobody uses, made if need be; None if as many as there are cores are at work already."""
        with self._lock:
            pin = self._pins.get(key)
            while pin is not None and pin.busy:
                key = key._replace(copy=key.copy + 1)
                if key.copy >= self._most:
                    return None
                pin = self._pins.get(key)
            if pin is not None:
                pin.busy = True
                self._pins.move_to_end(key)
        if pin is not None:
            if not self._worn(pin):
                return key, pin
            self._release(key, pin, keep=False)
        return self._create(key, job)

    def _create(self, key: _Key, job: Job) -> tuple[_Key, _Pin] | None:
        pin = _Pin(self._pool.take(job.outfit(), job.timeout))
        ending = []
        with self._lock:
            while key in self._pins:  # others have made theirs meanwhile
                key = key._replace(copy=key.copy + 1)
            won = key.copy < self._most
            if won:
                self._pins[key] = pin
            while len(self._pins) > self._settings.pinned:
                _, old = self._pins.popitem(last=False)
                if self._doom(old):
                    ending.append(old)
        for old in ending if won else [pin]:
            old.lease.end()
        return (key, pin) if won else None

    def _release(self, key: _Key, pin: _Pin, *, keep: bool) -> None:
        with self._lock:
            pin.busy = False
            if not keep:
                pin.doomed = True
                if self._pins.get(key) is pin:
                    del self._pins[key]
        if pin.doomed:
            pin.lease.end()

    @staticmethod
    def _doom(pin: _Pin) -> bool:
        """Mark a pin that was taken out; whoever uses it now ends it, else the caller must."""
        pin.doomed = True
        return not pin.busy

    def _worn(self, pin: _Pin) -> bool:
        old = time.monotonic() - pin.born > self._settings.pinned_age
        return old or pin.calls >= self._settings.pinned_calls

    def close(self) -> None:
        """End every pinned worker."""
        with self._lock:
            pins = [pin for pin in self._pins.values() if self._doom(pin)]
            self._pins.clear()
        for pin in pins:
            pin.lease.worker.close()
