"""Commits: many paths of a workspace replaced as one, kept so that they can be taken back.

    journal/ID    what is about to be done. Until its direction is written nothing of the workspace was touched; from
                  then on every process that finds it does the rest, or the whole way back where a path could not be
                  changed.
    commits/ID    what was done, with the contents that were replaced.

To change a path twice is the same as to change it once, and to take a commit back is a commit with both sides
exchanged.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mayfly.core import ConflictError, InputError, sync_folder
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._changes import (
    NEVER,
    UNCERTAIN,
    Change,
    Changes,
    Entry,
    change_from_json,
    change_to_json,
)
from mayfly.sandbox.workbench._compare import signature
from mayfly.sandbox.workbench._files import flush, link_or_copy, remove_tree

FORWARD, BACKWARD = "forward", "backward"
_SET_IDS = 0o6000


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A set of changes that is in the workspace, and can be taken back."""

    id: str
    workspace: str
    when: float
    note: str
    place: Path
    undoes: str = ""
    owner: str = ""
    """The session that made it; while one of its processes is at work it is not forgotten."""
    size: int = 0
    """Bytes that are kept for taking it back."""

    @property
    def changes(self) -> Changes:
        """What it changed; contents are at hand as long as the workspace still has them."""
        return Changes(self._change(data) for data in _read(self.place, "changes"))

    def _change(self, data: dict[str, Any]) -> Change:
        number, masked = data.pop("number"), data.pop("masked")
        was, now = f"{self.place}/old/{number}", os.path.join(self.workspace, data["path"])
        return change_from_json(data, was=was, now=now, masked=masked)


def workspace_key(workspace: str) -> str:
    """Return a short name for a workspace."""
    return hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]


@contextlib.contextmanager
def locked(state: Path, key: str) -> Iterator[None]:
    """Be the only one that writes to this workspace; the kernel opens the lock when its holder dies."""
    place = state / "locks"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(place / key, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def commit_changes(
    state: Path,
    workspace: str,
    changes: Changes,
    *,
    note: str = "",
    undoes: str = "",
    id: str = "",
    owner: str = "",
) -> Commit:
    """Put *changes* into the workspace as one; raise `ConflictError` where it is no longer what they began with."""
    refuse_special(changes)
    changes = Changes(_without_set_ids(change) for change in changes)
    key = workspace_key(workspace)
    with locked(state, key):
        _recover_workspace(state, key)
        with Beneath(workspace) as beneath:
            _check(beneath, changes)
            identity = id or new_id("w")
            if (state / "commits" / identity).exists():
                raise ConflictError(f"there is already a commit {identity}")
            place = state / "journal" / key / identity
            try:
                about = Commit(
                    id=identity,
                    workspace=workspace,
                    when=time.time(),
                    note=note,
                    place=place,
                    undoes=undoes,
                    owner=owner,
                )
                _prepare(about, changes, beneath)
            except BaseException:
                remove_tree(str(place))
                raise
            _carry_out(state, place, beneath, again=False)
    return read_commit(state / "commits" / identity)


def refuse_special(changes: Iterable[Change]) -> None:
    """Raise for what is neither file, directory nor link: it means something to this machine only."""
    special = [change.path for change in changes if change.after is not None and change.after.kind == "special"]
    if special:
        more = f" and {len(special) - 1} more" if special[1:] else ""
        raise InputError(
            f"{special[0]!r}{more} is a socket, a pipe or a device and cannot be committed",
            fix="remove it in the workbench, or commit the other changes",
        )


def _check(beneath: Beneath, changes: Changes) -> None:
    """Raise if the workspace was changed since it was seen, before anything is done."""
    touched = {path for change in changes for path in (change.path, change.old_path) if path}
    for change in changes:
        _check_path(beneath, change.path, change.seen, None if change.old_path else change.before)
        if change.old_path:
            _check_path(beneath, change.old_path, change.seen_old, change.before)
    for change in changes:
        removed = change.before is not None and change.before.kind == "directory"
        if removed and (change.after is None or change.after.kind != "directory"):
            for name in beneath.names(change.path):
                if f"{change.path}/{name}" not in touched:
                    raise ConflictError(f"{change.path}/{name} is not among the changes, but {change.path} is removed")


def _check_path(beneath: Beneath, path: str, seen: tuple[int, ...] | None, before: Entry | None) -> None:
    found = beneath.look(path)
    if (None if found is None else signature(found)) == seen:
        return
    current = beneath.entry(path)
    if current == before and seen != UNCERTAIN:
        return  # written again, with the same contents
    unread = current is not None and before is not None and not before.digest
    if seen == NEVER and unread and replace(current, digest="") == before:  # type: ignore[type-var]
        return  # its kind, size and mode are all that is known of it
    raise ConflictError(
        f"{path} was changed in the workspace meanwhile", fix="look at both versions, drop these changes and run again"
    )


def new_id(kind: str) -> str:
    """Return a name that sorts by time; two workspaces may commit in the same microsecond."""
    return f"{kind}-{time.time_ns() // 1000:x}{secrets.token_hex(1)}"


def _without_set_ids(change: Change) -> Change:
    """Take off the bits that give whoever runs a file the rights of its owner: they are shown, and never committed."""
    entry = change.after
    if entry is None or entry.kind != "file" or not entry.mode & _SET_IDS:
        return change
    return replace(change, after=replace(entry, mode=entry.mode & ~_SET_IDS))


def _prepare(commit: Commit, changes: Changes, beneath: Beneath) -> None:
    """Write down everything that is to be done, and all contents it takes in either direction."""
    place = commit.place
    for name in ("old", "new"):
        (place / name).mkdir(parents=True, mode=0o700)
    for number, change in enumerate(changes):
        # What is only renamed is kept once, and of what turns only its mode nothing.
        same = change.before is not None and change.before.same_content(change.after)
        if change.old_path or not same:
            _keep_old(place, number, change, beneath)
        if not same:
            _keep_new(place, number, change, copies=bool(commit.undoes))
    about = {name: getattr(commit, name) for name in ("id", "workspace", "when", "note", "undoes", "owner")}
    about["size"] = sum(file.stat().st_size for file in (place / "old").iterdir())
    rows = [
        change_to_json(change) | {"number": str(number), "masked": change.masked}
        for number, change in enumerate(changes)
    ]
    for name, data in (("about", about), ("changes", rows)):
        (place / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    _turn(place, FORWARD)


def _keep_old(place: Path, number: int, change: Change, beneath: Beneath) -> None:
    if change.before is None or change.before.kind != "file":
        return
    directory, name = beneath.parent(change.old_path or change.path)
    source = f"/proc/self/fd/{directory}/{name}"
    # A second name would be enough, for we replace files and never write to them; but a file that has two names in the
    # workspace may be written to by the other.
    link_or_copy(source, f"{place}/old/{number}", shared=os.lstat(source).st_nlink == 1)


def _keep_new(place: Path, number: int, change: Change, *, copies: bool) -> None:
    """Keep what is to come; what an earlier commit keeps is copied, for it has to stay as it is."""
    if change.after is not None and change.after.kind == "file":
        alone = os.lstat(change.now).st_nlink == 1 or change.kind != "renamed"
        link_or_copy(change.now, f"{place}/new/{number}", shared=alone and not copies)


def _carry_out(state: Path, place: Path, beneath: Beneath, *, again: bool) -> None:
    """Change what is listed; where a path cannot be changed, go all of the way back, and raise what was in the way."""
    parts = _parts(place)
    if (place / "direction").read_text() == FORWARD:
        try:
            _make(beneath, parts, FORWARD, again=again)
        except OSError as error:
            _turn(place, BACKWARD)
            _make(beneath, parts, BACKWARD, again=True)
            _finish(state, place, kept=False)
            raise ConflictError(f"the changes could not be put in place: {error}; nothing was changed") from None
        flush(beneath.root)
        _finish(state, place, kept=True)
    else:
        _make(beneath, parts, BACKWARD, again=True)
        _finish(state, place, kept=False)


def _parts(place: Path) -> list[Change]:
    """Return what is listed by single paths, each with where its contents are kept."""
    parts: list[Change] = []
    for row in _read(place, "changes"):
        was, now = (f"{place}/{side}/{row['number']}" for side in ("old", "new"))
        change = change_from_json(row, was=was, now=now)
        if change.old_path and change.before is not None and change.before.same_content(change.after):
            change = replace(change, now=was)
        parts += change.parts()
    return parts


def _turn(place: Path, direction: str) -> None:
    """Say from now on where it goes: what is written by then is on the disk before."""
    (place / "direction.part").write_text(direction)
    flush(str(place))
    os.rename(place / "direction.part", place / "direction")
    sync_folder(place)


def _finish(state: Path, place: Path, *, kept: bool) -> None:
    if not kept:
        (place / "direction").unlink()
        remove_tree(str(place))
        return
    target = state / "commits" / place.name
    target.parent.mkdir(exist_ok=True, mode=0o700)
    os.rename(place, target)
    sync_folder(target.parent)
    remove_tree(str(target / "new"))


def _make(beneath: Beneath, parts: list[Change], direction: str, *, again: bool) -> None:
    """Make every path what it is to be: what goes first, then directories, then what is in them, then their modes.

    Done *again*, what was left half done is removed first.
    """
    for directory in sorted({os.path.dirname(part.path) for part in parts}) if again else ():
        beneath.sweep(f"{directory}/x" if directory else "x")
    forward = direction == FORWARD
    wanted = [(part, part.after, part.now) if forward else (part, part.before, part.was) for part in parts]
    wanted.sort(key=lambda row: row[0].path)
    for part, entry, _ in reversed(wanted):
        if entry is None:
            beneath.remove(part.path)
        elif entry.kind == "directory":
            beneath.remove(part.path, but="directory")
    for part, entry, source in wanted:
        if entry is not None:
            _make_path(beneath, part, entry, source)
    for part, entry, _ in reversed(wanted):
        if entry is not None and entry.kind == "directory":
            beneath.set_mode(part.path, entry)


def _make_path(beneath: Beneath, part: Change, entry: Entry, source: str) -> None:
    beneath.make_parents(part.path)
    if entry.kind == "directory":
        beneath.make_directory(part.path, entry.mode)
    elif entry.kind == "link":
        found = beneath.entry(part.path)
        if found is None or found.target != entry.target or found.kind != "link":
            beneath.remove(part.path, but="link")
            beneath.put_link(part.path, entry.target)
    elif part.before is not None and part.before.same_content(part.after):
        beneath.set_mode(part.path, entry)
    else:
        beneath.remove(part.path, but="file")
        beneath.put_file(part.path, source, entry)


def recover(state: Path) -> None:
    """Finish, or take back, what a killed process left in the journal."""
    for place in sorted((state / "journal").glob("*")):
        if any(place.iterdir()):
            with locked(state, place.name):
                _recover_workspace(state, place.name)


def _recover_workspace(state: Path, key: str) -> None:
    """Do the rest of what was begun in one workspace; the caller holds its lock, so nobody is at work there."""
    for place in sorted((state / "journal" / key).glob("w-*")):
        if not (place / "direction").exists():
            remove_tree(str(place))
            continue
        workspace = _read(place, "about")["workspace"]
        if os.path.isdir(workspace):  # one that is away now may come back
            with Beneath(workspace) as beneath, contextlib.suppress(ConflictError):
                _carry_out(state, place, beneath, again=True)


def read_commit(place: Path) -> Commit:
    """Return the commit that is kept at *place*."""
    return Commit(**_read(place, "about"), place=place)


def _read(place: Path, name: str) -> Any:
    return json.loads((place / f"{name}.json").read_text(encoding="utf-8"))
