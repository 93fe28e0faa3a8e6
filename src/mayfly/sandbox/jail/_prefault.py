"""Learn which memory a job touches, and make it a new worker's own in bulk instead of fault by fault.

A forked process shares its parent's pages until it writes to them; each first write is a trap into the kernel. What the
traps would be hardly differs from job to job, so one child is watched running the warm-up, and every later child copies
those pages with a few calls before its job arrives.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from . import _kernel

_PAGE = resource.getpagesize()
_POPULATE_READ = 22
_POPULATE_WRITE = 23
_MOST_RANGES = 1024
_EXCLUSIVE = 1 << 56
_FILE_OR_SHARED = 1 << 61
_PRESENT = 1 << 63

Ranges = list[tuple[int, int]]


class Touched(NamedTuple):
    """Memory that was written to, and files that were read through a mapping, as addresses and sizes."""

    written: Ranges = []  # noqa: RUF012
    read: Ranges = []  # noqa: RUF012


class _Region(NamedTuple):
    start: int
    end: int
    writable: bool


_libc = ctypes.PyDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.fork.restype = ctypes.c_int
_libc.syscall.restype = ctypes.c_long
_MADVISE = _kernel.call("process_madvise")[0]
# The stack, both places for thread ids and thread-local storage are those of the caller, copied.
_CLONE_APART = _kernel.call("clone", _kernel.CLONE_NEWUSER | _kernel.CLONE_NEWPID | signal.SIGCHLD, 0, 0, 0, 0)
_CLONE_WITH_MOUNTS = _kernel.call("clone", _kernel.CLONE_NEWNS | _kernel.CLONE_NEWPID | signal.SIGCHLD, 0, 0, 0, 0)


def fork() -> int:
    """Fork without CPython's at-fork hooks, which touch 200 pages; for a process of one thread that holds no locks."""
    return _check_fork(int(_libc.fork()))


def _check_fork(pid: int) -> int:
    if pid < 0:
        raise OSError(ctypes.get_errno(), f"fork: {os.strerror(ctypes.get_errno())}")
    return pid


def fork_apart() -> int:
    """Fork into new user and pid namespaces, with one call.

    It goes around libc, which would note the new process id in its own memory of the thread; for a caller that is
    process 1 of its namespace, as the child is of its own, the note is right as it stands.
    """
    return _check_fork(int(_libc.syscall(*_CLONE_APART)))


def fork_with_mounts() -> int:
    """Fork into new mount and pid namespaces in the same way; the user namespace follows when all is mounted."""
    return _check_fork(int(_libc.syscall(*_CLONE_WITH_MOUNTS)))


def learn(proc: int, rehearsal: Callable[[Callable[[], None]], None], parts: int) -> list[Touched]:
    """Watch a child in its *rehearsal*, which calls the function it is given after each of its *parts*.

    Return, part by part, the memory it was the first to touch. *proc* is an open /proc. A page that this process
    writes to meanwhile looks as if the child had: so all room is made before, and all thinking is done after. An error
    in the child leaves this function there as it would here, and is reported in the same way.
    """
    regions = _regions(proc)
    shots = [[bytearray((region.end - region.start) * 8) for region in regions] for _ in range(parts)]
    asks, answers = os.pipe(), os.pipe()
    child = fork()
    if child == 0:
        _be_watched(proc, rehearsal, asks, answers)
    os.close(asks[1])
    os.close(answers[0])
    try:
        pagemap = os.open(os.read(asks[0], 32).decode() + "/pagemap", os.O_RDONLY, dir_fd=proc)
        for shot in shots:
            os.write(answers[1], b".")
            os.read(asks[0], 1)
            for region, room in zip(regions, shot, strict=True):
                os.preadv(pagemap, [room], region.start * 8)
        os.close(pagemap)
    except OSError:
        shots = []
    for descriptor in (asks[0], answers[1]):
        os.close(descriptor)
    os.waitpid(child, 0)
    return _compare(regions, shots)


def _be_watched(
    proc: int, rehearsal: Callable[[Callable[[], None]], None], asks: tuple[int, int], answers: tuple[int, int]
) -> NoReturn:
    """In the child: say who we are, rehearse, and pause for a look after each part."""
    os.close(asks[0])
    os.close(answers[1])
    os.write(asks[1], os.readlink("self", dir_fd=proc).encode())
    os.read(answers[0], 1)

    def note() -> None:
        os.write(asks[1], b".")
        os.read(answers[0], 1)

    rehearsal(note)
    os._exit(0)


def _compare(regions: list[_Region], shots: list[list[bytearray]]) -> list[Touched]:
    seen: set[int] = set()
    learned = []
    for shot in shots:
        written: set[int] = set()
        read: set[int] = set()
        for region, room in zip(regions, shot, strict=True):
            (written if region.writable else read).update(_own_pages(region, room))
        learned.append(Touched(written=_ranges(sorted(written - seen)), read=_ranges(sorted(read - seen))))
        seen |= written | read
    return learned


class Bulk:
    """Ranges to copy with one call where the kernel takes them so (6.13), with a call each where it does not."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges[:_MOST_RANGES]
        self._vector = (ctypes.c_uint64 * (2 * len(self._ranges)))(*(n for pair in self._ranges for n in pair))
        self._number = ctypes.c_long(len(self._ranges))
        self._at_once = bool(ranges) and self._try()

    def _try(self) -> bool:
        itself = os.pidfd_open(os.getpid())
        done = _libc.syscall(_MADVISE, itself, self._vector, self._number, _POPULATE_WRITE, 0)
        os.close(itself)
        return int(done) > 0

    def populate(self) -> None:
        """Copy the pages now."""
        if not self._at_once or not self._try():
            populate(self._ranges, _POPULATE_WRITE)


def populate_until(touched: Touched, interrupted: Callable[[], bool]) -> None:
    """Copy and map what was *touched*; stop when *interrupted* says so."""
    if not populate(touched.written, _POPULATE_WRITE, interrupted):
        populate(touched.read, _POPULATE_READ, interrupted)


def populate(ranges: Ranges, advice: int, interrupted: Callable[[], bool] | None = None) -> bool:
    """Take the *ranges* one by one; return whether *interrupted* put an end to it."""
    madvise = _libc.madvise
    for address, size in ranges:
        madvise(address, size, advice)
        if interrupted is not None and interrupted():
            return True
    return False


def _regions(proc: int) -> list[_Region]:
    """Return the private mappings: those we may write to, and those of files that we only read and execute."""
    with open(os.open("self/maps", os.O_RDONLY, dir_fd=proc)) as file:
        rows = [line.split() for line in file]
    kept = [row for row in rows if row[1] == "rw-p" or (row[1] in ("r-xp", "r--p") and row[-1].startswith("/"))]
    spans = [(row[0].split("-"), row[1] == "rw-p") for row in kept]
    return [_Region(int(span[0], 16) // _PAGE, int(span[1], 16) // _PAGE, writable) for span, writable in spans]


def _own_pages(region: _Region, entries: bytearray) -> list[int]:
    """Return the pages a child has made its own: copies where it wrote, mapped where it read a file."""
    wanted = _PRESENT | _EXCLUSIVE if region.writable else _PRESENT
    refused = _FILE_OR_SHARED if region.writable else 0
    return [
        region.start + index
        for index, entry in enumerate(memoryview(entries).cast("Q"))
        if entry & wanted == wanted and not entry & refused
    ]


def _ranges(pages: list[int]) -> Ranges:
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1]:
            ranges[-1][1] = page + 1
        else:
            ranges.append([page, page + 1])
    return [(first * _PAGE, (last - first) * _PAGE) for first, last in ranges]
