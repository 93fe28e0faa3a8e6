"""Group commit: what many threads append at the same time goes to disk in one transaction."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress

from mayfly.core import StoreError
from mayfly.store._append import Append, append_all, end_for
from mayfly.store._database import Connection
from mayfly.store._events import Event

# Events that one transaction takes of several threads, as many as a journal hands in at once: whoever came first is
# answered last in it, and a larger group would not be faster for an event. One append is never divided.
MOST = 2000

Writing = Callable[[], AbstractContextManager[Connection]]


class GroupCommit:
    """Let the first of the threads that wait write for all of them; nobody is answered before his events are on disk.

    No thread is set aside for it: a thread alone writes at once, and whoever comes while it does waits and is part of
    the next group. Where a group is refused, each append of it is tried alone, so that one gets its own error only.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget those who wait: in a forked child their threads do not exist."""
        self._changed = threading.Condition()
        self._waiting: deque[Append] = deque()
        self._busy = False

    def record(self, append: Append, writing: Writing) -> list[Event]:
        """Write *append*, alone or with others, in what *writing* begins; return its events as they were recorded."""
        with self._changed:
            self._waiting.append(append)
        try:
            while group := self._next_group(append):
                try:
                    write_group(group, writing)
                finally:
                    self._done(append, group)
        except BaseException:
            # An interrupt: what nobody has taken yet is not written any more.
            with self._changed, suppress(ValueError):
                self._waiting.remove(append)
            raise
        if append.error is not None:
            raise append.error
        assert append.recorded is not None, "who is not answered writes"
        return append.recorded

    def _next_group(self, append: Append) -> list[Append]:
        """Wait until *append* is answered, then return nothing; or until nobody writes, then return what is to be."""
        with self._changed:
            self._changed.wait_for(lambda: append.answered or not self._busy)
            if append.answered:
                return []
            self._busy = True
            group = [self._waiting.popleft()]
            size = len(group[0].fresh)
            while self._waiting and (size := size + len(self._waiting[0].fresh)) <= MOST:
                group.append(self._waiting.popleft())
            return group

    def _done(self, own: Append, group: Sequence[Append]) -> None:
        """Let the next one write; what an interrupt of this thread left open is first in line again."""
        with self._changed:
            self._waiting.extendleft(one for one in reversed(group) if not (one is own or one.answered))
            self._busy = False
            self._changed.notify_all()


def write_group(group: Sequence[Append], writing: Writing) -> None:
    """Write all appends in one transaction; where that is refused, each in its own. Each gets its answer."""
    if not _joined(group, writing):
        for append in group:
            _joined([append], writing)


def _joined(group: Sequence[Append], writing: Writing) -> bool:
    """Write all of them or none; False where several were refused and each is to be tried alone."""
    several = len(group) > 1
    locked = committing = certain = False
    try:
        with writing() as connection:
            certain = connection.database.undoes_failed_commit
            end = end_for(connection, group)
            locked = True
            found = append_all(connection, group, end)
            committing = True
    except StoreError as error:
        # Where the ledger is busy, closed or away it is so for all; what may have been kept is not written again.
        if several and locked and (certain or not committing):
            return False
        _refuse(group, error)
    except Exception as error:  # of one of them: a fence, a second end
        if several:
            return False
        group[0].error = error
    except BaseException:
        if committing:
            _refuse(group, StoreError("the commit was interrupted; what was to be recorded may have been kept"))
        raise
    else:
        for append, recorded in zip(group, found, strict=True):
            append.recorded = recorded
    return True


def _refuse(group: Sequence[Append], error: StoreError) -> None:
    """Give each its own error: one that several threads raise would show the traces of all of them."""
    for append in group:
        append.error = error if len(group) == 1 else StoreError(error.message, fix=error.fix)
