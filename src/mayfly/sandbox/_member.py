"""When a worker is put into a control group: once it has lived for a moment.

To move a process, the kernel waits until every processor has seen the change: ten milliseconds and more. Most one-shot
workers have had their job and are gone by then. So a thread of its own moves those that are still there; until then the
filter bounds what there is to hold, as it does where there are no control groups (docs/trust.md).
"""

from __future__ import annotations

import contextlib
import threading
import time

from mayfly.sandbox._cgroup import Group, Groups
from mayfly.sandbox._python import pid_of

# Seconds: most jobs take less, and whoever waits longer than that for one is in its group before it comes.
_AGE = 0.01


class Member:
    """The place of one worker in a control group, as soon as it has one."""

    def __init__(self, groups: Groups, process: int, *, memory: int, tasks: int) -> None:
        self.born = time.monotonic()
        self._groups = groups
        self._process = process
        self._memory = memory
        self._tasks = tasks
        self._lock = threading.Lock()
        self._joining = threading.Lock()
        self._group: Group | None = None
        self._left = False

    def limit(self, memory: int) -> None:
        """Hold the job to *memory* bytes, from when it is in a group."""
        with self._lock:
            self._memory = memory
            if self._group is not None:
                self._group.limit(memory)

    def join(self) -> None:
        """Take a group nobody is in and put the process there, unless it is in one or has ended."""
        with self._joining:
            with self._lock:
                if self._left or self._group is not None:
                    return
                pid = pid_of(self._process)
                self._group = group = self._groups.take(memory=self._memory, tasks=self._tasks)
            group.add(pid)  # outside of that lock: whoever ends the worker does not wait for it

    def was_killed(self) -> bool:
        """Say whether the kernel has killed it for want of memory."""
        with self._lock:
            return self._group is not None and self._group.was_killed()

    def leave(self) -> None:
        """Let another worker have the group; to be called while the descriptor of the process is still open."""
        with self._lock:
            self._left = True
            group, self._group = self._group, None
        if group is not None:
            group.give_back()


def join_in_time(member: Member) -> None:
    """Have *member* join its group when it is old enough; for a thread that waits with one after the other."""
    time.sleep(max(0.0, member.born + _AGE - time.monotonic()))
    join_now(member)


def join_now(member: Member) -> None:
    """Have *member* join its group, if it can."""
    # Somebody may have taken away what was delegated to us: the filter holds without.
    with contextlib.suppress(OSError):
        member.join()
