"""Keep database connections out of forked children.

A child must not merely avoid its parent's connections. SQLite keeps its table of file locks in process memory, so a
child forked beside an open connection believes it holds locks that only the parent has, and a fresh connection would
then write without any. So nothing is open at the instant of a fork: whoever is inside finishes, newcomers wait, the
pool is emptied, and both sides connect again when they next need to.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakSet


class ForkGuard:
    """Let threads in to use connections, one at a time to write, and none while the process forks."""

    def __init__(self, disconnect: Callable[[], None], *, restart: Callable[[], None] = lambda: None) -> None:
        """*disconnect* closes every connection; *restart* is called in a child, for what its lost threads left."""
        self._disconnect = disconnect
        self._restart = restart
        self._start()
        _guards.add(self)

    def _start(self) -> None:
        self._changed = threading.Condition()
        self._turn = threading.Lock()
        self._inside = 0
        self._shut = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold off forks while the body uses a connection."""
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold off forks and the other writers of this process."""
        with self._turn, self.shared():
            yield

    def shut(self) -> None:
        """Wait until nobody is inside, then close every connection and let nobody in."""
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._shut = True
            self._changed.wait_for(lambda: self._inside == 0)
        self._disconnect()

    def reopen(self) -> None:
        """Let threads in again, in the parent."""
        with self._changed:
            self._shut = False
            self._changed.notify_all()

    def restart(self) -> None:
        """Let threads in again, in the child, where the threads that held a lock do not exist."""
        self._start()
        self._restart()


_guards: WeakSet[ForkGuard] = WeakSet()
_forking = threading.Lock()
_held: list[ForkGuard] = []


def _before() -> None:
    _forking.acquire()
    for guard in list(_guards):
        guard.shut()
        _held.append(guard)


def _after(release: Callable[[ForkGuard], None]) -> None:
    while _held:
        release(_held.pop())
    _forking.release()


os.register_at_fork(
    before=_before,
    after_in_parent=lambda: _after(ForkGuard.reopen),
    after_in_child=lambda: _after(ForkGuard.restart),
)
