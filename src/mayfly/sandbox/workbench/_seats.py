"""Seats behind the wall: processes with namespaces of their own, counted in a group, that wait for a command.

To make namespaces and to move a process into a group takes the kernel tens of milliseconds, so the seat for the next
command is made while nobody waits for it.
"""

from __future__ import annotations

import contextlib
import threading

from mayfly.core import WorkbenchSettings
from mayfly.sandbox import _cgroup
from mayfly.sandbox.workbench._launcher import Launcher, NotLaunched, Running


class Seats:
    """The launcher of a workbench and the one seat that is ready."""

    def __init__(self, level: str, settings: WorkbenchSettings) -> None:
        self._settings = settings
        self._level = level
        self._launcher = Launcher(level)
        self._groups: _cgroup.Groups | None = None
        self._looked = False
        self._ready: Running | None = None
        self._lock = threading.Lock()
        self._closed = False

    def prepare(self) -> None:
        """Have a seat made, in the background."""
        threading.Thread(target=self._prepare, name="mayfly-workbench", daemon=True).start()

    def _prepare(self) -> None:
        with contextlib.suppress(NotLaunched, OSError, RuntimeError), self._lock:
            if self._ready is None and not self._closed:
                self._ready = self._make()

    def take(self) -> Running:
        """Return a seat; raise `NotLaunched` where there can be none."""
        with self._lock:
            seat, self._ready = self._ready, None
            if seat is not None and not seat.wait(0):
                return seat
            if seat is not None:
                seat.close()
            return self._make()

    def _make(self) -> Running:
        if not self._launcher.alive and self._looked:
            self._launcher.close()
            self._launcher = Launcher(self._level)
        if not self._looked:
            self._looked = True
            self._groups = _cgroup.join()
        group = None
        if self._groups is not None:
            with contextlib.suppress(OSError):  # somebody took away what was delegated
                group = self._groups.take(memory=self._settings.memory, tasks=self._settings.tasks)
        try:
            return self._launcher.start(group)
        except BaseException:
            if group is not None:
                group.give_back()
            raise

    def close(self) -> None:
        """End everything."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._ready is not None:
                self._ready.close()
                self._ready = None
            self._launcher.close()
            if self._groups is not None:
                self._groups.leave()
