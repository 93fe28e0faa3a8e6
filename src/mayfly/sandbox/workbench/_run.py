"""Run one command: start it, collect its output, and end it at a limit."""

from __future__ import annotations

import contextlib
import os
import select
import time
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from mayfly.core import Stop, WorkbenchSettings
from mayfly.sandbox import _cgroup
from mayfly.sandbox._workspace import measure
from mayfly.sandbox.workbench._changes import Changes
from mayfly.sandbox.workbench._doors import Doors
from mayfly.sandbox.workbench._launcher import Running
from mayfly.sandbox.workbench._output import Output

RanStatus = Literal["ok", "failed", "timeout", "stopped", "limit", "died", "refused"]
# Seconds between two looks at the disk.
_LOOK = 0.02
# Seconds for processes that were killed to be gone; the kernel may have much of their memory to free.
_GONE_SECONDS = 30.0
_CHUNK = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a command ended, what it printed and what it changed."""

    status: RanStatus
    code: int | None
    output: str
    whole: int
    changes: Changes
    reason: str
    level: str
    milliseconds: float
    refused_hosts: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it ended well."""
        return self.status == "ok"


class Ended(NamedTuple):
    """How the processes of a command ended, whatever they changed."""

    status: RanStatus
    code: int | None
    reason: str


@dataclass(kw_only=True)
class Command:
    """One command with its limits."""

    config: dict[str, Any]
    settings: WorkbenchSettings
    timeout: float
    stdin: bytes
    output: Output
    doors: Doors
    stop: Stop | None = None
    # What holds the changes and the scratch files, measured against the limits on disk space.
    places: tuple[str, ...] = ()

    def run(self, running: Running) -> Ended:
        """Run it to its end."""
        with contextlib.ExitStack() as stack:
            stack.callback(running.close)
            reader, writer = os.pipe2(os.O_CLOEXEC)
            stack.callback(os.close, reader)
            # Scripts write to /dev/stderr, which opens the pipe anew, and who runs them in there may be another user.
            os.fchmod(writer, 0o622)
            stdin = _as_file(self.stdin)
            try:
                running.begin(self.config, stdin=stdin, output=writer)
            finally:
                os.close(writer)
                os.close(stdin)
            try:
                self.doors.take(running.doors)
                ended = self._attend(running, reader)
            finally:
                running.kill()
                gone = running.wait(_GONE_SECONDS)
            self._drain(reader)
            if not gone:  # what they write meanwhile is not to be kept
                return Ended("died", None, f"its processes could not be ended within {_GONE_SECONDS:g} s")
            return self._judge(ended, running.group)

    def _attend(self, running: Running, reader: int) -> Ended | None:
        """Take in what it prints until it has ended or has to; None where its end is to be judged."""
        deadline = time.monotonic() + self.timeout
        waker, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        watch = Disk(self.places, self.settings)
        poll = select.poll()
        for descriptor in (reader, waker, running.channel.fileno(), *self.doors.waiting):
            poll.register(descriptor, select.POLLIN)
        try:
            with contextlib.ExitStack() as stack:
                if self.stop is not None:
                    stack.enter_context(self.stop.ending(lambda: _wake(wake)))
                while True:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return Ended("timeout", None, f"it ran for {self.timeout:g} s, its limit")
                    ready = [descriptor for descriptor, _ in poll.poll(min(left, _LOOK) * 1000)]
                    if waker in ready:
                        return Ended("stopped", None, "it was stopped")
                    if reader in ready and not self._take(reader):
                        poll.unregister(reader)
                    for door in self.doors.knock(ready):
                        poll.unregister(door)
                    if (running.channel.fileno() in ready) and running.hear_end():
                        return Ended("ok", running.code, "") if running.code is not None else None
                    if reason := watch.look():
                        return Ended("limit", None, reason)
        finally:
            os.close(waker)
            os.close(wake)

    def _take(self, reader: int) -> bool:
        data = os.read(reader, _CHUNK)
        self.output.feed(data)
        return bool(data)

    def _drain(self, reader: int) -> None:
        """Take in what was printed last; everything that could print more is dead."""
        os.set_blocking(reader, False)
        with contextlib.suppress(BlockingIOError):
            while self._take(reader):
                pass

    def _judge(self, ended: Ended | None, group: _cgroup.Group | None) -> Ended:
        limit = ""
        if group is not None:
            if group.was_refused_tasks():
                limit = f"it wanted more than {self.settings.tasks} processes and threads, its limit"
            elif group.was_killed() and (ended is None or ended.code != 0):
                limit = f"it wanted more than {self.settings.memory} bytes of memory, its limit"
        if ended is None:
            return Ended("limit" if limit else "died", None, limit or "its processes were killed from outside")
        if ended.status != "ok":
            return ended
        if limit:
            return Ended("limit", ended.code, limit)
        if reason := Disk(self.places, self.settings).measure():
            return Ended("limit", ended.code, reason)
        return ended if ended.code == 0 else Ended("failed", ended.code, f"it ended with exit status {ended.code}")


class Disk:
    """Hold changes and scratch files to a size and a number.

    Their file system says at once how much it holds in all; only when that has grown by as much as is left are the
    files themselves looked at, so that neither many files nor a fast writer get ahead of the looks.
    """

    def __init__(self, places: tuple[str, ...], settings: WorkbenchSettings) -> None:
        self._places = places
        self._settings = settings
        self._size, self._files = 0, 0
        self._held = self._filled()
        self._next = 0.0
        self._know()

    def look(self) -> str:
        """Return which limit was met, or nothing."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + _LOOK
        size, files = self._filled()
        large = size - self._held[0] + self._size > self._settings.disk
        many = files - self._held[1] + self._files > self._settings.files
        if not large and not many:
            return ""
        # Whoever else writes to the disk makes us look in vain, and must not make us look all the time.
        began = time.monotonic()
        self._held = (size, files)
        reason = self.measure()
        self._next = time.monotonic() + max(_LOOK, time.monotonic() - began)
        return reason

    def measure(self) -> str:
        """Look at the files themselves."""
        self._know()
        if self._size > self._settings.disk:
            return f"its changes and scratch files hold more than {self._settings.disk} bytes, their limit"
        if self._files > self._settings.files:
            return f"its changes and scratch files are more than {self._settings.files}, their limit"
        return ""

    def _know(self) -> None:
        found = [measure(place, self._settings.files) for place in self._places]
        self._size, self._files = sum(one.size for one in found), sum(one.files for one in found)

    def _filled(self) -> tuple[int, int]:
        if not self._places:
            return 0, 0
        system = os.statvfs(self._places[0])
        return (system.f_blocks - system.f_bfree) * system.f_frsize, system.f_files - system.f_ffree


def _as_file(data: bytes) -> int:
    """Return a descriptor to read *data* from."""
    if not data:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    descriptor = os.memfd_create("input", os.MFD_CLOEXEC)
    try:
        with open(os.dup(descriptor), "wb") as file:
            file.write(data)
        return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(descriptor)


def _wake(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, b"x")
