"""The host's end of the launcher: a jailed process tree for each command, and how it is told to begin and to end.

To make namespaces and to move a process into a control group takes the kernel tens of milliseconds, so what the next
command needs is made while nobody waits for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import threading
from typing import Any

from mayfly.core import WorkbenchSettings
from mayfly.sandbox import _cgroup
from mayfly.sandbox._python import end, is_permanent, pid_of, start

# A start takes a tenth of a second; on a machine that is busy beyond measure, ten seconds.
_START_SECONDS = 20.0


class NotLaunched(Exception):
    """The walls could not be raised; *where* names the step and *number* is the system's error."""

    def __init__(self, message: str, *, number: int = 0, where: str = "") -> None:
        super().__init__(message)
        self.number = number
        self.where = where

    @property
    def permanent(self) -> bool:
        """Whether this is the kernel's answer that there is no such level; anything else may work the next moment."""
        return is_permanent(self.number)


def failure(said: dict[str, Any]) -> NotLaunched:
    """Return what a process said about the wall it could not raise."""
    text, where = str(said.get("error", "its process ended")), str(said.get("where", ""))
    return NotLaunched(text, number=int(said.get("errno") or 0), where=where)


class Running:
    """One command from its first moment to its last."""

    def __init__(self, channel: socket.socket, *, gently: bool) -> None:
        self.channel = channel
        self.group: _cgroup.Group | None = None
        # Without namespaces its first process has to end the others itself, so it is asked to.
        self._signal = signal.SIGTERM if gently else signal.SIGKILL
        self._process = self._first = -1
        self.doors: list[int] = []
        self.code: int | None = None

    def stand_by(self, group: _cgroup.Group | None) -> None:
        """Count its process in *group*, and then let it make the first one behind the walls."""
        self._process = self._hear_process()
        if group is not None:
            group.add(pid_of(self._process))
        with contextlib.suppress(OSError):
            self.channel.send(b"G")
        self._first = self._hear_process()
        self.group = group

    def _hear_process(self) -> int:
        said, descriptors = self._hear(1)
        if not descriptors:
            raise failure(said)
        return descriptors[0]

    def _hear(self, most: int) -> tuple[dict[str, Any], list[int]]:
        self.channel.settimeout(_START_SECONDS)
        try:
            message, descriptors, _, _ = socket.recv_fds(self.channel, 1 << 16, most)
        except OSError as error:
            raise NotLaunched(f"the workbench did not answer: {error}") from None
        return (json.loads(message) if message else {}), list(descriptors)

    def begin(self, config: dict[str, Any], *, stdin: int, output: int) -> None:
        """Have it run a command; raise `NotLaunched` where a wall could not be raised."""
        request = os.memfd_create("request", os.MFD_CLOEXEC)
        try:
            with open(os.dup(request), "wb") as file:
                file.write(json.dumps(config).encode())
            os.lseek(request, 0, os.SEEK_SET)
            socket.send_fds(self.channel, [b"R"], [request, stdin, output])
        except OSError as error:
            raise NotLaunched(f"the workbench is gone: {error}") from None
        finally:
            os.close(request)
        said, self.doors = self._hear(64)
        if "doors" not in said:
            raise failure(said)

    def hear_end(self) -> bool:
        """Take in how it ended; false while it has not."""
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        if not poll.poll(0):
            return False
        with contextlib.suppress(OSError, NotLaunched):
            said, _ = self._hear(1)
            if "code" in said:
                self.code = int(said["code"])
        return True

    def kill(self) -> None:
        """End it and everything that it started: its first process takes all others with it."""
        first = self._first if self._first >= 0 else self._process
        if first >= 0:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(first, self._signal)

    def wait(self, seconds: float) -> bool:
        """Wait until its processes are gone."""
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def close(self) -> None:
        """End it, let go of it, and let others have the group."""
        self.kill()
        self.channel.close()
        for descriptor in (self._process, self._first, *self.doors):
            if descriptor >= 0:
                os.close(descriptor)
        self._process, self._first, self.doors = -1, -1, []
        group, self.group = self.group, None
        if group is not None:
            group.give_back()


class Seats:
    """The launcher, a process that ends with this object or with ours, and the one command to come that is ready."""

    def __init__(self, level: str, settings: WorkbenchSettings) -> None:
        self._settings = settings
        self._level = level
        self._groups: _cgroup.Groups | None = None
        self._looked = False
        self._ready: Running | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._launch()

    def _launch(self) -> None:
        self._stands = False
        self._process, self._control = start("bench")
        self._control.settimeout(_START_SECONDS)
        self._control.send(self._level.encode())

    def _end(self) -> None:
        self._control.close()
        end(self._process)

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
        if self._looked and self._process.poll() is not None:
            self._end()
            self._launch()
        if not self._looked:
            self._looked = True
            self._groups = _cgroup.join()
        if not self._stands:
            self._hear_that_it_stands()
        group = None
        if self._groups is not None:
            with contextlib.suppress(OSError):  # somebody took away what was delegated
                group = self._groups.take(memory=self._settings.memory, tasks=self._settings.tasks)
        try:
            return self._start(group)
        except BaseException:
            if group is not None:
                group.give_back()
            raise

    def _hear_that_it_stands(self) -> None:
        try:
            answer = self._control.recv(4096)
        except OSError as error:
            raise NotLaunched(f"the workbench did not start: {error}") from None
        if answer != b"Z":
            raise failure(json.loads(answer) if answer else {})
        self._stands = True

    def _start(self, group: _cgroup.Group | None) -> Running:
        """Raise the walls around a command to come, all of whose processes are counted in *group*."""
        channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        running = Running(channel, gently=self._level != "namespaces")
        try:
            with theirs:
                socket.send_fds(self._control, [b"S"], [theirs.fileno()])
            running.stand_by(group)
            return running
        except BaseException as error:
            running.close()
            if isinstance(error, OSError):
                raise NotLaunched(f"the workbench is gone: {error}") from None
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
            self._end()
            if self._groups is not None:
                self._groups.leave()
