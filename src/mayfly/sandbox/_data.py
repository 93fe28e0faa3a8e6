"""Jobs about data: the files that one is given, and what it may use by their size."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import math
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core import InputError, SandboxSettings, distinct_names
from mayfly.core.errors import MachineError
from mayfly.sandbox._lines import open_regular

_GIB = 1 << 30
# What text is packed to, at best: a packed file counts as so many times its size.
_PACKED = 10
_PACKED_ENDINGS = (".gz", ".zst", ".bz2", ".xz")
# The guard by the wall clock, in multiples of the processor seconds: a disk may be slow, and others use the machine.
_WALL = 4
# Seconds the processor time that the kernel counted may stay below a limit that ended the process.
_NEARLY = 1.0
# DuckDB maps more than it holds, and gives little of that back: a job of 1 GiB was seen with twice as much. Where there
# are no control groups this is all that bounds a job, so it is not more than that.
_MAPPED = 2
# What the threads of DuckDB and a database without data take of the address space, whatever the job may hold.
_STACKS = 1 << 30
# With less memory for each thread DuckDB 2.0 gives up on groups that it could spill: 1 GiB is not enough for two.
_MEMORY_FOR_THREAD = 1 << 30
# What a database has besides the threads of its queries, if a program opens one with DuckDB's own settings.
_WAITING_THREADS = 8
# One open file for each input that is read at once, and one for each thread's part of what is spilled.
_DESCRIPTORS = 256


class Input(NamedTuple):
    """A file that a job is given: its real path, the last parts of its name, and which file that was."""

    path: str
    name: str
    device: int
    inode: int
    size: int


def look_at(paths: Collection[str | Path], parts: int = 0) -> tuple[Input, ...]:
    """Return the inputs at *paths*; one that is no regular file we may read is an `InputError`.

    Each is called by so many *parts* of its path, or by as many as tell all of them apart.
    """
    if isinstance(paths, (str, Path)):
        raise InputError("data is a collection of paths, not one of them", fix="give data=(path,)")
    names = ["/".join(Path(os.path.abspath(path)).parts[1:][-parts:]) for path in paths] if parts else []
    found = names or distinct_names(list(paths))
    return tuple(_look_at(path, name) for path, name in zip(paths, found, strict=True))


def _look_at(path: str | Path, name: str) -> Input:
    descriptor = open_regular(path, "data is read")
    try:
        found = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    # DuckDB knows by the ending how a file is packed, and takes what is behind a question mark for a query of the web.
    # What it could not be told in UTF-8 is written as such a mark.
    name = name.encode("utf-8", "replace").decode().replace("?", "_")
    return Input(os.path.realpath(path), name, found.st_dev, found.st_ino, found.st_size)


def processor_seconds(inputs: Collection[Input], settings: SandboxSettings) -> int:
    """Return the seconds of processor time that a job with *inputs* may use."""
    size = sum(one.size * (_PACKED if one.name.lower().endswith(_PACKED_ENDINGS) else 1) for one in inputs)
    return math.ceil(settings.data_seconds + settings.data_rate * size / _GIB)


def wall_seconds(processor: int, settings: SandboxSettings) -> float:
    """Return the seconds after which a job with so much processor time is ended by the clock."""
    return settings.timeout + _WALL * processor


def used_up(used: float, processor: int) -> bool:
    """Whether a job that the kernel killed had used all the processor time it may."""
    return bool(processor) and used >= processor - _NEARLY


def memory_of(settings: SandboxSettings) -> int:
    """Return the bytes that one job may hold."""
    return settings.data_memory or _machine_memory() // 2


def with_shared_memory(settings: SandboxSettings, jobs: int) -> SandboxSettings:
    """Return the settings of one of several *jobs* side by side, between which memory is divided unless it was said."""
    if settings.data_memory:
        return settings
    whole = memory_of(settings)
    return replace(settings, data_memory=min(whole, max(whole // jobs, _MEMORY_FOR_THREAD)))


@functools.cache
def _machine_memory() -> int:
    """Return the bytes this machine has, or this container."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # there is none, or it is the word max
            found.append(int(Path("/sys/fs/cgroup", name).read_text()))
    return min(found)


def mapped(memory: int) -> int:
    """Return the bytes of address space that a job may add which may hold so much."""
    return _MAPPED * memory + _STACKS


def limits(settings: SandboxSettings) -> dict[str, int]:
    """Return the limits of a worker that differ from those of other jobs."""
    return {
        "memory": mapped(memory_of(settings)),
        "threads": settings.threads + 2 * _threads(settings) + _cores() + _WAITING_THREADS,
        "descriptors": max(settings.descriptors, _DESCRIPTORS),
        "file_size": settings.data_spill,
    }


def _threads(settings: SandboxSettings) -> int:
    return max(1, min(settings.data_threads, _cores(), memory_of(settings) // _MEMORY_FOR_THREAD))


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def describe(settings: SandboxSettings) -> dict[str, Any]:
    """Return what a zygote is told about DuckDB: where it is, and what a query may use."""
    return {"places": _places(), "threads": _threads(settings), "spill": settings.data_spill}


def _places() -> list[str]:
    """Return the directories that DuckDB is installed in."""
    found = [importlib.util.find_spec(name) for name in ("duckdb", "_duckdb")]
    if None in found:
        raise MachineError("duckdb is not installed: jobs about data are queries", fix="pip install duckdb")
    inside = [(spec.submodule_search_locations or [spec.origin or ""])[0] for spec in found if spec]
    return sorted({os.path.dirname(path) for path in inside})
