"""Watch rule files and reload them when they have come to rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias

from mayfly.core import MayflyError
from mayfly.policy.kernel._files import rule_paths

if TYPE_CHECKING:
    from mayfly.policy.kernel._rulebook import Reload, Rulebook

_Mark: TypeAlias = dict[Path, tuple[int, int, int, int]]


class Watcher:
    """Look at the files now and then; a change is taken up once nothing has moved for the debounce time.

    Use as a context manager for a thread of its own, or call `look` from a loop that already turns.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        *,
        debounce: float = 0.5,
        clock: Callable[[], float] = time.monotonic,
        report: Callable[[Reload], None] = lambda reload: None,
    ) -> None:
        self._rulebook = rulebook
        self._debounce = debounce
        self._clock = clock
        self._report = report
        self._mark = self._marked()
        self._changed: float | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    def look(self) -> bool:
        """Look once; True where the rules were loaded again."""
        mark = self._marked()
        if mark != self._mark:
            self._mark, self._changed = mark, self._clock()
        if self._changed is None or self._clock() - self._changed < self._debounce:
            return False
        self._changed = None
        self._report(self._rulebook.reload())
        return True

    def __enter__(self) -> Watcher:
        self._thread = Thread(target=self._run, name="mayfly-rules", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(max(0.02, self._debounce / 2)):
            try:
                self.look()
            except (OSError, MayflyError):
                # A directory may vanish between two looks; what is in force stays in force.
                continue

    def _marked(self) -> _Mark:
        mark: _Mark = {}
        for path in rule_paths(self._rulebook.places):
            try:
                found = path.stat()
            except OSError:
                continue
            mark[path] = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        return mark
