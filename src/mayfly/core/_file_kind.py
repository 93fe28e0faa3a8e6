"""What an input file is, by its first bytes: text, packed text or a table; anything else is refused."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path
from typing import Literal

from mayfly.core.errors import InputError

FileKind = Literal["text", "gzip", "zstd", "parquet", "sqlite", "excel", "arrow"]
# How text is written: the name of a codec of Python, or UTF-8 with a few bytes in it that are none.
Encoding = Literal["utf-8", "damaged utf-8", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
TABLES: frozenset[FileKind] = frozenset(("parquet", "sqlite", "excel", "arrow"))
# Enough for every magic number below, and for a guess at UTF-16 that has no mark.
_BEGINNING = 4096
_MAGIC: tuple[tuple[bytes, FileKind], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
)
# Formats without a magic number of their own: a zip archive, and a stream of messages.
_MAGIC_BY_ENDING: tuple[tuple[bytes, tuple[str, ...], FileKind], ...] = (
    (b"PK\x03\x04", (".xlsx", ".xlsm"), "excel"),
    (b"\xff\xff\xff\xff", (".arrow", ".arrows", ".feather", ".ipc"), "arrow"),
)
# What is not read, and how to make text of it.
_REFUSED: tuple[tuple[bytes, str, str], ...] = (
    (b"BZh", "packed with bzip2", "bzip2 -dc {path} | mayfly run … --input -"),
    (b"\xfd7zXZ\0", "packed with xz", "xz -dc {path} | mayfly run … --input -"),
    (b"\x04\x22\x4d\x18", "packed with lz4", "lz4 -dc {path} | mayfly run … --input -"),
    (b"PK\x03\x04", "a zip archive", "unzip -p {path} | mayfly run … --input -"),
    (b"%PDF-", "a PDF", "make text of it: pdftotext -layout {path}"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of an old Office", "save it as .xlsx or CSV"),
)
_NOT_REGULAR = {
    stat.S_IFDIR: ("a directory", "name its files, in quotes: --input '{path}/*'"),
    stat.S_IFIFO: ("a pipe", "pipe it in: --input -"),
    stat.S_IFSOCK: ("a socket", "name a file"),
    stat.S_IFCHR: ("a device", "name a file"),
    stat.S_IFBLK: ("a device", "name a file"),
}
# Characters that text does not have, but for the ends of lines and pages, tabs and the escapes of terminals.
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
# A log has blocks of zero bytes where its machine lost power; a file with more of them than this is no text.
_MOST_CONTROL = 0.1
# Where only zero bytes speak for UTF-16, more is asked of the text that it gives.
_MOST_CONTROL_OF_WIDE = 0.01
_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # which begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Of every second byte: that many are zero where UTF-16 has texts of Europe in it, at least, and no more of the others.
_ZEROS, _OTHER_ZEROS = 0.4, 0.05


def split_table(path: Path) -> tuple[Path, str]:
    """Return a file and a table in it: `shop.db:orders` is a file of that name or, without one, a table of shop.db."""
    file, colon, table = str(path).rpartition(":")
    if colon and file and table and not path.exists() and Path(file).is_file():
        return Path(file), table
    return path, ""


def file_kind(path: Path, said: str = "") -> FileKind:
    """Return what a file is; an `InputError` says why it cannot be read, with *said*, what the caller calls it."""
    start = read_beginning(path, said, _BEGINNING)
    name = path.name.lower()
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            return kind
    for magic, endings, kind in _MAGIC_BY_ENDING:
        if start.startswith(magic) and name.endswith(endings):
            return kind
    for magic, what, fix in _REFUSED:
        if start.startswith(magic):
            raise InputError(f"{_named(path, said)} is {what}", fix=fix.format(path=path))
    return "text"


def is_plain_text(path: Path) -> bool:
    """Say whether a file is text that can be cut at the ends of its lines."""
    return file_kind(path) == "text" and wide_encoding(read_beginning(path, "", _BEGINNING)) is None


def read_beginning(path: Path, said: str, size: int) -> bytes:
    """Return the first bytes of a regular file; whatever else it is, it is neither opened nor waited for."""
    try:
        _check_regular(path, said, os.stat(path).st_mode)
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            _check_regular(path, said, os.fstat(file.fileno()).st_mode)
            return file.read(size)
    except (OSError, ValueError) as error:
        raise unreadable(path, said, error) from None


def _check_regular(path: Path, said: str, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind, fix = _NOT_REGULAR.get(stat.S_IFMT(mode), ("no regular file", "name a file"))
    raise InputError(f"{_named(path, said)} is {kind}", fix=fix.format(path=str(path).rstrip("/")))


def unreadable(path: Path, said: str, error: OSError | ValueError) -> InputError:
    """Return the error for a file that the system does not let us read."""
    start = f"{said}: " if said else ""
    return InputError(f"{start}cannot read {path}: {getattr(error, 'strerror', None) or error}")


def _named(path: Path, said: str) -> str:
    return f"{said} {path}".strip()


def wide_encoding(start: bytes) -> Encoding | None:
    """Return the encoding of text whose characters have two bytes or four, by its mark or by its zero bytes."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    half = len(start[:_BEGINNING]) // 2
    if not half:
        return None
    even, odd = (start[place : 2 * half : 2].count(0) for place in (0, 1))
    if odd >= _ZEROS * half and even <= _OTHER_ZEROS * half:
        return "utf-16-le" if _is_text(start[: 2 * half], "utf-16-le") else None
    if even >= _ZEROS * half and odd <= _OTHER_ZEROS * half:
        return "utf-16-be" if _is_text(start[: 2 * half], "utf-16-be") else None
    return None


def _is_text(start: bytes, encoding: str) -> bool:
    """Say whether the beginning of a file is text in an encoding: small numbers of two bytes each are none."""
    text = start.decode(encoding, "replace")
    return len(_CONTROL.findall(text.encode("utf-8", "replace"))) <= _MOST_CONTROL_OF_WIDE * len(text)


def byte_encoding(data: bytes) -> Encoding | None:
    """Return the encoding of text whose ends of lines are single bytes; None for what is no text.

    A single byte that is no UTF-8 says little: where more characters are written in UTF-8 than are not, it is that.
    """
    control = len(_CONTROL.findall(data))
    try:
        data.decode()
        return "utf-8" if control <= _MOST_CONTROL * len(data) else None
    except UnicodeDecodeError:
        if control:
            return None
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    if len(text) - len(text.encode("ascii", "ignore")) - broken >= broken:
        return "damaged utf-8"
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252"
