"""Watch rule files, and what else is loaded with them, and reload all when they have come to rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mayfly.core import MayflyError
from mayfly.policy.kernel._files import rule_paths

if TYPE_CHECKING:
    from mayfly.policy.kernel._rulebook import Reload, Rulebook

_Mark: TypeAlias = dict[Path, tuple[int, int, int, int]]
# A look may take this part of the time at most, however many files there are.
_LOOKING = 0.1


class WatchedFiles(Protocol):
    """Something else that is made of files."""

    def watched(self) -> Iterable[Path]:
        """Yield the files whose change matters."""
        ...

    def reload(self) -> object:
        """Read them again, and put what is good into force."""
        ...


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
        also: Sequence[WatchedFiles] = (),
    ) -> None:
        self._rulebook = rulebook
        self._also = tuple(also)
        self._debounce = debounce
        self._clock = clock
        self._report = report
        self._mark = self._marked()
        self._changed: float | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    def look(self) -> bool:
        """Look once; True where all was loaded again."""
        mark = self._marked()
        if mark != self._mark:
            self._mark, self._changed = mark, self._clock()
        if self._changed is None or self._clock() - self._changed < self._debounce:
            return False
        self._changed = None
        for one in self._also:
            one.reload()
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
        pause = least = max(0.02, self._debounce / 5)
        while not self._stop.wait(pause):
            began = time.monotonic()
            try:
                self.look()
                pause = max(least, min(1.0, (time.monotonic() - began) / _LOOKING))
            except (OSError, MayflyError):
                # A directory may vanish between two looks; what is in force stays in force.
                continue

    def _marked(self) -> _Mark:
        mark: _Mark = {}
        paths = [*rule_paths(self._rulebook.places), *(path for one in self._also for path in one.watched())]
        for path in paths:
            try:
                found = path.stat()
            except OSError:
                continue
            mark[path] = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        return mark
