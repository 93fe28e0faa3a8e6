"""Several files as one table: how they are read on the host, and the column that has the name of each record's file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.synthesis.records._model import Field, Format

# What the column is called; where a file has one of that name, the second.
_TITLES = ("file", "input file")


# With more parts of their paths files are not told apart: where a program is tried, its files lie in one directory,
# which is called so.
MOST_PARTS, _DIRECTORY = 2, "spill"
# Endings by which DuckDB takes a file for a packed one.
_PACKED = re.compile(r"\.(?:gz|zst)\Z", re.IGNORECASE)


class FileLines(NamedTuple):
    """Lines of one of several files, and the last parts of its path, by which it is told apart."""

    name: str
    lines: Sequence[str]


def files_in(items: Sequence[object]) -> list[FileLines]:
    """Return the files that *items* are, where they are files."""
    return [item for item in items if isinstance(item, FileLines)]


def one_after_another(items: Sequence[object]) -> Sequence[object]:
    """Return the lines of files as if they were those of one, which begins with the names of its columns once."""
    files = files_in(items)
    if not files:
        return items
    first = files[0].lines[:1]
    return [*files[0].lines, *(line for one in files[1:] for line in one.lines[one.lines[:1] == first :])]


def as_tried(items: Sequence[object]) -> Sequence[object]:
    """Return files under the names that they have where a program is tried on lines of them."""
    files = files_in(items)
    if not files:
        return items
    names = [_PACKED.sub("", one.name.rpartition("/")[2]) for one in files]
    if len(set(names)) < len(names):
        names = [f"{number}-{name}" for number, name in enumerate(names, 1)]
    above = f"{_DIRECTORY}/" if parts_of(files) > 1 else ""
    return [one._replace(name=f"{above}{name}") for one, name in zip(files, names, strict=True)]


def parts_of(files: Sequence[FileLines]) -> int:
    """Return how many of the last parts of their paths the names of files are."""
    return max((one.name.count("/") + 1 for one in files), default=0)


def with_file(found: Format, items: Sequence[object]) -> Format:
    """Return a format with the column for the file, where there are several."""
    files = files_in(items)
    if not files:
        return found
    known = {one.title for one in found.fields}
    title = next((title for title in _TITLES if title not in known), f"{_TITLES[-1]} name")
    column = Field(name=title, heading=title)
    return replace(found, fields=(*found.fields, column), files=parts_of(files))


def of_one_file(found: Format) -> tuple[Format, str]:
    """Return how each of several files is read by itself, and the title of the column for their names."""
    return replace(found, fields=found.fields[:-1], files=0), found.fields[-1].title
