"""From sources to a program that can be evaluated, all checks passed; or everything that stands in the way.

A source file is strict UTF-8, of a sane size, and every reason why not is said in one line.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mayfly.mangle._ast import Place, Symbol, Unit
from mayfly.mangle._checked import DeclaredPredicate
from mayfly.mangle._collector import paused
from mayfly.mangle._errors import MangleError, raise_all
from mayfly.mangle._parser import parse
from mayfly.mangle.check import check_program
from mayfly.mangle.engine import Program, compile_program


def load(units: Sequence[Unit], *, extra: Mapping[Symbol, DeclaredPredicate] | None = None) -> Program:
    """Check *units* as one program and compile it; what is wrong is a `MangleError` with its place."""
    try:
        with paused():
            return compile_program(check_program(units, extra=extra or {}))
    except MemoryError:
        place = Place(units[0].file, 1, 1) if units else None
        raise MangleError("there is not enough memory for the program", stage="analyze", place=place) from None


def load_files(paths: Sequence[Path]) -> Program:
    """Read files as one program; where it is plain what was meant, later checks are made all the same."""
    errors: list[MangleError] = []
    units: list[Unit | None] = []
    for path in paths:
        try:
            units.append(parse(read_source(path), file=str(path)))
        except MangleError as error:
            errors += error.all
            units.append(error.unit)
    known = [unit for unit in units if unit is not None]
    if not errors:
        return load(known)
    if len(known) == len(units):
        try:
            check_program(known)
        except MangleError as error:
            errors += error.all
    raise_all(errors)
    raise AssertionError("errors were raised")


LARGEST_SOURCE: Final = 64 * 1024 * 1024
_MARK: Final = b"\xef\xbb\xbf"


def read_source(path: Path) -> str:
    """Return the text of a source file, without its byte order mark; line ends stay as they are."""
    content = _read(path).removeprefix(_MARK)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode("utf-8")) + 1
        raise MangleError(
            f"byte 0x{content[error.start]:02x} is not UTF-8",
            stage="parse",
            place=Place(str(path), before.count(b"\n") + 1, column),
            fix="save the file as UTF-8",
        ) from None


def _read(path: Path) -> bytes:
    try:
        # Opening a pipe would wait for somebody to write into it.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(kind):
                reason = "it is a directory, not a file" if stat.S_ISDIR(kind) else "it is no regular file"
                raise _unreadable(path, reason)
            content = file.read(LARGEST_SOURCE + 1)
    except FileNotFoundError:
        raise _unreadable(path, "there is no such file") from None
    except IsADirectoryError:
        raise _unreadable(path, "it is a directory, not a file") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from None
    if len(content) > LARGEST_SOURCE:
        raise _unreadable(path, f"it is larger than {LARGEST_SOURCE // 2**20} MiB")
    return content


def _unreadable(path: Path, reason: str) -> MangleError:
    return MangleError(f"cannot read the source: {reason}", stage="parse", place=Place(str(path), 1, 1))
