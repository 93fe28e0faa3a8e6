"""`Given`: the files of an input as DuckDB reads them, samples of them, and what the user is told about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import (
    TABLES,
    FileKind,
    InputError,
    distinct_names,
    file_kind,
    load_json,
    one_line,
    split_table,
    unreadable,
)
from mayfly.forge._converting import MadeFile, OpenBox, converted, decoded, sample_of_parquet, samples_of_zstd
from mayfly.forge._sampling import WHOLE, Packing, Sample, lines_in, reading, sample_of
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.sandbox import Sandbox


# Bytes of the beginning of each of many files.
FEWEST = 64 * 1024
# So many lines may stand above the names of the columns.
_MOST_TITLES = 12
# By which endings DuckDB knows how a file is packed.
_ENDINGS: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd"}


class FileState(NamedTuple):
    """Which file was found at a path, how large it was, and when it was written last."""

    path: Path
    inode: int
    size: int
    written: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Return the state of a file now."""
        try:
            found = path.stat()
        except OSError as error:
            raise unreadable(path, "", error) from None
        return cls(path, found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, kw_only=True)
class Given:
    """What was given: for each file its path, its sample, and its name in the column `file`."""

    files: tuple[Path, ...] = ()
    samples: tuple[Sample, ...] = ()
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # Files that were made of those of the input, and are kept while this is.
    made: tuple[MadeFile, ...] = ()
    # The files of the input as they were before anything of them was read.
    seen: tuple[FileState, ...] = ()

    @property
    def sample(self) -> Sample:
        """The sample of the first file."""
        return self.samples[0] if self.samples else Sample()

    @property
    def is_plain(self) -> bool:
        """Whether it is one file of plain text, whose lines can be handed to a program as they are."""
        return len(self.files) == 1 and not self.sample.packing and not self.sample.columns

    @property
    def size(self) -> int:
        """The bytes of all files, as they lie."""
        return sum(path.stat().st_size for path in self.files)

    @property
    def name_parts(self) -> int:
        """How many of the last parts of its path each file is called by."""
        return self.names[0].count("/") + 1 if self.names else 0

    def check_unchanged(self) -> bool:
        """Say whether a file has grown since it was looked at; one that is another now is an `InputError`.

        Logs are asked about while programs write to them: what comes behind the lines that were read changes nothing.
        """
        grown = False
        for before in self.seen:
            now = FileState.of(before.path)
            if now.inode != before.inode or now.size < before.size or (now.size == before.size and now != before):
                raise InputError(f"{before.path} changed while it was read", fix="ask about a copy of it")
            grown = grown or now.size > before.size
        return grown

    def check_columns(self) -> None:
        """Refuse files of one table that do not all begin with the same columns.

        Cells are read by their places: columns in another order would be taken for those of the first file.
        """
        held = ((name, one.lines) for name, one in zip(self.names, self.samples, strict=True))
        (first, top), *others = held
        strange = [(name, lines) for name, lines in others if lines and lines[:1] != top[:1]]
        if not strange or not top or not (found := records.detect(top)).header:
            return
        for name, lines in strange:
            begun = [line for line in lines if line.strip()][: _MOST_TITLES + 1]
            if begun and not records.read_table(found, begun).header:
                told = f"{one_line(name)} does not begin with the columns of {one_line(first)}"
                raise InputError(f"{told}: {one_line(begun[0], limit=100)}", fix="ask about files of one kind")

    def items(self, lines: Sequence[Sequence[str]]) -> tuple[object, ...]:
        """Return the *lines* of each file as records are made of them: of several files with their names."""
        if len(lines) == 1:
            return tuple(lines[0])
        files = [records.FileLines(name, held) for name, held in zip(self.names, lines, strict=True)]
        return tuple(files) if self.name_parts <= records.MOST_PARTS else tuple(records.one_after_another(files))

    def all_lines(self, most: int, why: str) -> tuple[tuple[str, ...], ...]:
        """Return every line of each file; more than *most* bytes in all are refused, and it is said *why*."""
        found: list[tuple[str, ...]] = []
        for path, sample in zip(self.files, self.samples, strict=True):
            lines = sample.lines if sample.complete else _all_lines(path, sample, most, why)
            most -= sum(map(len, lines))
            if most < 0:
                raise _too_large(path, why)
            found.append(lines)
        return tuple(found)


def _all_lines(path: Path, sample: Sample, most: int, why: str) -> tuple[str, ...]:
    if sample.packing == "zstd":
        raise InputError(f"{path} has to be unpacked: {why}", fix=f"zstd -d {path}")
    with reading(path, "gzip" if sample.packing else "text") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(path, why)
    return tuple(lines_in(data.decode("utf-8", "replace")))


def _too_large(path: Path, why: str) -> InputError:
    return InputError(f"{path} is too large: {why}", fix="give it in parts, or as CSV or JSON lines")


def look_at(paths: Sequence[Path], box: OpenBox | None = None, *, parquet: bool = False) -> Given:
    """Look at the files of one table and make text of what DuckDB does not read; `InputError` says what is wrong.

    With *parquet* such a file is left as it is, with its columns in its sample; otherwise it becomes text.
    """
    if not paths:
        return Given()
    split = [split_table(path) for path in paths]
    kinds = [file_kind(path) for path, _ in split]
    look = _Look(
        # Of many files a part of each is read, so that it is no more than of one.
        most=max(WHOLE // max(1, len(paths)), FEWEST),
        box=box or _no_box,
        parquet=parquet,
    )
    seen = tuple(FileState.of(path) for path, _ in split)
    names = distinct_names([path for path, _ in split])
    packed = iter(
        samples_of_zstd([path for (path, _), kind in zip(split, kinds, strict=True) if kind == "zstd"], look.box)
    )
    found = [
        look.at(path, kind, name, table=table, packed=next(packed) if kind == "zstd" else None)
        for (path, table), kind, name in zip(split, kinds, names, strict=True)
    ]
    if len({bool(one.sample.columns) for one in found}) > 1:
        raise InputError("some of the files are Parquet and some are text", fix="ask about one kind of them")
    return Given(
        files=tuple(one.files[0] for one in found),
        samples=_bounded([one.sample for one in found]),
        names=tuple(_without_ending(name) if one.made else name for name, one in zip(names, found, strict=True)),
        notes=_notes(found),
        made=tuple(made for one in found for made in one.made),
        seen=seen,
    )


def _bounded(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return samples with no more lines in all than there are of one file, but for the first line of each."""
    kept, left = [], 2 * WHOLE
    for one in samples:
        left -= sum(map(len, one.lines))
        kept.append(one if left >= 0 or one is samples[0] else replace(one, lines=one.lines[:1], complete=False))
    return tuple(kept)


def _notes(found: Sequence[Given]) -> tuple[str, ...]:
    """Return what is said of the files, each thing once."""
    counts = Counter(note for one in found for note in one.notes)
    of = "" if len(found) == 1 else f" of {len(found)} files"
    return tuple(f"{note} ({count}{of})" if of else note for note, count in counts.items())


def _no_box() -> Sandbox:
    raise InputError("this input has to be converted behind the wall, and there is none here")


@dataclass(frozen=True, kw_only=True)
class _Look:
    """How the files of one table are looked at."""

    most: int
    box: OpenBox
    parquet: bool

    def at(self, path: Path, kind: FileKind, name: str, *, table: str = "", packed: Sample | None = None) -> Given:
        """Look at one file, of which a sample is there already where it is packed with zstd.

        What is made of it is called by its *name*, too.
        """
        if table and kind not in ("sqlite", "excel"):
            raise InputError(f"{path} has no tables that have names", fix=f"--input {path}")
        if kind == "parquet" and self.parquet:
            return Given(files=(path,), samples=(sample_of_parquet(path, self.box),))
        made = MadeFile(_without_ending(name))
        if kind in TABLES:
            return self._made(made, converted(path, kind, self.box, made, table=table))
        sample = packed or sample_of(path, kind, self.most)
        found = _as_named(path, name, sample)
        if sample.encoding != "utf-8":
            found = self._made(made, decoded(path, kind, sample.encoding, made))
            made = MadeFile(_without_ending(name))
        if _is_one_value(path, found.sample):
            converted(found.files[0], "json", self.box, made, packing=found.sample.packing)
            return self._made(made, *found.notes)
        return found

    def _made(self, made: MadeFile, *notes: str) -> Given:
        return Given(files=(made.path,), samples=(sample_of(made.path, "text", self.most),), notes=notes, made=(made,))


def _as_named(path: Path, name: str, sample: Sample) -> Given:
    """Return a file of text under a name that says how it is packed, since DuckDB knows that by the ending alone."""
    said = next((packing for ending, packing in _ENDINGS.items() if path.name.lower().endswith(ending)), "")
    if said == sample.packing:
        return Given(files=(path,), samples=(sample,))
    ending = next((ending for ending, packing in _ENDINGS.items() if packing == sample.packing), "")
    link = MadeFile(f"{_without_ending(name)}{ending}", of=path)
    return Given(files=(link.path,), samples=(sample,), made=(link,))


def _without_ending(name: str) -> str:
    """Return the name of a file without the ending that says how it is packed."""
    ending = next((ending for ending in _ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)] or "rows"


def _is_one_value(path: Path, sample: Sample) -> bool:
    """Say whether a file is called JSON and has no object on its first line: then it is one value, over any lines."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    first = next((line for line in sample.lines if line.strip()), "")
    if not name.endswith(".json") or (sample.complete and not first):
        return False
    try:
        return not isinstance(load_json(first), dict)
    except (ValueError, RecursionError):
        return True
