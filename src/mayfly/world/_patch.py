"""Unified diffs: read strictly, applied where the context stands, in one place only."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mayfly.core import InputError

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NONE = "/dev/null"


@dataclass(kw_only=True)
class Hunk:
    """Some lines of a file: as they are, and as they will be."""

    start: int
    left_old: int = 0
    left_new: int = 0
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    last: str = " "

    @property
    def is_whole(self) -> bool:
        """Tell whether it has as many lines as its head says."""
        return self.left_old <= 0 and self.left_new <= 0

    def add(self, sign: str, line: str) -> None:
        """Take one of its lines: kept, removed or added."""
        if sign in " -":
            self.old.append(line)
            self.left_old -= 1
        if sign in " +":
            self.new.append(line)
            self.left_new -= 1
        self.last = sign


@dataclass(kw_only=True)
class FilePatch:
    """What is changed in one file; an empty path stands for no file."""

    old: str
    new: str
    hunks: list[Hunk] = field(default_factory=list)
    no_newline: bool = False
    """Whether the file ends without a line feed as it will be, and whether it does as it is."""
    no_newline_before: bool = False


def apply_patch(patch: str, read: Callable[[str], str]) -> dict[str, bytes | None]:
    """Return what every file of *patch* becomes, None for one that is deleted; a part that does not fit is an error."""
    files: dict[str, bytes | None] = {}
    for part in parse_patch(patch):
        text = read(part.old) if part.old else ""
        if part.new:
            files[part.new] = patched_text(text, part).encode("utf-8", "surrogateescape")
        if part.old and part.old != part.new:
            files[part.old] = None
    if not files:
        raise InputError("the patch changes no file", fix="write a unified diff with --- and +++ lines")
    return files


def parse_patch(patch: str) -> list[FilePatch]:
    """Return what a patch changes, file by file."""
    parts: list[FilePatch] = []
    old = ""
    hunk: Hunk | None = None
    for number, line in enumerate(patch.split("\n"), 1):
        if line.startswith("\\") and parts and hunk is not None:
            _end_without(parts[-1], hunk)
        elif hunk is not None and not hunk.is_whole:
            sign = line[:1] or " "
            if sign not in " +-":
                raise InputError(f"line {number} of the patch belongs to no file: {line[:80]!r}")
            hunk.add(sign, line[1:])
        elif line.startswith("--- "):
            old, hunk = _name(line), None
        elif line.startswith("+++ "):
            parts.append(FilePatch(old=old, new=_name(line)))
        elif match := _HUNK.match(line):
            if not parts:
                raise InputError(f"line {number} of the patch: a part of no file", fix="begin with --- and +++ lines")
            hunk = Hunk(start=int(match[1]), left_old=int(match[2] or 1), left_new=int(match[4] or 1))
            parts[-1].hunks.append(hunk)
    if hunk is not None and not hunk.is_whole:
        raise InputError("the patch ends in the middle of a part", fix="the numbers after @@ count the lines")
    return parts


def _end_without(part: FilePatch, hunk: Hunk) -> None:
    """Note that the last row ends a file without a line feed: the file as it is, as it will be, or both."""
    part.no_newline_before = part.no_newline_before or hunk.last in " -"
    part.no_newline = part.no_newline or hunk.last in " +"


def _name(line: str) -> str:
    name = line[4:].partition("\t")[0].strip()
    return "" if name == _NONE else re.sub(r"^[ab]/", "", name)


def patched_text(text: str, part: FilePatch) -> str:
    """Return the text of a file with one patch applied; what the patch does not change stays as it is, sign by sign."""
    lines = text.split("\n")
    offset = 0
    for number, hunk in enumerate(part.hunks, 1):
        place = _find(lines, hunk.old, hunk.start - 1 + offset if hunk.old else hunk.start + offset)
        if place is None:
            raise InputError(f"{part.old or part.new}, part {number}: its lines are not there")
        lines[place : place + len(hunk.old)] = _changed(lines[place : place + len(hunk.old)], hunk, lines)
        offset += len(hunk.new) - len(hunk.old)
    result = "\n".join(lines)
    if part.no_newline:
        return result.removesuffix("\n")
    added = part.no_newline_before and result and not result.endswith("\n")
    return f"{result}\n" if added else result


def _changed(were: list[str], hunk: Hunk, lines: list[str]) -> list[str]:
    """Return the lines in place of those that *were* there.

    Where the patch does not say how lines end, kept ones stay as they were, and new ones end as those around them do.
    """
    if were == hunk.old and (were or lines == [""]):
        return list(hunk.new)
    around = were or lines[:-1]
    ends = "\r" if around and sum(line.endswith("\r") for line in around) * 2 > len(around) else ""
    made: list[str] = []
    steps = difflib.SequenceMatcher(None, _plain(hunk.old), _plain(hunk.new), autojunk=False).get_opcodes()
    for kind, start, stop, first, last in steps:
        made += were[start:stop] if kind == "equal" else [line + ends for line in _plain(hunk.new[first:last])]
    return made


def _plain(lines: list[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]


def _find(lines: list[str], wanted: list[str], near: int) -> int | None:
    """Return where *wanted* stands, nearest to *near*; None where it does not. How lines end makes no difference."""
    if not wanted:
        return min(max(near, 0), len(lines))
    there, plain = _plain(lines), _plain(wanted)
    places = [at for at in range(len(lines) - len(wanted) + 1) if there[at : at + len(wanted)] == plain]
    return min(places, key=lambda at: abs(at - near), default=None)
