"""`Feed`: one thread that follows the ledger and wakes who waits for news of a run, whichever process wrote it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

# Seconds before a store that could not be reached is followed again.
_AGAIN = 1.0
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
                self._stop.wait(_AGAIN)

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
