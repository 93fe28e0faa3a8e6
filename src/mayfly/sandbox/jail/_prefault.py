"""Learn which memory a job touches, and make it a new worker's own in bulk instead of fault by fault.

A forked process shares its parent's pages until it writes to them; each first write is a trap into the kernel. What the
traps would be hardly differs from job to job, so one child is watched running the warm-up, and every later child copies
those pages with a few calls before its job arrives.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable

_PAGE = resource.getpagesize()
_POPULATE_WRITE = 23
_EXCLUSIVE = 1 << 56
_FILE_OR_SHARED = 1 << 61
_PRESENT = 1 << 63
_GAP = 1

Ranges = list[tuple[int, int]]

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.fork.restype = ctypes.c_int


def fork() -> int:
    """Fork without CPython's at-fork hooks, which touch 200 pages; for a process of one thread that holds no locks."""
    pid = int(_libc.fork())
    if pid < 0:
        raise OSError(ctypes.get_errno(), f"fork: {os.strerror(ctypes.get_errno())}")
    return pid


def learn(proc: int, rehearsal: Callable[[Callable[[], None]], None], parts: int) -> list[Ranges]:
    """Watch a child in its *rehearsal*, which calls the function it is given after each of its *parts*.

    Return, part by part, the memory it was the first to touch. *proc* is an open /proc. A page that this process
    writes to meanwhile looks as if the child had: so all room is made before, and all thinking is done after.
    """
    regions = _writable_regions(proc)
    shots = [[bytearray((end - start) * 8) for start, end in regions] for _ in range(parts)]
    asks, answers = os.pipe(), os.pipe()
    child = fork()
    if child == 0:
        os.close(asks[0])
        os.close(answers[1])
        os.write(asks[1], os.readlink("self", dir_fd=proc).encode())
        os.read(answers[0], 1)

        def note() -> None:
            os.write(asks[1], b".")
            os.read(answers[0], 1)

        rehearsal(note)
        os._exit(0)
    os.close(asks[1])
    os.close(answers[0])
    try:
        pagemap = os.open(os.read(asks[0], 32).decode() + "/pagemap", os.O_RDONLY, dir_fd=proc)
        for shot in shots:
            os.write(answers[1], b".")
            os.read(asks[0], 1)
            for (start, _), room in zip(regions, shot, strict=True):
                os.preadv(pagemap, [room], start * 8)
        os.close(pagemap)
    except OSError:
        shots = []
    for descriptor in (asks[0], answers[1]):
        os.close(descriptor)
    os.waitpid(child, 0)
    seen: set[int] = set()
    learned = []
    for shot in shots:
        pages = {page for (start, _), room in zip(regions, shot, strict=True) for page in _exclusive(start, room)}
        learned.append(_ranges(sorted(pages - seen)))
        seen |= pages
    return learned


def populate(ranges: Ranges, interrupted: Callable[[], bool] | None = None) -> None:
    """Copy the pages of *ranges* now; stop early when *interrupted* says so."""
    madvise = _libc.madvise
    for address, size in ranges:
        madvise(address, size, _POPULATE_WRITE)
        if interrupted is not None and interrupted():
            return


def _writable_regions(proc: int) -> list[tuple[int, int]]:
    with open(os.open("self/maps", os.O_RDONLY, dir_fd=proc)) as file:
        fields = [line.split() for line in file]
    spans = [row[0].split("-") for row in fields if row[1] == "rw-p"]
    return [(int(start, 16) // _PAGE, int(end, 16) // _PAGE) for start, end in spans]


def _exclusive(start: int, entries: bytearray) -> list[int]:
    """Return the pages that are anonymous and shared with no other process."""
    return [
        start + index
        for index, entry in enumerate(memoryview(entries).cast("Q"))
        if entry & _PRESENT and entry & _EXCLUSIVE and not entry & _FILE_OR_SHARED
    ]


def _ranges(pages: list[int]) -> Ranges:
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page - ranges[-1][1] <= _GAP:
            ranges[-1][1] = page + 1
        else:
            ranges.append([page, page + 1])
    return [(first * _PAGE, (last - first) * _PAGE) for first, last in ranges]
