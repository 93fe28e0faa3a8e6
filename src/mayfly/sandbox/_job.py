"""`Job`: one run of a source, as its caller described it, checked and encoded."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox import _data, _values
from mayfly.sandbox._grants import NO_GRANTS, Grants, Outfit
from mayfly.sandbox._purchases import Spender
from mayfly.sandbox._result import Lane
from mayfly.sandbox._worker import Worker
from mayfly.sandbox.jail import _modules


class Ticket:
    """Let another thread end a job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self.cancelled = False

    def hold(self, worker: Worker) -> None:
        """Note which worker runs the job."""
        with self._lock:
            self._worker = worker
            if self.cancelled:
                worker.kill()

    def release(self) -> None:
        """Note that no worker runs it any more."""
        with self._lock:
            self._worker = None

    def cancel(self) -> None:
        """Kill the worker now, or as soon as there is one."""
        with self._lock:
            self.cancelled = True
            if self._worker is not None:
                self._worker.kill()


class JobOptions(TypedDict, total=False):
    """What can be said of a job beside its source, entry and argument.

    *timeout* is in seconds, *memory* in bytes; without them the settings hold. A pinned worker is kept for one
    *tenant*; a stream always goes one-shot. *imports* adds the guarded importer and builtins of tier ephemeral, None is
    the wall alone. *lines* hands the lines of a file in as the argument, unpacked where they are packed with gzip. With
    a *ticket* another thread can end the job. What it buys is bought in the name of *spender*.

    *data* are the files that a job with the grant of that name reads; what they are called inside is its argument: a
    text for one, a list for several. They are called by the last parts of their paths: by as many as tell
    them apart, or by *name_parts*. *progress* is called, in the thread that waits, with the part of the present
    query that is done, from 0 to 1.
    """

    timeout: float | None
    grants: Collection[str]
    lane: Lane
    tenant: str
    imports: Collection[str] | None
    lines: str | Path | None
    data: Collection[str | Path]
    name_parts: int
    progress: Callable[[float], None] | None
    memory: int | None
    ticket: Ticket | None
    spender: Spender | None


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be run: the texts in bytes, the argument as JSON, every option with its value."""

    source: bytes
    entry: str | None
    argument: bytes
    timeout: float
    grants: Grants
    imports: frozenset[str] | None
    lines: str | Path | None
    memory: int | None
    # Which lane was asked for, and for whom a pinned worker is kept.
    lane: Lane
    tenant: str
    ticket: Ticket
    spender: Spender
    # With the grant for data: its files, and the seconds of processor time it may use.
    inputs: tuple[_data.Input, ...] = ()
    processor: int = 0
    progress: Callable[[float], None] | None = None
    # Whether it needs all modules: it has asked for one that a lean worker does not have.
    full: bool = False
    # Seconds it has used already.
    spent: float = 0.0

    def outfit(self) -> Outfit:
        """Return what its worker is to be given; a job with grants may do something, so it is never begun twice."""
        lean = not self.full and self.grants is NO_GRANTS and _modules.is_lean(self.source)
        return Outfit(self.grants, lean=lean)


def make_job(
    source: str | bytes,
    entry: str | None,
    argument: object,
    options: JobOptions,
    *,
    settings: SandboxSettings,
    parse_grants: Callable[[Collection[str]], Grants],
) -> Job:
    """Return the job, or raise `InputError` for a mistake of the caller and `BadValue` for what cannot be sent."""
    unknown = options.keys() - JobOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"a sandbox job has no option {min(unknown)!r}")
    imports, grants = options.get("imports"), options.get("grants", ())
    if isinstance(imports, str) or isinstance(grants, str):
        raise InputError("imports and grants are collections of names, not one string")
    lines = options.get("lines")
    if lines is not None and argument is not None:
        raise InputError("lines are the argument: give one of the two")
    parsed = parse_grants(grants) if grants else NO_GRANTS
    inputs = _look_at_data(options, argument, parsed)
    processor = _data.processor_seconds(inputs, settings) if parsed.data else 0
    most = _data.memory_of(settings) if parsed.data else settings.memory
    usual = _data.wall_seconds(processor, settings) if parsed.data else settings.timeout
    timeout = _check_timeout(options.get("timeout"), usual)
    memory = _check_memory(options.get("memory"), most)
    text, encoded = _encode(source, argument, settings)
    return Job(
        source=text,
        entry=entry,
        argument=encoded,
        timeout=timeout,
        memory=memory,
        grants=parsed,
        imports=None if imports is None else frozenset(imports),
        lines=lines,
        lane=options.get("lane", "one-shot"),
        tenant=options.get("tenant", ""),
        ticket=options.get("ticket") or Ticket(),
        spender=options.get("spender") or Spender(),
        inputs=inputs,
        processor=processor,
        progress=options.get("progress"),
    )


def _look_at_data(options: JobOptions, argument: object, grants: Grants) -> tuple[_data.Input, ...]:
    paths = options.get("data", ())
    if paths and not grants.data:
        raise InputError("a job without the grant data is given no files", fix='add grants=("data",)')
    if paths and (argument is not None or options.get("lines") is not None):
        raise InputError("the names of the data are the argument: give one of the two")
    return _data.look_at(paths, options.get("name_parts", 0))


def _check_timeout(given: float | None, usual: float) -> float:
    timeout = usual if given is None else given
    if not (isinstance(timeout, (int, float)) and 0 < timeout < math.inf):
        raise InputError(f"timeout must be a number of seconds above 0, not {timeout!r}")
    return float(timeout)


def _check_memory(given: int | None, most: int) -> int | None:
    if given is not None and not 0 < given <= most:
        raise InputError(f"memory must be from 1 to {most} bytes, not {given!r}")
    return given


def _encode(source: str | bytes, argument: object, settings: SandboxSettings) -> tuple[bytes, bytes]:
    """Return source and argument as they are sent; both together are held to a size."""
    if isinstance(source, str):
        try:
            source = source.encode()
        except UnicodeEncodeError as error:
            raise _values.BadValue(f"the source is not text: lone surrogate at character {error.start}") from None
    encoded = _values.encode(argument)
    if len(source) + len(encoded) > settings.source:
        raise _values.BadValue(f"source and argument are larger than the limit of {settings.source} bytes")
    return source, encoded
