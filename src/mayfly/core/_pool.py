"""`Pool`: limits that nest and are never passed, whoever draws on them at the same time; `Hold`: a part of one."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from mayfly.core._money import KIND_NAMES, POOL_KINDS, WHOLE, enough, exact, known, plain, takeable
from mayfly.core.errors import ConflictError, LimitError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

    from mayfly.core._money import Amount, Amounts

# A clock need not run at the pace of the event loop, so whoever waits looks at it this often.
_LOOK_AGAIN = 0.25


class Pool:
    """Hold limits for a piece of work; a child has limits of its own and draws on all pools above it as well.

    None is no limit, zero is zero. Everything but *seconds* is taken before it is used and counted after; *seconds* is
    a deadline: it counts from when the pool was made and never runs back. *used* is what was used before, as by a run
    that is taken up again. Amounts are counted exactly, as the decimals they are written in.
    """

    def __init__(
        self,
        *,
        parent: Pool | None = None,
        clock: Callable[[], float] | None = None,
        used: Mapping[str, float] | None = None,
        **limits: float | None,
    ) -> None:
        for kind in limits:
            known(kind)
        self._limits = exact({kind: limit for kind, limit in limits.items() if limit is not None})
        before = exact(used or {})
        self._parent = parent
        self._tree: _Tree = parent._tree if parent else _Tree()
        self._clock: Callable[[], float] = clock or (parent._clock if parent else time.monotonic)
        self._began = self._clock()
        self._elapsed = self._before = float(before.pop("seconds", 0))
        self._used: Amounts = dict.fromkeys(POOL_KINDS, 0)
        self._held: Amounts = dict.fromkeys(POOL_KINDS, 0)
        # The part of what is held that will not come back.
        self._firm: Amounts = dict.fromkeys(POOL_KINDS, 0)
        with self._tree.lock:
            self._count(used=before)

    def child(self, *, clock: Callable[[], float] | None = None, **limits: float | None) -> Pool:
        """Return a pool inside this one."""
        return Pool(parent=self, clock=clock, used=None, **limits)

    def used(self, kind: str) -> float:
        """Return what was used of *kind*, here and in all children."""
        known(kind)
        with self._tree.lock:
            return self._time() if kind == "seconds" else plain(kind, self._used[kind])

    def held(self, kind: str) -> float:
        """Return what work under way, here and in all children, may still use of *kind*."""
        known(kind)
        with self._tree.lock:
            return plain(kind, self._held[kind])

    def limit(self, kind: str) -> float | None:
        """Return the limit of *kind* on this level alone; None where there is none."""
        known(kind)
        return plain(kind, self._limits[kind]) if kind in self._limits else None

    def left(self, kind: str, *, returned: bool = False) -> float | None:
        """Return what is neither used nor held on any level; None where nothing limits *kind*.

        With *returned*, what would be left if all that may come back did.
        """
        known(kind)
        with self._tree.lock:
            levels = [pool for pool in self._chain() if kind in pool._limits]
            if kind == "seconds":
                return max(0.0, min(pool._limits[kind] - pool._time() for pool in levels)) if levels else None
            rooms = [pool._room(kind, returned=returned) for pool in levels]
        return plain(kind, max(0, min(rooms))) if rooms else None

    def seconds_left(self) -> float | None:
        """Return how long work may go on; None where no level has a deadline."""
        return self.left("seconds")

    def check(self) -> None:
        """Raise `LimitError` if the time is up on any level."""
        with self._tree.lock:
            self._check()

    def snapshot(self) -> dict[str, float]:
        """Return what was used of every kind, as `used` of a later pool takes it; what is held is not in it."""
        with self._tree.lock:
            return {kind: plain(kind, self._used[kind]) for kind in POOL_KINDS} | {"seconds": self._time()}

    def reserve(
        self, *, least: Mapping[str, float] | None = None, firm: Collection[str] = (), **amounts: float
    ) -> Hold:
        """Take the amounts on every level, or raise `LimitError` and take nothing; what others hold counts as used.

        Where *least* has a kind, what is left is enough as long as it is that much. The kinds in *firm* are as good as
        used, so that nobody waits for them; they still come back by `release`.
        """
        asked = takeable(amounts)
        lowest = enough(asked, least)
        with self._tree.lock:
            self._check()
            return self._take(self._granted(asked, lowest, returned=False), firm)

    def try_reserve(
        self, *, least: Mapping[str, float] | None = None, firm: Collection[str] = (), **amounts: float
    ) -> Hold | None:
        """Do what `reserve` does; None where it may become possible when others give back what they hold."""
        asked = takeable(amounts)
        lowest = enough(asked, least)
        with self._tree.lock:
            self._check()
            self._granted(asked, lowest, returned=True)
            try:
                granted = self._granted(asked, lowest, returned=False)
            except LimitError:
                return None
            return self._take(granted, firm)

    async def areserve(
        self, *, least: Mapping[str, float] | None = None, firm: Collection[str] = (), **amounts: float
    ) -> Hold:
        """Do what `reserve` does, waiting while others may give back enough; `LimitError` when that can never be.

        Whoever waits for what it holds itself waits until the deadline, and for ever where there is none.
        """
        # Imported where it is used: it is slow to load, and most of what the command line does has no use for it.
        import asyncio

        loop = asyncio.get_running_loop()
        while True:
            turn: Future[None] = loop.create_future()
            # In line before looking: what is given back in between is not missed.
            with self._tree.lock:
                self._tree.waiting[turn] = loop
            try:
                hold = self.try_reserve(least=least, firm=firm, **amounts)
                if hold is not None:
                    return hold
                await asyncio.wait([turn], timeout=self._patience())
            finally:
                with self._tree.lock:
                    self._tree.waiting.pop(turn, None)

    def spend(self, **amounts: float) -> None:
        """Use the amounts at once, or raise `LimitError` and use nothing."""
        asked = takeable(amounts)
        with self._tree.lock:
            self._check()
            # What is asked for is also the least of it, so nothing but all of it is granted.
            self._count(used=self._granted(asked, asked, returned=False))
        self._tree.wake()

    def _patience(self) -> float | None:
        left = self.seconds_left()
        return None if left is None else min(left, _LOOK_AGAIN)

    def _chain(self) -> Iterator[Pool]:
        pool: Pool | None = self
        while pool is not None:
            yield pool
            pool = pool._parent

    def _time(self) -> float:
        # A clock that was set back gives no time back.
        self._elapsed = max(self._elapsed, self._clock() - self._began + self._before)
        return self._elapsed

    def _check(self) -> None:
        for pool in self._chain():
            limit = pool._limits.get("seconds")
            if limit is not None and pool._time() >= limit:
                raise LimitError(KIND_NAMES["seconds"], used=pool._elapsed, limit=plain("seconds", limit))

    def _room(self, kind: str, *, returned: bool) -> Amount:
        gone = self._firm if returned else self._held
        return self._limits[kind] - self._used[kind] - gone[kind]

    def _granted(self, asked: Amounts, least: Amounts, *, returned: bool) -> Amounts:
        granted = dict(asked)
        for pool in self._chain():
            for kind in asked:
                if kind not in pool._limits:
                    continue
                room = pool._room(kind, returned=returned)
                if granted[kind] > room:
                    granted[kind] = math.floor(room) if kind in WHOLE else room
                if granted[kind] < least[kind]:
                    limit = pool._limits[kind]
                    used = plain(kind, limit - room + least[kind])
                    raise LimitError(KIND_NAMES[kind], used=used, limit=plain(kind, limit))
        return granted

    def _take(self, granted: Amounts, firm: Collection[str]) -> Hold:
        sure = {kind: amount for kind, amount in granted.items() if kind in firm}
        self._count(held=granted, firm=sure)
        return Hold(self, granted, sure)

    def _count(
        self, *, used: Amounts | None = None, held: Amounts | None = None, firm: Amounts | None = None, sign: int = 1
    ) -> None:
        for pool in self._chain():
            for total, amounts in ((pool._used, used), (pool._held, held), (pool._firm, firm)):
                for kind, amount in (amounts or {}).items():
                    total[kind] += sign * amount


class Hold:
    """Keep a part of a pool while work is under way; it ends once, with what was really used.

    A context manager: left without an end, it gives everything back, or counts everything as used where the body raised
    and nobody can say what was.
    """

    def __init__(self, pool: Pool, amounts: Amounts, firm: Amounts) -> None:
        self._pool = pool
        self._amounts = amounts
        self._firm = firm
        self._open = True
        self.granted: Mapping[str, float] = MappingProxyType(
            {kind: plain(kind, value) for kind, value in amounts.items()}
        )

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self._open

    def settle(self, **used: float) -> None:
        """Count what was used, even where that is more than was granted, and give the rest back."""
        amounts = takeable(used)
        if not self._end(amounts):
            raise ConflictError("a hold ends once, and this one has ended")

    def release(self) -> None:
        """Give everything back: nothing was used. After the end it does nothing."""
        self._end({})

    def forfeit(self) -> None:
        """Count everything as used, since nobody can say what was. After the end it does nothing."""
        self._end(self._amounts)

    def _end(self, used: Amounts) -> bool:
        tree = self._pool._tree
        with tree.lock:
            if not self._open:
                return False
            self._open = False
            self._pool._count(held=self._amounts, firm=self._firm, sign=-1)
            self._pool._count(used=used)
        tree.wake()
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.release()
        else:
            self.forfeit()


class _Tree:
    """What all levels share: one lock, so that a reservation is taken on all of them or on none, and who waits."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[Future[None], AbstractEventLoop] = {}

    def wake(self) -> None:
        """Let everybody who waits look again, whichever thread they wait on."""
        with self.lock:
            waiting, self.waiting = self.waiting, {}
        for turn, loop in waiting.items():
            # A loop that was closed has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, turn)


def _tell(turn: Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


_current: ContextVar[Pool | None] = ContextVar("mayfly_pool", default=None)


def current_pool() -> Pool | None:
    """Return the pool of the innermost `limit` around the caller, also across tasks and `asyncio.to_thread`."""
    return _current.get()


@contextmanager
def within(pool: Pool) -> Iterator[Pool]:
    """Let the body draw on *pool*, as if it stood inside the `limit` that made it."""
    token = _current.set(pool)
    try:
        yield pool
    finally:
        # A generator may be closed by another task, in which there is nothing to set back.
        with suppress(ValueError):
            _current.reset(token)


@contextmanager
def limit(*, clock: Callable[[], float] | None = None, **limits: float | None) -> Iterator[Pool]:
    """Limit what the body uses; inside another `limit` it draws on that one as well."""
    with within(Pool(parent=_current.get(), clock=clock, used=None, **limits)) as pool:
        yield pool
