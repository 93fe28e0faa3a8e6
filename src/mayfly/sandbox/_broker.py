"""The host's end of a `net` or `buy` grant's door: the proxy outside, and the sockets of the jobs that it serves."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time

from mayfly.core import SandboxSettings
from mayfly.sandbox._grants import split_host
from mayfly.sandbox._purchases import Till
from mayfly.sandbox._python import end, is_stopped, start
from mayfly.sandbox.jail import _wire

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
                socket.send_fds(control, [door.message], [door.listener])

    def _supervise(self) -> None:
        while not self._closed:
            self._await_news()
            with self._lock:
                self._hear()
            if self._process.poll() is not None:
                time.sleep(_PAUSE)
                with self._lock:
                    if not self._closed and self._process.poll() is not None:
                        self._replace()

    def _await_news(self) -> None:
        """Sleep until the proxy says something or is dead."""
        poll = select.poll()
        try:
            poll.register(self._control, select.POLLIN)
            handle = os.pidfd_open(self._process.pid)
        except (OSError, ValueError):  # it was collected and closed already, or no descriptor is left: look again
            time.sleep(_PAUSE)
            return
        try:
            poll.register(handle, select.POLLIN)
            poll.poll()
        finally:
            os.close(handle)

    def open(self, number: int, door: int, *, target: tuple[str, int] | None = None, till: Till | None = None) -> None:
        """Serve the listening socket *door* of worker *number*, as a proxy or as the way to one *target*.

        With a *till* the worker's job may buy there.
        """
        opens = json.dumps([target, till.terms if till is not None else None])
        message = _wire.DOOR.pack(_wire.OPEN, number) + opens.encode()
        with self._lock:
            opened = self._doors[number] = _Door(door, message, till)
            try:
                socket.send_fds(self._control, [opened.message], [door])
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
            return list(door.refused)

    def _hear(self) -> None:
        """Take in what was refused and what the wallet is asked; of workers that are gone nothing is of interest."""
        with contextlib.suppress(OSError):
            while True:
                message, descriptors, _, _ = socket.recv_fds(self._control, _wire.DOOR_SIZE, 1, socket.MSG_CMSG_CLOEXEC)
                if not message:
                    return
                kind, number = _wire.DOOR.unpack_from(message)
                said, door = message[_wire.DOOR.size :], self._doors.get(number)
                if kind == _wire.ASKED and descriptors:
                    way = socket.socket(fileno=descriptors[0])
                    way.close() if door is None or door.till is None else door.till.serve(way, said)
                elif door is not None and len(door.refused) < _MOST_REFUSED:
                    door.refused[said.decode("utf-8", "replace")] = None

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
            # Closing alone is not seen at the other end while the thread that supervises still polls the socket.
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            end(self._process)
            while self._doors:
                self._doors.popitem()[1].close()

    def abandon(self) -> None:
        """In a forked child: let go of it."""
        self._process.returncode = 0
        self._control.close()
        while self._doors:
            os.close(self._doors.popitem()[1].listener)


class _Door:
    """The listening socket of a worker, what the proxy is told of it, where its job buys and what it was refused."""

    def __init__(self, listener: int, message: bytes, till: Till | None) -> None:
        self.listener = listener
        self.message = message
        self.till = till
        self.refused: dict[str, None] = {}

    def close(self) -> None:
        if self.till is not None:
            self.till.end()
        os.close(self.listener)
