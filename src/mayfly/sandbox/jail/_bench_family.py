"""The processes of a command where no pid namespace ends them: held to a number, and killed and collected as one."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import resource
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NoReturn

from . import _kernel, _landlock

_PR_SET_CHILD_SUBREAPER = 36
# The kernel knows no larger process number, so no larger number of processes either.
_MOST = 1 << 22
# What else the user may begin while a command runs, without taking from what the command may have.
_SPARE = 32
# Sweeps after which processes that are left are taken for ones that begin others faster than they are killed.
_SWEEPS = 1
# Seconds in which what was signalled dies or stops, as a rule.
_MOMENT = 0.001
# States of processes that begin nothing more: stopped, dead, or in the kernel with a signal to stop before them.
_STILL = frozenset("TtZXD")


class Family:
    """All descendants of this process, which has to be the first of a command; made before it has any."""

    def __init__(self, *, user: int, tasks: int, newest_landlock: int) -> None:
        """Adopt descendants that lose their parent; *user* is the uid that they alone have, 0 where it is our own."""
        self._user = user
        # Where the uid is shared, the kernel counts all that its user runs, so the limit depends on what is there.
        self.limit = tasks if user else min(_count_tasks() + tasks + _SPARE, _hard_limit())
        self._scoped = _landlock.scope_signals(newest_landlock) and _is_out_of_reach(os.getppid())
        if not self._scoped:
            _children()  # a kernel without that list is found now
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        _kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGTERM)

    def end(self) -> NoReturn:
        """Kill all descendants, collect them, and end."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self._scoped:
            # To all at once: the kernel lets none of them begin another meanwhile.
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)
        elif self._user:
            self._kill_as_user()
        else:
            self._sweep()
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
        os._exit(0)

    def _kill_as_user(self) -> None:
        """Have a process with the uid of the command signal all that have it; they may fill all room or kill it."""
        killed = False
        while not killed:
            try:
                killer = os.fork()
            except OSError:
                _kill(_children())
                _reap_dead()
                continue
            if killer == 0:
                _kill_all_of(self._user)
            pid, status = 0, 0
            while pid != killer:
                pid, status = os.waitpid(-1, 0)
            killed = status == 0

    def _sweep(self) -> None:
        """Kill children until none is left; those that multiply faster are stopped first."""
        for sweep in itertools.count():
            children = _children()
            if not children:
                return
            if sweep == _SWEEPS:
                _stop_descendants()
            _kill(children)
            time.sleep(_MOMENT)  # their children are ours once they are dead
            _reap_dead()


def _is_out_of_reach(pid: int) -> bool:
    """Try to signal a process of our own uid: whether only our descendants can be is not taken on trust."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except ProcessLookupError:
        return False
    return False


def _kill_all_of(user: int) -> NoReturn:
    """Become a user that no other process has, and kill all that do."""
    try:
        _kernel.become(user)
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    finally:
        os._exit(70)


def _kill(pids: Iterable[int], number: int = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _reap_dead() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _stop_descendants() -> None:
    """Stop all descendants: the limit counts them, and those dead and not collected, so none can be begun."""
    before, running = set[int](), True
    while running:
        _kill(_children(), signal.SIGSTOP)  # most of them, before anything takes time
        found = dict(_descendants())
        _kill(found, signal.SIGSTOP)
        running = found.keys() != before or not _STILL.issuperset(found.values())
        before = set(found)
        time.sleep(_MOMENT)


def _descendants() -> Iterator[tuple[int, str]]:
    """Yield all descendants with their states, those nearest first."""
    waiting = deque(_children())
    while waiting:
        pid = waiting.popleft()
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/stat", "rb") as file:
                yield pid, chr(file.read().rpartition(b") ")[2][0])
            for thread in os.listdir(f"/proc/{pid}/task"):
                waiting += _children(pid, thread)


def _children(pid: int | str = "self", thread: int | str = "") -> list[int]:
    with open(f"/proc/{pid}/task/{thread or os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]


def _hard_limit() -> int:
    most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    return _MOST if most == resource.RLIM_INFINITY else most


def _count_tasks() -> int:
    """Return how many tasks the kernel counts for this user, also those we cannot see: a higher limit lets one begin.

    A kernel that holds this user to no limit at all is no place for a command.
    """
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    try:
        if _fits(0):
            raise OSError(errno.EPERM, "this user may have any number of processes, so commands could not be limited")
        high = 1
        while not _fits(high):
            if high >= _hard_limit():
                raise OSError(errno.EAGAIN, "this user has as many processes as it may (RLIMIT_NPROC)")
            high = min(2 * high, _hard_limit())
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _fits(middle) else (middle, high)
        return high - 1
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, before)


def _fits(limit: int) -> bool:
    """Say whether one more process can be begun under a limit on them."""
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        pid = os.fork()
    except BlockingIOError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
