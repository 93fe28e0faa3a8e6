"""Results that may be too many for memory: a list while they are few, a sequence on disk beyond that."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, overload

SPOOL_AT = 16 * 1024 * 1024
CHUNK = 1024 * 1024


class Spool(Sequence[object]):
    """Read results back from a file without a name, one JSON value a line; it is gone when nobody holds it."""

    def __init__(self, file: IO[bytes], length: int) -> None:
        self._file = file
        self._length = length
        weakref.finalize(self, file.close)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[object]:
        return map(json.loads, self.texts())

    def texts(self) -> Iterator[str]:
        """Yield every result as its JSON text, in ASCII; several readers do not disturb each other."""
        position = 0
        while True:
            self._file.seek(position)
            lines = self._file.readlines(CHUNK)
            position = self._file.tell()
            if not lines:
                return
            for line in lines:
                yield line[:-1].decode("ascii")

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> list[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        wanted = range(self._length)[index]
        if isinstance(wanted, int):
            return next(item for at, item in enumerate(self) if at == wanted)
        found = {at: item for at, item in enumerate(self) if at in wanted}
        return [found[at] for at in wanted]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != self._length:
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        raise TypeError("a sequence of results is not hashable")

    def __repr__(self) -> str:
        return f"<{self._length} results on disk>"


def collect(items: Iterable[object], *, limit: int = SPOOL_AT) -> list[object] | Spool:
    """Gather *items*: as a list while their JSON stays under *limit* bytes, otherwise on disk."""
    gathered: list[object] = []
    size = 0
    rest = iter(items)
    for item in rest:
        gathered.append(item)
        size += len(_text(item)) + 1
        if size > limit:
            return spool([gathered, rest])
    return gathered


def spool(parts: Iterable[Iterable[object]]) -> Spool:
    """Put the items of several parts on disk, one after another; those that lie there are copied as they are."""
    import tempfile

    file = tempfile.TemporaryFile(prefix="mayfly-")  # noqa: SIM115 - it lives as long as the spool
    length = 0
    for part in parts:
        for text in part.texts() if isinstance(part, Spool) else map(_text, part):
            file.write(text.encode() + b"\n")
            length += 1
    file.flush()
    return Spool(file, length)


def _text(item: object) -> str:
    return json.dumps(item, separators=(",", ":"))
