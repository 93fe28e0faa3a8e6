"""A thread of our own for what callers should not have to wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


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
