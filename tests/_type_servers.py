"""Type servers that outlive the runtimes of a test process: each takes a third of a second of processor to load."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from pathlib import Path

from mayfly.gates.types._server import Answer, TypeOptions, TypeServer

Kind = tuple[TypeOptions, str, bool]
# A server checks each program in a fresh worker under a fresh name, so that it does not matter who asked before. Some
# hundred checks leave it as small as it was; what has grown beyond its limit is ended by the lane that notices.
_MOST_CHECKS = 200
_idle: defaultdict[Kind, list[LastingServer]] = defaultdict(list)


class LastingServer(TypeServer):
    """A server that is handed to the next runtime instead of being ended, unless an answer is due from it."""

    def __init__(self, options: TypeOptions, cache: Path | None, *, more: bool) -> None:
        self._kind = _kind_of(options, cache, more)
        self._small, self._asked = True, False
        super().__init__(options, cache, more=more)

    def check(self, source: str) -> Answer:
        """Check a program, and note whether the server may be used again."""
        self._asked = True
        answer = super().check(source)
        self._asked, self._small = False, answer.memory <= self._options.memory
        return answer

    def close(self) -> None:
        """Lay the server aside for the next one, or end it."""
        waiting = _idle[self._kind]
        if self in waiting:
            return
        if self.closed or self._asked or not self._small or self.checks >= _MOST_CHECKS:
            super().close()
        else:
            waiting.append(self)

    def lend(self) -> LastingServer:
        """Begin anew for another runtime; one that is still loading may take as long as a new one."""
        self._started = time.monotonic()
        return self


def lend_server(options: TypeOptions, cache: Path | None, *, more: bool) -> TypeServer:
    """Return a server that is laid aside, or a new one."""
    waiting = _idle[_kind_of(options, cache, more)]
    return waiting.pop().lend() if waiting else LastingServer(options, cache, more=more)


def _kind_of(options: TypeOptions, cache: Path | None, more: bool) -> Kind:
    return options, str(cache and cache.resolve()), more


def end_servers() -> None:
    """End all that are laid aside."""
    while _idle:
        for server in _idle.popitem()[1]:
            TypeServer.close(server)


def _let_go() -> None:
    while _idle:
        for server in _idle.popitem()[1]:
            server.abandon()


os.register_at_fork(after_in_child=_let_go)
