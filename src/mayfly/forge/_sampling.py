"""Samples of files of text: the first lines and lines from all over, read on the host in bounded time and memory.

DuckDB reads plain text and text packed with gzip or zstd where it lies, as long as it is UTF-8.
"""

from __future__ import annotations

import gzip
import os
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

from mayfly.core import Encoding, FileKind, InputError, byte_encoding, unreadable, wide_encoding

# A file of so many bytes, some ten thousand lines, is read whole; of a larger one its beginning, its end and places
# between them that are the same each time, half as much in all: enough to learn its format, and to read it
# independently. Each line takes ten times as long as in DuckDB, so more of them would cost more than the answer.
WHOLE = 2 * 1024 * 1024
HEAD, CHUNK, CHUNKS = 512 * 1024, 32 * 1024, 15
# Of a packed file the places lie in what follows its beginning, so many bytes apart: it is unpacked to get there, which
# takes some hundredths of a second for all of them.
STEP = 256 * 1024
Packing = Literal["", "gzip", "zstd"]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Lines of one file: the first ones, whether they are all, and lines from places behind them."""

    lines: tuple[str, ...] = ()
    complete: bool = True
    # Whole lines from places all over the file, the last of them its end where it can be read from there.
    within: tuple[str, ...] = ()
    # How the file is packed, which DuckDB is told since it would only look at the name.
    packing: Packing = ""
    encoding: Encoding = "utf-8"
    # Of a Parquet file: the columns with their types in DuckDB. Its lines are CSV, the first of them these names.
    columns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Pieces:
    """What was read of a file, unpacked: its beginning, and pieces from behind it, which begin and end anywhere."""

    head: bytes
    complete: bool
    within: tuple[bytes, ...] = ()
    # Whether the last of them is the end of the file.
    to_end: bool = False


def sample_of(path: Path, kind: FileKind, most: int = WHOLE) -> Sample:
    """Return a sample of a file of text, plain or packed with gzip; one that is no text is an `InputError`.

    It has up to *most* bytes; where that is less than the usual, they are the first.
    """
    with reading(path, kind) as file:
        if most < WHOLE:
            head = file.read(most)
            pieces = _Pieces(head=head, complete=not file.read(1))
        else:
            pieces = _of_gzip(file) if kind == "gzip" else _of_plain(file)
    encoding = _encoding_of(pieces)
    if encoding is None:
        raise InputError(
            f"{path} is not text in UTF-8, UTF-16 or Latin-1",
            fix=f"if it is text of another encoding: iconv -f ENCODING -t UTF-8 {path}",
        )
    return _sample(pieces, encoding, "gzip" if kind == "gzip" else "")


def _encoding_of(pieces: _Pieces) -> Encoding | None:
    wide = wide_encoding(pieces.head)
    # Pieces begin and end anywhere, and so between the bytes of one character: only their whole lines are looked at.
    return wide or byte_encoding(b"\n".join((_without_rest(pieces), *_lines_of(pieces))))


def _without_rest(pieces: _Pieces) -> bytes:
    """Return the beginning without the part of a line, or of a character, that it ends with."""
    if pieces.complete:
        return pieces.head
    return pieces.head[: pieces.head.rfind(b"\n") + 1] or pieces.head[:-4]


def _lines_of(pieces: _Pieces) -> Iterator[bytes]:
    """Yield the whole lines of the pieces behind the beginning."""
    for number, piece in enumerate(pieces.within, 1):
        lines = piece.split(b"\n")
        # The first and the last are parts of lines, but for the last of the file.
        yield from filter(None, lines[1:] if pieces.to_end and number == len(pieces.within) else lines[1:-1])


def _sample(pieces: _Pieces, encoding: Encoding, packing: Packing) -> Sample:
    lines = lines_in(pieces.head.decode(_codec(encoding), "replace"), complete=pieces.complete)
    within: Iterator[bytes] = iter(())
    # Where a quoted cell may go over several lines, a place in the middle of the file may lie inside of one. Of wide
    # characters the ends of lines are found in another way.
    if not pieces.complete and _is_narrow(encoding) and not any(line.count('"') % 2 for line in lines):
        within = _lines_of(pieces)
    return Sample(
        lines=tuple(lines),
        complete=pieces.complete,
        within=tuple(line.decode(_codec(encoding), "replace").removesuffix("\r") for line in within),
        packing=packing,
        encoding=encoding,
    )


def lines_in(text: str, *, complete: bool = True) -> list[str]:
    """Return the lines of a text without their ends; of one that goes on its last is left out."""
    lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
    if not complete or not lines[-1]:
        lines.pop()
    return lines


def _is_narrow(encoding: Encoding) -> bool:
    return not encoding.startswith(("utf-16", "utf-32"))


def _codec(encoding: Encoding) -> str:
    return "utf-8" if encoding == "damaged utf-8" else encoding


def _of_plain(file: IO[bytes]) -> _Pieces:
    size = os.fstat(file.fileno()).st_size
    if size <= WHOLE:
        return _Pieces(head=file.read(WHOLE), complete=True)
    head = file.read(HEAD)
    places = random.Random(size)
    within = []
    for at in (*sorted(places.randrange(HEAD, size - CHUNK) for _ in range(CHUNKS)), size - CHUNK):
        file.seek(at)
        within.append(file.read(CHUNK))
    return _Pieces(head=head, complete=False, within=tuple(within), to_end=True)


def _of_gzip(file: IO[bytes]) -> _Pieces:
    head = file.read(WHOLE)
    within: list[bytes] = []
    while len(within) < CHUNKS and (piece := file.read(CHUNK)):
        within.append(piece)
        file.read(STEP)
    return _Pieces(head=head[:HEAD] if within else head, complete=not within, within=tuple(within))


@contextmanager
def reading(path: Path, kind: FileKind) -> Iterator[IO[bytes]]:
    """Open a file of text, unpacking one packed with gzip; whatever keeps it from being read is an `InputError`."""
    try:
        with gzip.open(path) if kind == "gzip" else path.open("rb") as file:
            yield cast("IO[bytes]", file)
    except EOFError:
        raise InputError(f"{path} is cut off: its gzip stream ends too early", fix="get it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}", fix=f"see: gzip -t {path}") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, "", error) from None
