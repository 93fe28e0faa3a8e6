"""Cut a large file of lines into parts, and hand one part to the sandbox."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from mayfly.core import InputError, Settings
from mayfly.promise._job import Part
from mayfly.synthesis.records import is_continued

MOST_PARTS = 63
IN_MEMORY = 64 * 1024 * 1024
CHUNK = 256 * 1024
# So much of a line tells whether a record begins with it.
HEAD = 256
# Where so many lines in a row only go on, the file is not cut: no record is as long, so another place is no better.
FARTHEST = 2000


def parts_of(path: str | Path, settings: Settings) -> list[Part]:
    """Return parts of whole records, in order, that hold every byte of *path* once; only their edges are read."""
    least = settings.promise.part_size
    with _reading(path) as file:
        before = _state(file)
        edges = _edges(file, before[0], least)
        if _state(file) != before:
            raise InputError(f"{path} changed while it was being split", fix="split it when nobody writes to it")
    return [Part(path=str(path), start=start, stop=stop) for start, stop in pairwise(edges)]


def check_unchanged(parts: Sequence[Part]) -> None:
    """Refuse a file that has grown or shrunk since *parts*, all of its parts, were cut."""
    for part in parts[-1:]:
        with _reading(part.path) as file:
            _refuse_changes(part, os.fstat(file).st_size, whole=True)


def _edges(file: int, size: int, least: int) -> list[int]:
    """Return where parts begin and end: at least *least* bytes apart, each where a record may begin."""
    wanted = min(MOST_PARTS, max(1, size // least))
    edges = [0]
    for number in range(1, wanted):
        edge = _record_after(file, max(number * size // wanted, edges[-1] + least), size)
        if edge is not None and size - edge < least:
            break
        edges += [] if edge is None else [edge]
    return [*edges, size]


def may_begin(line: str) -> bool:
    """Say whether a part may begin with *line*: not with one that goes on with the record above, or might."""
    return bool(line.strip()) and not is_continued(line[:HEAD])


def _record_after(file: int, position: int, size: int) -> int | None:
    """Return the first place at or behind *position* where a record may begin, or *size*; None if that is far off."""
    position -= 1
    passed = 0
    while position < size:
        piece = os.pread(file, CHUNK, position)
        if not piece:
            return size
        at = piece.find(b"\n")
        while at >= 0 and _is_complete(piece, at + 1, size - position):
            if may_begin(_head(piece, at + 1)):
                return position + at + 1
            passed += 1
            if passed > FARTHEST:
                return None
            at = piece.find(b"\n", at + 1)
        position += len(piece) if at < 0 else at
    return size


def _is_complete(piece: bytes, start: int, left: int) -> bool:
    """Say whether enough of the line at *start* is in *piece*, of which *left* bytes are left in the file."""
    return start == 1 or piece.find(b"\n", start) >= 0 or len(piece) >= min(start + HEAD, left)


def _head(piece: bytes, start: int) -> str:
    stop = piece.find(b"\n", start)
    return piece[start : start + HEAD if stop < 0 else min(stop, start + HEAD)].decode("utf-8", "replace").rstrip("\r")


@contextmanager
def part_as_file(part: Part | None, data: bytes | None = None) -> Iterator[Path]:
    """Yield a path under which the sandbox reads *part* and nothing else; *data* is its content from elsewhere.

    A part that is the whole file is read where it is. Any other is copied by the kernel into a file without a name.
    """
    if data is not None:
        if part is not None and len(data) != part.stop - part.start:
            raise InputError(f"{part.path}: a part of {part.stop - part.start} bytes came with {len(data)} bytes")
        with _unnamed(len(data)) as copy:
            _write(copy, data)
            yield Path(f"/proc/self/fd/{copy}")
        return
    if part is None:
        raise InputError("there is neither a part of a file nor its content")
    with _reading(part.path) as file:
        before = _state(file)
        _refuse_changes(part, before[0])
        _refuse_half_lines(file, part, before[0])
        if (part.start, part.stop) == (0, before[0]):
            yield Path(part.path)
            _refuse_writers(file, part, before)
            return
        with _unnamed(part.stop - part.start) as copy:
            _copy(file, copy, part)
            _refuse_writers(file, part, before)
            yield Path(f"/proc/self/fd/{copy}")


@contextmanager
def text_as_file(lines: Sequence[str]) -> Iterator[Path]:
    """Yield a path under which the sandbox reads *lines*."""
    with part_as_file(None, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")) as path:
        yield path


@contextmanager
def _reading(path: str | Path) -> Iterator[int]:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read {path}: {reason}", fix="name a readable file") from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise InputError(f"{path} is not a file: only a file has parts")
        yield file
    finally:
        os.close(file)


@contextmanager
def _unnamed(size: int) -> Iterator[int]:
    if size > IN_MEMORY:
        with tempfile.TemporaryFile(prefix="mayfly-") as file:
            yield file.fileno()
        return
    memory = os.memfd_create("mayfly-part", os.MFD_CLOEXEC)
    try:
        yield memory
    finally:
        os.close(memory)


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _copy(file: int, copy: int, part: Part) -> None:
    position = part.start
    while position < part.stop:
        try:
            sent = os.sendfile(copy, file, position, part.stop - position)
        except OSError as error:
            raise InputError(f"cannot read a part of {part.path}: {error.strerror}") from None
        if not sent:
            raise InputError(f"{part.path} became shorter while it was being read")
        position += sent


def _state(file: int) -> tuple[int, int]:
    found = os.fstat(file)
    return found.st_size, found.st_mtime_ns


def _refuse_writers(file: int, part: Part, before: tuple[int, int]) -> None:
    if _state(file) != before:
        raise InputError(f"{part.path} changed while it was being read", fix="run it when nobody writes to it")


def _refuse_changes(part: Part, size: int, *, whole: bool = False) -> None:
    if not 0 <= part.start <= part.stop:
        raise InputError(f"{part.path}: there are no bytes from {part.start} to {part.stop}")
    if size < part.stop:
        raise InputError(f"{part.path} became shorter since it was split: {size} bytes, not {part.stop}")
    if whole and size > part.stop:
        raise InputError(f"{part.path} became longer since it was split: {size} bytes, not {part.stop}")


def _refuse_half_lines(file: int, part: Part, size: int) -> None:
    for edge in (part.start, part.stop):
        if 0 < edge < size and os.pread(file, 1, edge - 1) != b"\n":
            raise InputError(f"{part.path} has changed since it was split: no line begins at byte {edge}")
