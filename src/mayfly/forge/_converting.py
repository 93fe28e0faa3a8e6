"""Inputs that DuckDB does not read as they lie become files of text: other encodings here, tables behind the wall."""

from __future__ import annotations

import base64
import codecs
import re
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import Encoding, FileKind, InputError, MayflyError, one_line
from mayfly.forge import _foreign
from mayfly.forge._request import CannotWrite
from mayfly.forge._sampling import HEAD, WHOLE, Packing, Sample, lines_in, reading

if TYPE_CHECKING:
    from mayfly.sandbox import Sandbox, Stream

# Called only where there is something to convert: most inputs need no sandbox to be looked at.
OpenBox = Callable[[], "Sandbox"]
SOURCE = Path(_foreign.__file__)
# Lines of a sample that is made behind the wall; they are not more than the bytes of a sample either.
MOST_LINES = 10_000
_FEWEST_LINES = 100
# Bytes of a piece: one line may be as long as DuckDB reads any.
_LARGEST_PIECE = 64 * 1024 * 1024
# Names of tables that are listed in one line.
_MOST_NAMES = 20
# What the libraries are called, and the extra that brings them.
_LIBRARIES = {"excel": ("openpyxl", "excel"), "arrow": ("pyarrow", "arrow")}
_WORDS = {
    "sqlite": "an SQLite database",
    "excel": "an Excel workbook",
    "arrow": "an Arrow file",
    "parquet": "a Parquet file",
    "json": "one JSON value",
    "zstd": "text packed with zstd",
}
# What DuckDB says of text in another encoding.
_NOT_UTF8 = "not utf-8 encoded"
_NAMES: dict[Encoding, str] = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252 (Latin-1)",
}
# The part of a database that was written last lies in files beside it, until it is put into the database.
_UNWRITTEN = ("-wal", "-journal")
# Where the program for foreign files was, which tells nobody what is wrong with a file.
_PLACE = re.compile(r"^\w+: | \(line \d+, in \w+\)$")
_CALL = """

def _mayfly_pieces(path):
    yield from pieces_of(path, {kind!r}, {table!r}, {most!r})
"""


class MadeFile:
    """A file that is made of an input, in a directory of its own; it is gone when nobody holds this."""

    def __init__(self, name: str, *, of: Path | None = None) -> None:
        """Say where it will be or, *of* another file, make a link that leads there under a better name."""
        self.folder = tempfile.mkdtemp(prefix="mayfly-")
        self.path = Path(self.folder, name)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        if of is not None:
            self.path.symlink_to(of.absolute())

    def write(self, pieces: Iterable[bytes]) -> None:
        """Write all *pieces* to it."""
        with self.path.open("xb") as file:
            file.writelines(pieces)


def decoded(path: Path, kind: FileKind, encoding: Encoding, made: MadeFile) -> str:
    """Write text of another encoding as UTF-8, and say what it was; text that is not of that encoding is refused.

    DuckDB reads UTF-16 of one order of bytes only and without characters of two units, and Latin-1 without the signs
    that Windows has in it.
    """
    made.write(_decoded(path, kind, encoding))
    if encoding == "damaged utf-8":
        return "some characters are no UTF-8 and read as \ufffd"
    return f"read as {_NAMES[encoding]}"


def _decoded(path: Path, kind: FileKind, encoding: Encoding) -> Iterator[bytes]:
    damaged = encoding == "damaged utf-8"
    decoder = codecs.getincrementaldecoder("utf-8" if damaged else encoding)("replace" if damaged else "strict")
    read = 0
    with reading(path, kind) as file:
        try:
            while data := file.read(HEAD):
                text = decoder.decode(data)
                yield (text if read else text.removeprefix("\ufeff")).encode()
                read += len(data)
            yield decoder.decode(b"", final=True).encode()
        except UnicodeDecodeError as error:
            name = _NAMES[encoding]
            raise InputError(
                f"{path} began as {name} and is not so behind byte {read + error.start:,}",
                fix=f"see what is there: iconv -f {name.split()[0]} -t UTF-8 {path}",
            ) from None


def converted(path: Path, kind: str, box: OpenBox, made: MadeFile, *, table: str = "", packing: Packing = "") -> str:
    """Write the rows of a foreign table as text, CSV or lines of JSON; say what was read."""
    if kind == "sqlite":
        _check_written(path)
    with _opened([path], kind, box, table=(packing or "auto") if kind == "json" else table) as (found, pieces):
        if "tables" in found:
            raise _which_table(path, found["tables"], table)
        made.write(cast("Iterator[bytes]", pieces))
    return f"read as {_WORDS[kind]}{f', {table}' if table else ''}"


def _check_written(path: Path) -> None:
    for ending in _UNWRITTEN:
        beside = Path(f"{path}{ending}")
        if beside.exists() and beside.stat().st_size:
            raise InputError(
                f"{path} has changes that are not in it yet, but in {beside.name}",
                fix=f"close what writes to it, or: sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'",
            )


def _which_table(path: Path, names: Sequence[str], table: str) -> MayflyError:
    """Return the error that names the tables there are; it is a question where several could be meant."""
    if not names:
        return InputError(f"{path} has no table with anything in it")
    listed = ", ".join(map(one_line, names[:_MOST_NAMES])) + (", …" if len(names) > _MOST_NAMES else "")
    if table:
        return InputError(f"{path} has no table {one_line(table)}: there are {listed}")
    return CannotWrite(
        f"{path.name} has {len(names)} tables",
        helps=(f"the name of one behind the file's: --input '{path.name}:{one_line(names[0])}'",),
        question=f"which table is meant: {listed}?",
    )


def samples_of_zstd(paths: Sequence[Path], box: OpenBox) -> list[Sample]:
    """Return the first lines of files packed with zstd, which are unpacked behind the wall, all of them at once."""
    if not paths:
        return []
    most = max(MOST_LINES // len(paths), _FEWEST_LINES)
    held: list[list[bytes]] = [[]]
    with _opened(paths, "zstd", box, most=most + 1) as (_, pieces):
        for piece in pieces:
            if isinstance(piece, dict):
                held.append([])
            elif sum(map(len, held[-1])) <= WHOLE:
                held[-1].append(piece)
    found = (_first_lines(texts, most) for texts in held)
    return [Sample(lines=lines, complete=complete, packing="zstd") for lines, complete in found]


def sample_of_parquet(path: Path, box: OpenBox) -> Sample:
    """Return the first rows of a Parquet file as lines of CSV, or of JSON where there are values in values."""
    held: list[bytes] = []
    with _opened([path], "parquet", box, most=MOST_LINES) as (found, pieces):
        for piece in pieces:
            held.append(cast("bytes", piece))
            if sum(map(len, held)) > WHOLE:
                break
    # The names of the columns are a line more.
    lines, complete = _first_lines(held, MOST_LINES)
    return Sample(lines=lines, complete=complete, columns=tuple(map(tuple, found["columns"])))


def _first_lines(pieces: Sequence[bytes], most: int) -> tuple[tuple[str, ...], bool]:
    """Return the first lines of a text that came in pieces, and whether they are all."""
    text = b"".join(pieces).decode("utf-8", "replace")
    lines = lines_in(text, complete=len(text) <= WHOLE)
    return tuple(lines[:most]), len(text) <= WHOLE and len(lines) <= most


@contextmanager
def _opened(
    paths: Sequence[Path], kind: str, box: OpenBox, *, table: str = "", most: int | None = None
) -> Iterator[tuple[dict[str, Any], Iterator[dict[str, Any] | bytes]]]:
    """Run the program for foreign files behind the wall; yield what it found first, and what follows."""
    library, extra = _LIBRARIES.get(kind, ("", ""))
    if library and find_spec(library) is None:
        raise InputError(f"{paths[0]} needs {library} to be read", fix=f"pip install 'mayfly-agents[{extra}]'")
    source = SOURCE.read_text(encoding="utf-8") + _CALL.format(kind=kind, table=table, most=most)
    grants = ("data", "package") if library else ("data",)
    with box().stream(source, "_mayfly_pieces", data=tuple(paths), grants=grants) as stream:
        pieces = _checked(stream, paths, kind)
        yield cast("dict[str, Any]", next(pieces)), pieces


def _unpacked(piece: str) -> bytes:
    """Unpack a piece of text, which is no larger than it may be: whatever wrote it has seen a file of a stranger."""
    packed = zlib.decompressobj()
    try:
        data = packed.decompress(base64.b64decode(piece), _LARGEST_PIECE)
    except (ValueError, zlib.error):
        data = b""
    if not packed.eof:
        raise InputError("what came of the file is not what the program for it gives")
    return data


def _checked(stream: Stream, paths: Sequence[Path], kind: str) -> Iterator[dict[str, Any] | bytes]:
    """Yield the items of a stream, pieces of text unpacked; where it did not end well, that is an `InputError`."""
    for item in stream:
        yield item if isinstance(item, dict) else _unpacked(str(item))
    result = stream.result
    if result is None or result.ok:
        return
    said = one_line(_PLACE.sub("", (result.error or result.status).partition("\n")[0]), limit=200)
    path = paths[0] if len(paths) == 1 else f"one of {len(paths)} files, such as {paths[0]},"
    if kind == "zstd" and _NOT_UTF8 in (result.error or ""):
        said, fix = "its text is not UTF-8", f"zstd -dc {paths[0]} | mayfly run … --input -"
        raise InputError(f"{path} cannot be read as it is packed: {said}", fix=fix)
    raise InputError(f"{path} cannot be read as {_WORDS[kind]}: {said}")
