"""Fork a process that does something to its memory, have it put back, and say whether it is as it was.

Run as a program with the name of a deed; it prints a line of JSON: whether it was put back, and what still differs.
No filter is in the way here, so a deed can be one that no job gets to.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import json
import mmap
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mayfly.sandbox.jail import _kernel, _restore

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
PAGE = mmap.PAGESIZE
BOTH = mmap.PROT_READ | mmap.PROT_WRITE
MINE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
FIXED = 0x10
# Memory that a deed can take away without the interpreter's noticing.
SPARE = libc.mmap(None, 16 * PAGE, BOTH, MINE, -1, 0)
ctypes.memset(SPARE, 7, 16 * PAGE)
KEPT = [{"n": n, "text": str(n)} for n in range(2000)]


def scribble() -> None:
    """Change objects everywhere, make new ones, drop old ones."""
    chance = random.Random(os.urandom(8))
    for _ in range(chance.randrange(1, 2000)):
        KEPT[chance.randrange(len(KEPT))]["n"] = chance.random()
    made = [bytes(chance.randrange(1, 3000)) for _ in range(200)]
    KEPT.append({"made": made})
    del KEPT[: chance.randrange(50)]
    vars(builtins)["len"] = lambda value: 42
    sys.modules["json"].loads = None  # type: ignore[attr-defined]
    ctypes.memset(SPARE, 9, 16 * PAGE)


def map_more() -> None:
    libc.mmap(None, PAGE, BOTH, MINE, -1, 0)


def take_away() -> None:
    libc.munmap(SPARE + 4 * PAGE, PAGE)


def replace() -> None:
    """Put a mapping of its own where one was: in the list nothing changes."""
    libc.mmap(SPARE, 16 * PAGE, BOTH, MINE | FIXED, -1, 0)
    ctypes.memset(SPARE, 9, 16 * PAGE)


def replace_a_part() -> None:
    libc.mmap(SPARE + PAGE, PAGE, BOTH, MINE | FIXED, -1, 0)


def swap_places() -> None:
    """Take away as much as is added."""
    libc.munmap(SPARE + 15 * PAGE, PAGE)
    libc.mmap(None, PAGE, BOTH, MINE, -1, 0)


def protect() -> None:
    libc.mprotect(ctypes.c_void_p(SPARE), 16 * PAGE, mmap.PROT_READ)


def end() -> None:
    os._exit(3)


def nothing() -> None:
    pass


DEEDS: dict[str, Callable[[], None]] = {
    deed.__name__: deed
    for deed in (scribble, nothing, map_more, take_away, replace, replace_a_part, swap_places, protect, end)
}


def work(channel: socket.socket) -> None:
    """In the child: wait for the name of a deed, do it, answer."""
    while name := channel.recv(64).decode():
        DEEDS[name]()
        channel.send(b".")


def look(child: int, ranges: list[tuple[int, int]]) -> list[bytes]:
    """Return all memory that the child can write to."""
    # Until it waits for the next deed: before, it is on its way there.
    while Path(f"/proc/{child}/wchan").read_text() != "unix_stream_read_generic":
        time.sleep(0.001)
    with open(f"/proc/{child}/mem", "rb", buffering=0) as memory:
        return [os.pread(memory.fileno(), end - start, start) for start, end in ranges]


def differences(ranges: list[tuple[int, int]], before: list[bytes], after: list[bytes]) -> list[int]:
    """Return where bytes differ."""
    return [
        start + index
        for (start, _), old, new in zip(ranges, before, after, strict=True)
        if old != new
        for index in range(len(old))
        if old[index] != new[index]
    ]


def main(name: str, times: int, *, learn: bool) -> None:
    """Have the deed done several times."""
    ours, theirs = socket.socketpair()
    _kernel.tune_malloc()
    room = _restore.make_room()
    gc.freeze()
    child = os.fork()
    if child == 0:
        ours.close()
        socket.send_fds(theirs, [b"C"], [_restore.watch()])
        work(theirs)
        os._exit(0)
    theirs.close()
    _, (watch,), _, _ = socket.recv_fds(ours, 1, 1)
    proc = os.open("/proc", os.O_PATH)
    kept = _restore.Kept(proc, str(child), child, watch)
    if learn:
        ours.send(b"nothing")
        ours.recv(1)
        kept.learn()
    ranges = kept._snapshot._ranges
    before = look(child, ranges)
    told = []
    for _ in range(times):
        ours.send(name.encode())
        ours.recv(1)
        try:
            done = kept.put_back()
        except OSError:
            done = False
        told.append([done, done and [hex(place) for place in differences(ranges, before, look(child, ranges))]])
        if not done:
            break
    print(json.dumps(told))
    os.kill(child, signal.SIGKILL)
    del room


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), learn=sys.argv[3:] == ["learn"])
