"""Packed files are held against their own checks while DuckDB reads them, which takes half of one for the whole."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mayfly.core import InputError, unreadable
from mayfly.forge._given import Given
from mayfly.forge._sampling import HEAD, reading

_ZSTD = 0xFD2FB528
# Frames with something else than data in them have one of sixteen numbers.
_SKIPPED, _SKIPPED_MASK = 0x184D2A50, 0xFFFFFFF0
# How many bytes the size of the contents takes, and the number of a dictionary, by two bits of the descriptor each.
_SIZE_BYTES, _DICTIONARY_BYTES = (0, 2, 4, 8), (0, 1, 2, 4)


@contextmanager
def checking(given: Given) -> Iterator[None]:
    """Read packed files to their ends beside whatever is done; one that is damaged or cut off is an `InputError`.

    Of gzip the sums are checked, which DuckDB does not; of zstd, whether its last block is there.
    """
    packed = [(path, one.packing) for path, one in zip(given.files, given.samples, strict=True) if one.packing]
    if not packed:
        yield
        return
    stop = threading.Event()
    with ThreadPoolExecutor(1, thread_name_prefix="mayfly-packed") as pool:
        checks = [pool.submit(check_packed, path, packing, stop) for path, packing in packed]
        try:
            yield
        except BaseException:
            stop.set()
            raise
        for check in checks:
            check.result()


def check_packed(path: Path, packing: str, stop: threading.Event | None = None) -> None:
    """Raise an `InputError` where a packed file is not whole; end early once *stop* is set."""
    if packing == "zstd":
        try:
            with path.open("rb") as file:
                _walk_frames(file, os.fstat(file.fileno()).st_size)
        except EOFError:
            raise InputError(f"{path} is cut off: its zstd stream ends too early", fix="get it again") from None
        except (OSError, ValueError) as error:
            raise unreadable(path, "", error) from None
        return
    with reading(path, "gzip") as file:
        while not (stop and stop.is_set()) and file.read(HEAD):
            pass


def _walk_frames(file: IO[bytes], size: int) -> None:
    """Go from block to block to the end of a file of frames, as RFC 8878 has them, without unpacking any."""
    while file.tell() < size:
        magic = _number(file, 4)
        if magic & _SKIPPED_MASK == _SKIPPED:
            _skip(file, _number(file, 4), size)
        elif magic == _ZSTD:
            _walk_blocks(file, size)
        else:
            raise ValueError("there is something else behind its zstd stream")


def _walk_blocks(file: IO[bytes], size: int) -> None:
    descriptor = _number(file, 1)
    single, summed = descriptor & 0x20, descriptor & 0x04
    of_size = _SIZE_BYTES[descriptor >> 6] or (1 if single else 0)
    _skip(file, of_size + _DICTIONARY_BYTES[descriptor & 3] + (0 if single else 1), size)
    last = False
    while not last:
        block = _number(file, 3)
        last = bool(block & 1)
        # A block of one byte that is repeated has that byte alone.
        _skip(file, 1 if block >> 1 & 3 == 1 else block >> 3, size)
    _skip(file, 4 if summed else 0, size)


def _number(file: IO[bytes], width: int) -> int:
    data = file.read(width)
    if len(data) < width:
        raise EOFError
    return int.from_bytes(data, "little")


def _skip(file: IO[bytes], count: int, size: int) -> None:
    if file.seek(count, os.SEEK_CUR) > size:
        raise EOFError
