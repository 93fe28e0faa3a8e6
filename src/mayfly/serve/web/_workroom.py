"""The threads of a server: `Workroom`, where work is done, and `Feed`, which follows the ledger for who waits."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mayfly.core import Stop
from mayfly.runtime import called_by
from mayfly.serve.web._answer import BusyError

if TYPE_CHECKING:
    from starlette.requests import Request

    from mayfly.forge import Observer
    from mayfly.store import Event, Ledger

P = ParamSpec("P")
T = TypeVar("T")
# Seconds after which who was sent away may try again: about as long as a run that has to be written.
_AGAIN = 2


class Workroom:
    """Do work in threads; each piece has its own stop and, where wanted, its own observer."""

    def __init__(self, *, most: int, waiting: int) -> None:
        self._most = most + waiting
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="mayfly-web")
        self._stops: set[Stop] = set()

    async def do(self, request: Request, work: Callable[[Stop], T]) -> T:
        """Do *work* for a client and return what it returns; the client's leaving ends it."""
        stop = Stop()
        task = self.begin(work, stop=stop)
        watching = asyncio.ensure_future(_until_gone(request, stop))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            stop.cancel()
            raise
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def call(self, request: Request, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Call a function in a thread for a client; the client's leaving ends what hears of it."""
        return await self.do(request, lambda stop: function(*args, **options))

    def begin(
        self, work: Callable[[Stop], T], *, stop: Stop, observer: Observer | None = None, live: bool = False
    ) -> asyncio.Future[T]:
        """Begin *work*, which goes on whether or not anybody waits for it; raise `BusyError` where there is no seat.

        A *live* one is followed step by step in the ledger.
        """
        if len(self._stops) >= self._most:
            raise BusyError("as much as this server takes is under way", seconds=_AGAIN)

        def done() -> T:
            with called_by(observer, stop=stop, live=live):
                return work(stop)

        self._stops.add(stop)
        # Each piece has a context of its own: what one caller sets, another does not see.
        context = contextvars.copy_context()
        task = asyncio.get_running_loop().run_in_executor(self._threads, context.run, done)
        task.add_done_callback(lambda _: self._stops.discard(stop))
        return task

    @property
    def under_way(self) -> int:
        """How many pieces are being done or wait for a thread."""
        return len(self._stops)

    def close(self) -> None:
        """End what is under way and wait for it."""
        for stop in tuple(self._stops):
            stop.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)


async def _until_gone(request: Request, stop: Stop) -> None:
    """Stop the work when the client has left."""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            # Ending it may ask the store something, which is nothing for the loop.
            await asyncio.to_thread(stop.cancel)
            return


# Seconds before a store that could not be reached is followed again.
_FOLLOW_AGAIN = 1.0
log = logging.getLogger("mayfly.serve")


class Feed:
    """Wake listeners by the subject they wait for; the empty one waits for anything."""

    def __init__(self, ledger: Ledger, loop: asyncio.AbstractEventLoop) -> None:
        self._ledger = ledger
        self._loop = loop
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._ears: dict[str, set[asyncio.Event]] = {}
        self._watchers: dict[str, Callable[[Event], None]] = {}
        # A daemon, since a store that hangs is no reason for a server not to end.
        self._thread = threading.Thread(target=self._follow, name="mayfly-feed", daemon=True)
        self._thread.start()

    @contextmanager
    def listening(self, subject: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever there is news of *subject*."""
        ear = asyncio.Event()
        with self._lock:
            self._ears.setdefault(subject, set()).add(ear)
        try:
            yield ear
        finally:
            with self._lock:
                self._ears[subject].discard(ear)
                if not self._ears[subject]:
                    del self._ears[subject]

    @contextmanager
    def watching(self, subject: str, tell: Callable[[Event], None]) -> Iterator[None]:
        """Tell *tell*, in the thread of the feed, of every event under exactly *subject*."""
        with self._lock:
            self._watchers[subject] = tell
        try:
            yield
        finally:
            with self._lock:
                self._watchers.pop(subject, None)

    @property
    def listeners(self) -> int:
        """How many wait."""
        with self._lock:
            return sum(map(len, self._ears.values()))

    def close(self) -> None:
        """End the thread, and let who waits look once more."""
        self._stop.set()
        with self._lock:
            for ears in self._ears.values():
                self._wake(ears)

    @property
    def closed(self) -> bool:
        """Whether the server is about to end."""
        return self._stop.is_set()

    def _follow(self) -> None:
        after: int | None = None
        while not self._stop.is_set():
            try:
                if after is None:
                    after = self._ledger.before_last(0)
                for event in self._ledger.follow(after=after, stop=self._stop):
                    after = event.id
                    self._pass_on(event)
            except Exception as error:  # the store may be gone for a while; streams go on when it is back
                if not self._stop.is_set():
                    log.warning("the ledger cannot be followed: %s", type(error).__name__)
                self._stop.wait(_FOLLOW_AGAIN)

    def _pass_on(self, event: Event) -> None:
        named = {event.subject.partition("/")[0], *_named_in(event), ""}
        with self._lock:
            for subject in named & self._ears.keys():
                self._wake(self._ears[subject])
            tell = self._watchers.get(event.subject)
        if tell is not None:
            tell(event)

    def _wake(self, ears: set[asyncio.Event]) -> None:
        for ear in ears:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(ear.set)


def _named_in(event: Event) -> set[str]:
    """Return the runs and sessions that an event under another subject is about."""
    named = {str(event.payload.get(name)) for name in ("run", "session") if event.payload.get(name)}
    if event.subject.startswith("h-"):
        named.add("r-" + event.subject.partition("/")[0].removeprefix("h-"))
    return named
