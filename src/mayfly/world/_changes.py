"""Which files are changed, and which of their lines: by name, by a diff, or by what git says of the workspace."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mayfly.core import InputError, Invocation, one_line
from mayfly.world._patch import FilePatch, Hunk, parse_patch, patched_text
from mayfly.world._place import WorkspacePlace, source_files, text_in

# What one look takes in; a larger change is looked at in parts.
MOST_FILES = 200
LARGEST = 1_000_000
# Comparing takes time by the square of this; longer files count as changed from end to end.
_MOST_LINES = 10_000
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_GIT = ("git", "--no-optional-locks", "-c", "core.quotePath=true", "-c", "core.fsmonitor=false")
_DIFF = (
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


@dataclass(frozen=True, kw_only=True)
class Changed:
    """A file as it is or would be, as it was where that is known, and the lines that are new; None stands for all."""

    path: str
    text: str | None
    before: str | None = None
    lines: frozenset[int] | None = None

    def is_new(self, line: int | None) -> bool:
        """Whether a line is one of the change."""
        return self.lines is None or line is None or line in self.lines

    def added(self) -> Iterator[tuple[int, str]]:
        """Yield the new lines with their numbers."""
        for number, line in enumerate((self.text or "").split("\n"), 1):
            if self.is_new(number):
                yield number, line


@dataclass(frozen=True, kw_only=True)
class ChangedFiles:
    """All that is changed, and what could not be looked at."""

    files: tuple[Changed, ...]
    notes: tuple[str, ...] = ()
    said: str = ""


def change_of(place: WorkspacePlace, call: Invocation, *, before: bool = False) -> ChangedFiles:
    """Return what a call is about: its paths, its diff, or what git says; with *before* also how files were."""
    given = call.arguments
    if "paths" in given and "diff" in given:
        raise InputError("give paths or a diff, not both")
    if "paths" in given:
        return _named(place, given["paths"])
    if "diff" in given:
        return _from_diff(place, given["diff"])
    return _from_git(place, call, str(given.get("base", "HEAD")), before=before)


def _named(place: WorkspacePlace, paths: Sequence[str]) -> ChangedFiles:
    found: list[str] = []
    for path in paths:
        whole = os.path.join(place.workspace, path)
        if os.path.isdir(whole) and not os.path.islink(whole):
            found += source_files(place, frozenset({".py", ".pyi", ".json", ".toml"}), under=path, most=MOST_FILES + 1)
        else:
            found.append(os.path.normpath(path))
    # A name that was given has to be there; what is only below a directory may be no text.
    for path in paths:
        if os.path.normpath(path) in found:
            place.read(path)
    return _read(place, dict.fromkeys(found), said=f"{len(found)} files")


def _from_diff(place: WorkspacePlace, diff: str) -> ChangedFiles:
    files, notes = [], []
    parts = parse_patch(diff)
    if not parts:
        raise InputError("the diff changes no file", fix="write a unified diff with --- and +++ lines")
    for part in parts[:MOST_FILES]:
        try:
            files.append(_patched_file(place, part))
        except InputError as error:
            notes.append(
                f"{part.new or part.old}: {one_line(str(error), limit=200)}; only its new lines were looked at"
            )
            lines = [line for hunk in part.hunks for line in hunk.new]
            files.append(Changed(path=part.new or part.old, text="\n".join(lines), lines=None))
    if len(parts) > MOST_FILES:
        notes.append(f"only the first {MOST_FILES} of {len(parts)} files were looked at")
    return ChangedFiles(files=tuple(files), notes=tuple(notes), said=f"a diff of {len(parts)} files")


def _patched_file(place: WorkspacePlace, part: FilePatch) -> Changed:
    """Return a file with its change, whether the workspace has that already or not."""
    hunks = [Hunk(start=hunk.start, old=hunk.new, new=hunk.old) for hunk in part.hunks]
    turned = FilePatch(old=part.new, new=part.old, hunks=hunks)
    if part.new:
        try:
            now = text_in(place, part.new, most=LARGEST)
            was = patched_text(now, turned) if part.old else None
            if was is None and now != patched_text("", part):
                raise InputError(f"{part.new} is there already, and another one")
            return Changed(path=part.new, text=now, before=was, lines=_new_lines(was, now))
        except InputError:
            pass  # it is not done yet
    was = text_in(place, part.old, most=LARGEST) if part.old else None
    if not part.new:
        return Changed(path=part.old, text=None, before=was)
    now = patched_text(was or "", part)
    return Changed(path=part.new, text=now, before=was, lines=_new_lines(was, now))


def _new_lines(was: str | None, now: str) -> frozenset[int] | None:
    if was is None:
        return None
    old, new = was.split("\n"), now.split("\n")
    if len(old) + len(new) > _MOST_LINES:
        return None
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return frozenset(line for kind, _, _, start, end in steps if kind != "equal" for line in range(start + 1, end + 1))


def _from_git(place: WorkspacePlace, call: Invocation, base: str, *, before: bool) -> ChangedFiles:
    base = _commit(place, call, base)
    names, cut_names = _git(place, call, *_DIFF, "--name-only", base, "--")
    lines, cut_lines = _git(place, call, *_DIFF, "-U0", base, "--")
    untracked, cut_untracked = _git(place, call, "ls-files", "--others", "--exclude-standard")
    tracked = list(map(unquoted, names.splitlines()))
    touched: dict[str, frozenset[int] | None] = dict.fromkeys(tracked)
    if not cut_lines:
        # Where not all of the diff is known, every line of a file counts as new.
        touched |= {path: found for path, found in _hunk_lines(lines).items() if path in touched}
    touched |= dict.fromkeys(map(unquoted, untracked.splitlines()))
    found = _read(place, touched, said=f"what differs from {base[:12]}")
    notes = [*found.notes, *(["git names more files than were looked at"] if cut_names or cut_untracked else ())]
    old: dict[str, str | None] = {}
    if before:
        wanted = [one.path for one in found.files if one.path in tracked and one.path.endswith(".py")]
        old = {path: _before(place, call, base, path) for path in wanted}
    files = tuple(replace(one, before=old.get(one.path)) for one in found.files)
    return ChangedFiles(files=files, notes=tuple(notes), said=found.said)


def _commit(place: WorkspacePlace, call: Invocation, base: str) -> str:
    ran, _ = place.run([*_GIT, "rev-parse", "--quiet", "--verify", f"{base}^{{commit}}"], key=call.key, keep=False)
    if ran.code == 0 and ran.output.strip():
        return str(ran.output.split()[0])
    # In a repository without a commit everything differs from nothing.
    ran, _ = place.run([*_GIT, "hash-object", "-t", "tree", "/dev/null"], key=call.key, keep=False)
    inside, _ = place.run([*_GIT, "rev-parse", "--is-inside-work-tree"], key=call.key, keep=False)
    if base != "HEAD" or ran.code != 0 or inside.output.strip() != "true":
        told = (
            f"git knows no commit {base}" if inside.output.strip() == "true" else "the workspace is no git repository"
        )
        raise InputError(told, fix="name paths, or give a diff")
    return str(ran.output.split()[0])


def _git(place: WorkspacePlace, call: Invocation, *words: str) -> tuple[str, bool]:
    """Return what git prints, and whether some of it is missing."""
    ran, _ = place.run([*_GIT, *words], key=call.key, keep=False)
    if ran.code != 0:
        raise InputError(one_line(ran.output, limit=300) or ran.reason or "git failed")
    return str(ran.output), ran.whole > len(ran.output.encode("utf-8", "replace"))


def _before(place: WorkspacePlace, call: Invocation, base: str, path: str) -> str | None:
    ran, _ = place.run([*_GIT, "show", f"{base}:./{path}"], key=call.key, keep=False)
    whole = ran.whole <= len(ran.output.encode("utf-8", "replace"))
    return str(ran.output) if ran.code == 0 and whole else None


def _hunk_lines(diff: str) -> dict[str, frozenset[int]]:
    """Return the new lines of each file of a diff without context."""
    found: dict[str, set[int]] = {}
    path, left = "", 0
    for line in diff.splitlines():
        hunk = _HUNK.match(line)
        if left > 0 and line.startswith("+"):
            left -= 1  # content, whatever it looks like
        elif line.startswith("+++ "):
            path = unquoted(line[4:].rstrip("\t")).removeprefix("b/")
        elif hunk and path:
            start, left = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(path, set()).update(range(start, start + left))
    return {name: frozenset(lines) for name, lines in found.items()}


def unquoted(name: str) -> str:
    """Return a path as git means it: with signs outside of ASCII it is written in quotation marks."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name

    def sign(found: re.Match[bytes]) -> bytes:
        return bytes([int(found[1], 8)]) if len(found[1]) == 3 else _LETTERS.get(found[1], found[1])

    return _ESCAPE.sub(sign, name[1:-1].encode()).decode("utf-8", "surrogateescape")


def _read(place: WorkspacePlace, touched: Mapping[str, Any], *, said: str) -> ChangedFiles:
    files, notes = [], []
    for path, lines in list(touched.items())[:MOST_FILES]:
        try:
            files.append(Changed(path=path, text=text_in(place, path, most=LARGEST), lines=lines))
        except (InputError, OSError) as error:
            files.append(Changed(path=path, text=None, lines=lines))
            if os.path.lexists(os.path.join(place.workspace, path)):
                notes.append(f"{path} was not looked at: {one_line(str(error), limit=120)}")
    if len(touched) > MOST_FILES:
        notes.append(f"only the first {MOST_FILES} of {len(touched)} files were looked at")
    return ChangedFiles(files=tuple(files), notes=tuple(notes), said=said)
