"""Workers: forks of the server, one for each check, so that no program leaves anything behind for the next."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import select
import signal
import socket
import time
from pathlib import Path
from typing import Any, NoReturn

from . import _wire
from ._checker import Checker

_PR_SET_PDEATHSIG = 1
_SAMPLE = (Path(__file__).parent / "_sample.py").read_text(encoding="utf-8")
_SAMPLE_NAME = "sample"
_libc = ctypes.CDLL(None)


class HostGone(Exception):
    """Nobody waits for the answer any more."""


class Worker:
    """One forked process that waits for one program."""

    def __init__(self, checker: Checker, config: dict[str, Any], close: tuple[int, ...]) -> None:
        ours, theirs = socket.socketpair()
        server = os.getpid()
        self.process = os.fork()
        if self.process == 0:
            ours.close()
            _live(checker, config, close, theirs, server)
        theirs.close()
        self._channel = ours

    def check(self, request: dict[str, Any], host: int) -> dict[str, Any]:
        """Have a program checked; a worker that dies or takes too long is an answer too."""
        deadline = time.monotonic() + float(request["seconds"])
        channel = self._channel.fileno()
        try:
            _wire.send(channel, request, deadline=deadline)
            _await(channel, host, deadline)
            return _wire.receive(channel, deadline=deadline)
        except TimeoutError:
            return {"status": "timeout"}
        except _wire.Closed:
            return {"status": "crash"}

    def end(self) -> None:
        """End the process, whatever it does."""
        self._channel.close()
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def _await(channel: int, host: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    poll.register(host, select.POLLHUP)
    ready = dict(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
    if ready.get(host, 0) & select.POLLHUP:
        raise HostGone
    if not ready:
        raise TimeoutError


def _live(
    checker: Checker, config: dict[str, Any], close: tuple[int, ...], theirs: socket.socket, server: int
) -> NoReturn:
    try:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != server:
            os._exit(1)
        for descriptor in close:
            os.close(descriptor)
        limit(int(config["memory"]), float(config["seconds"]))
        channel = theirs.fileno()
        if not select.select([channel], [], [], 0)[0]:  # else somebody waits already
            checker.check(_SAMPLE, _SAMPLE_NAME)
        request = _wire.receive(channel)
        found = checker.check(str(request["source"]))
        strangers = [name for name in checker.strangers() if name != _SAMPLE_NAME]
        _wire.send(channel, {"status": "strange" if strangers else "checked", "messages": found, "modules": strangers})
        os._exit(0)
    finally:
        os._exit(1)


def limit(memory: int, seconds: float) -> None:
    """Let this process use that many bytes more than it has, and a little more processor time than it is given."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + memory, size + memory))
    processor = math.ceil(seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
