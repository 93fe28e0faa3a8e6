"""`Stop`: let another thread end what is under way, whatever that is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Say once that a piece of work has to end; everything that is under way for it is ended at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: list[Callable[[], object]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the work has to end."""
        return self._cancelled

    def cancel(self) -> None:
        """End what is under way, and whatever is begun from now on."""
        with self._lock:
            self._cancelled = True
            ends = list(self._ends)
        for end in ends:
            end()

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """Call *end* when the work has to end while the body runs, or at once where that was said before."""
        with self._lock:
            self._ends.append(end)
            late = self._cancelled
        try:
            if late:
                end()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)
