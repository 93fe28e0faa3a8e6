"""Confinement as a list of raw system calls, made once and replayed in every worker.

A worker that gave up its rights through ordinary Python functions would touch more pages on the way, each a copy it
pays for. So all that can be said beforehand is said beforehand.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct

from . import _kernel
from ._seccomp import Filter
from ._state import Jail

# Seconds of processor time; the host's deadline comes long before, unless the host itself has stopped.
_MOST_SECONDS = 3600

_libc = ctypes.PyDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


class Confinement:
    """Everything a worker gives up, in order; the descriptors of its channel and output are known beforehand."""

    def __init__(self, jail: Jail, filter: Filter, *, channel: int, output: int) -> None:
        self._steps: list[tuple[str, tuple[object, ...]]] = []
        self._filter = filter
        # In a pid namespace of its own every worker is process 1, which can be said once for all of them.
        self._by_number = jail.level != "namespaces"
        if not self._by_number:
            filter.fill_in(1)
        # A /dev/null of its own for each worker: the flags of a shared one would be a note to the next job.
        self._add("close", 0)
        self._add("openat", -100, b"/dev/null", os.O_RDWR | os.O_CLOEXEC, 0)
        self._add("dup3", output, 1, os.O_CLOEXEC)
        self._add("dup3", output, 2, os.O_CLOEXEC)
        low = 3
        for descriptor in (*sorted({channel, *jail.kept}), 1 << 32):
            if low < descriptor:
                self._add("close_range", low, descriptor - 1, 0)
            low = descriptor + 1
        # A worker is in a user namespace of its own by now: set before, the limit on tasks would count all together.
        for kind, value in _limits(jail).items():
            self._add("prlimit64", 0, kind, ctypes.create_string_buffer(struct.pack("=qq", value, value), 16), None)
        header = ctypes.create_string_buffer(struct.pack("=II", 0x20080522, 0), 8)
        self._add("capset", header, ctypes.create_string_buffer(24))
        self._add("prctl", _kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        self._add("seccomp", 1, 0, filter.program)

    def _add(self, name: str, *arguments: object) -> None:
        self._steps.append((name, _kernel.call(name, *arguments)))

    def enter(self, *, skip: tuple[str, ...] = ()) -> None:
        """Give it all up. If one step fails the worker must end, so this raises and is not caught."""
        if self._by_number:
            self._filter.fill_in(os.getpid())
        for name, call in self._steps:
            if name not in skip and _syscall(*call) < 0:
                raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _limits(jail: Jail) -> dict[int, int]:
    """Return the limits to set, none above what this process has itself."""
    config = jail.config
    wanted = {
        resource.RLIMIT_AS: jail.base + config["memory"],
        resource.RLIMIT_NPROC: jail.tasks,
        resource.RLIMIT_NOFILE: config["descriptors"],
        # That of a job about data depends on its size, and is set when it is known.
        resource.RLIMIT_CPU: resource.RLIM_INFINITY if config["data"] else _MOST_SECONDS,
        resource.RLIMIT_FSIZE: max(config["output"], config["file_size"] if config["write"] else 0),
        resource.RLIMIT_CORE: 1,  # not 0, with which a crash handler of the host's would still be given the memory
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 64,
    }
    ours = {kind: resource.getrlimit(kind)[1] for kind in wanted}
    return {kind: min((n for n in (value, ours[kind]) if n >= 0), default=-1) for kind, value in wanted.items()}
