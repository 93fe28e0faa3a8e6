"""The host's end of a `net` or `buy` grant's door: the proxy outside, and the sockets of the jobs that it serves."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import SandboxSettings
from mayfly.sandbox._grants import split_host
from mayfly.sandbox._python import end, is_stopped, start
from mayfly.sandbox.jail import _wire

if TYPE_CHECKING:
    from mayfly.sandbox._till import Till

# Seconds between two starts: a proxy that dies at once, over and over, must not keep a core busy.
_PAUSE = 0.1
# Hosts of one worker that are told: whoever tries thousands is told of the first.
_MOST_REFUSED = 100


class Broker:
    """A proxy in a process of its own, with a door for each worker; it ends with this object, or with the host.

    One that died or does not listen is replaced, and the new one gets the doors of all workers there are: the host
    keeps them, so what jobs ask for meanwhile waits in their queues.
    """

    def __init__(self, hosts: tuple[str, ...], settings: SandboxSettings) -> None:
        self._grants = json.dumps([split_host(host) for host in hosts])
        self._most = settings.jobs + settings.pinned
        self._doors: dict[int, _Door] = {}
        self._refused: dict[int, list[str]] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._start()
        threading.Thread(target=self._supervise, name="mayfly-broker", daemon=True).start()

    def _start(self) -> None:
        self._process, control = start("broker", self._grants, str(self._most))
        control.setblocking(False)
        self._control = control
        with contextlib.suppress(OSError):  # it is dead already, and whoever supervises it starts the next
            for door in self._doors.values():
                door.hand_over(control)

    def _supervise(self) -> None:
        while True:
            _wait_for_end(self._process.pid)
            time.sleep(_PAUSE)
            with self._lock:
                if self._closed:
                    return
                if self._process.poll() is not None:
                    self._replace()

    def open(self, number: int, door: int, *, target: tuple[str, int] | None = None, till: Till | None = None) -> None:
        """Serve the listening socket *door* of worker *number*, as a proxy or as the way to one *target*.

        With a *till* the worker's job may buy there.
        """
        message = _wire.DOOR.pack(_wire.OPEN, number)
        if target is not None:
            message = _wire.DOOR.pack(_wire.FIXED, number) + json.dumps(target).encode()
        elif till is not None:
            message = _wire.DOOR.pack(_wire.BUYING, number) + json.dumps([till.size, till.at_once]).encode()
        with self._lock:
            opened = self._doors[number] = _Door(door, message, till)
            try:
                opened.hand_over(self._control)
            except OSError:
                self._replace()

    def shut(self, number: int) -> list[str]:
        """End every connection of worker *number*; return what it asked for and no grant covers."""
        with self._lock:
            self._hear()
            door = self._doors.pop(number, None)
            if door is None:
                return []
            door.close()
            try:
                self._control.send(_wire.DOOR.pack(_wire.SHUT, number))
            except OSError:
                self._replace()
            return self._refused.pop(number, [])

    def _hear(self) -> None:
        """Take in what was refused; what workers that are gone were refused is nobody's concern."""
        with contextlib.suppress(OSError):
            while message := self._control.recv(_wire.DOOR_SIZE):
                _, number = _wire.DOOR.unpack_from(message)
                known = self._refused.setdefault(number, [])
                said = message[_wire.DOOR.size :].decode("utf-8", "replace")
                if number in self._doors and said not in known and len(known) < _MOST_REFUSED:
                    known.append(said)
        self._refused = {number: said for number, said in self._refused.items() if number in self._doors}

    def ensure(self) -> None:
        """Replace a proxy that has ended or that somebody has stopped, before a job relies on it."""
        with self._lock:
            if self._process.poll() is not None or is_stopped(self._process.pid):
                self._replace()

    def _replace(self) -> None:
        """Start the next proxy; where there is no process or descriptor to be had, whoever supervises tries again."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._start()

    def close(self) -> None:
        """End the proxy."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._control.close()
            end(self._process)
            while self._doors:
                self._doors.popitem()[1].close()

    def abandon(self) -> None:
        """In a forked child: let go of it."""
        self._process.returncode = 0
        self._control.close()
        while self._doors:
            door = self._doors.popitem()[1]
            os.close(door.listener)
            if door.till is not None:
                door.till.abandon()


class _Door(NamedTuple):
    """The listening socket of a worker, what the proxy is told of it, and where its job buys."""

    listener: int
    message: bytes
    till: Till | None

    def hand_over(self, control: socket.socket) -> None:
        """Send it to a proxy, with a connection of that proxy's own to the till."""
        if self.till is None:
            socket.send_fds(control, [self.message], [self.listener])
            return
        way = self.till.connect()
        try:
            socket.send_fds(control, [self.message], [self.listener, way])
        finally:
            os.close(way)

    def close(self) -> None:
        os.close(self.listener)
        if self.till is not None:
            self.till.close()


def _wait_for_end(pid: int) -> None:
    """Sleep until a child of ours is dead, without collecting it: that is for the one who holds its `Popen`."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return  # collected already, or no descriptor is left: the caller looks again
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll()
    finally:
        os.close(handle)
