"""What a command changed: one `Change` for each path, and the set of them with its digest, summary and diffs."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import stat
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from mayfly.core import harmless

EntryKind = Literal["file", "directory", "link", "special"]
ChangeKind = Literal["created", "changed", "deleted", "renamed", "mode", "link", "replaced"]
# What the workspace held at a path when the overlay first differed there: kind and mode, size, time, inode. Nothing
# where there was nothing.
Signature = tuple[int, ...]
# A file that was changed outside while a command ran: nobody can say which version the command saw.
UNCERTAIN: Signature = (-1,)
# Nothing has this signature: what is there is compared by its contents.
NEVER: Signature = (-2,)

# Characters of one file's diff: some thousand lines, more than anybody reads at once.
_MOST = 100_000
# Beyond it a line by line comparison takes seconds; two texts are then shown as one line each.
_LONGEST_TEXT = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing in a directory: what kind it is, its permission bits, size, and digest or (of a link) target."""

    kind: EntryKind
    mode: int
    size: int = 0
    digest: str = ""
    target: str = ""

    def same_content(self, other: Entry | None) -> bool:
        """Say whether the other one differs in nothing but its mode."""
        return other is not None and (self.kind, self.digest, self.target) == (other.kind, other.digest, other.target)


@dataclass(frozen=True, kw_only=True)
class Change:
    """What became of one path."""

    kind: ChangeKind
    path: str
    old_path: str = ""
    before: Entry | None = None
    after: Entry | None = None
    # Where the contents are to be read, and what was seen in the workspace; no part of what a change is.
    was: str = field(default="", repr=False, compare=False)
    now: str = field(default="", repr=False, compare=False)
    seen: Signature | None = field(default=None, repr=False, compare=False)
    seen_old: Signature | None = field(default=None, repr=False, compare=False)
    masked: bool = field(default=False, repr=False, compare=False)

    def parts(self) -> tuple[Change, ...]:
        """Return the change by single paths: what was renamed is deleted here and created there."""
        if not self.old_path:
            return (self,)
        gone = replace(self, kind="deleted", path=self.old_path, old_path="", after=None)
        return gone, replace(self, kind="created", old_path="", before=None)

    def diff(self, most: int = _MOST) -> str:
        """Return a unified diff of text, or one line for everything else."""
        if self.masked:
            return f"{self._headline()}: its contents are masked\n"
        old, new = _text(self.before, self.was), _text(self.after, self.now)
        if old is None or new is None or (not old and not new):
            return f"{self._headline()}\n"
        names = [harmless(name) for name in (self.old_path or self.path, self.path)]
        lines = difflib.unified_diff(
            old.splitlines(keepends=True),
            new.splitlines(keepends=True),
            f"a/{names[0]}" if self.before else "/dev/null",
            f"b/{names[1]}" if self.after else "/dev/null",
        )
        text = self._mode_line() + "".join(line if line.endswith("\n") else line + "\n" for line in lines)
        return text if len(text) <= most else f"{text[:most]}\n... {len(text) - most} characters more\n"

    def is_same_but_for(self, ignored: re.Pattern[str]) -> bool:
        """Whether a text says line for line what it said before, but for lines that are *ignored* as a whole.

        Of what cannot be read as text nobody can say so.
        """
        old, new = _text(self.before, self.was), _text(self.after, self.now)
        if self.masked or old is None or new is None:
            return False
        before, after = ([line for line in text.splitlines() if not ignored.fullmatch(line)] for text in (old, new))
        return before == after

    def _mode_line(self) -> str:
        both = self.before is not None and self.after is not None
        if both and self.before.mode != self.after.mode:  # type: ignore[union-attr]
            return f"mode {self.before.mode:04o} -> {self.after.mode:04o}: {harmless(self.path)}\n"  # type: ignore[union-attr]
        return "" if not self.old_path else f"renamed {harmless(self.old_path)} -> {harmless(self.path)}\n"

    def _headline(self) -> str:
        entry = self.after or self.before
        told = _describe(entry) if entry is not None else ""
        if self.before is not None and self.after is not None and self.kind != "renamed":
            told = f"{_describe(self.before)} -> {_describe(self.after)}"
        name = f"{harmless(self.old_path)} -> {harmless(self.path)}" if self.old_path else harmless(self.path)
        return f"{self.kind} {name} ({told})"


class Changes(tuple[Change, ...]):
    """A set of changes in the order of their paths."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Changes({self.summary()})"

    @property
    def digest(self) -> str:
        """A name for exactly these changes: what was approved is what has this digest."""
        whole = hashlib.sha256()
        for change in self:
            whole.update(json.dumps(change_to_json(change), sort_keys=True).encode("utf-8", "surrogateescape"))
        return whole.hexdigest()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that was touched, old names of what was renamed included."""
        both = [path for change in self for path in (change.path, change.old_path) if path]
        return tuple(sorted(set(both)))

    def summary(self) -> str:
        """Return the number of each kind in a few words."""
        counted = Counter(change.kind for change in self)
        return ", ".join(f"{number} {kind}" for kind, number in counted.most_common()) or "nothing changed"

    def diff(self, most: int = _MOST) -> str:
        """Return the diffs of all, until *most* characters."""
        parts: list[str] = []
        room = most
        for number, change in enumerate(self):
            if room <= 0:
                parts.append(f"... {len(self) - number} changes more\n")
                break
            parts.append(change.diff(room))
            room -= len(parts[-1])
        return "".join(parts)


def entry_kind(mode: int) -> EntryKind:
    """Return the kind of what has this mode."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "special"


def change_to_json(change: Change) -> dict[str, Any]:
    """Return what a change is as plain data."""
    sides = {"before": entry_to_json(change.before), "after": entry_to_json(change.after)}
    return {"kind": change.kind, "path": change.path, "old_path": change.old_path, **sides}


def entry_to_json(entry: Entry | None) -> dict[str, Any] | None:
    """Return an entry as plain data; `asdict` takes twenty times as long, which counts for many."""
    return None if entry is None else dict(vars(entry))


def change_from_json(data: dict[str, Any], **where: Any) -> Change:
    """Return the change again, with what is known about *where* its contents are."""
    before, after = (Entry(**data[name]) if data[name] else None for name in ("before", "after"))
    return Change(kind=data["kind"], path=data["path"], old_path=data["old_path"], before=before, after=after, **where)


def _describe(entry: Entry) -> str:
    if entry.kind == "link":
        return f"link to {harmless(entry.target)}"
    return f"file, {entry.size} bytes, mode {entry.mode:04o}" if entry.kind == "file" else entry.kind


def _text(entry: Entry | None, place: str) -> str | None:
    """Return the text of a file, nothing where there is no file, None where it is no text or no longer at hand."""
    if entry is None:
        return ""
    if entry.kind != "file" or not place or entry.size > _LONGEST_TEXT:
        return None
    try:
        raw = Path(place).read_bytes()
        if entry.digest and hashlib.sha256(raw).hexdigest() != entry.digest:
            return None
        text = raw.decode()
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else "".join(harmless(line) for line in text.splitlines(keepends=True))
