"""Commits: many paths of a workspace replaced as one, kept so that they can be taken back.

    journal/ID    what is about to be done. Until its plan is complete nothing of the workspace was touched; from then
                  on every process that finds it does the rest, or the whole way back where a step could not be done.
    commits/ID    what was done, with the contents that were replaced.

A plan is a list of steps: a path, what it was, what it is to be. To do a step twice is the same as to do it once, and
to take a commit back is a commit with both sides exchanged.
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

from mayfly.core import ConflictError, InputError
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._changes import (
    NEVER,
    UNCERTAIN,
    Change,
    Changes,
    Entry,
    change_from_json,
    change_to_json,
    entry_to_json,
)
from mayfly.sandbox.workbench._compare import signature
from mayfly.sandbox.workbench._files import flush, flush_directory, link_or_copy, remove_tree

FORWARD, BACKWARD = "forward", "backward"
_SET_IDS = 0o6000


@dataclass(frozen=True, kw_only=True)
class Step:
    """One path: what it was and what it is to be; *new* and *old* name the files with its contents."""

    path: str
    before: Entry | None
    after: Entry | None
    old: str = ""
    new: str = ""

    @property
    def turns_only_mode(self) -> bool:
        """Whether the contents stay as they are."""
        return self.before is not None and self.before.same_content(self.after)


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
        was = str(self.place / "old" / number) if number else ""
        return change_from_json(data, was=was, now=os.path.join(self.workspace, data["path"]), masked=masked)


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
            identity = id or _new_id()
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


def _new_id() -> str:
    """Return a name that sorts by time; two workspaces may commit in the same microsecond."""
    return f"w-{time.time_ns() // 1000:x}{secrets.token_hex(1)}"


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
    steps: list[Step] = []
    listed: list[dict[str, Any]] = []
    for number, change in enumerate(changes):
        mine = list(_steps(place, str(number), change, beneath, copies=bool(commit.undoes)))
        steps += mine
        number_of_old = next((step.old for step in mine if step.old), "")
        listed.append(change_to_json(change) | {"number": number_of_old, "masked": change.masked})
    about = {name: getattr(commit, name) for name in ("id", "workspace", "when", "note", "undoes", "owner")}
    about["size"] = sum(file.stat().st_size for file in (place / "old").iterdir())
    (place / "about.json").write_text(json.dumps(about), encoding="utf-8")
    (place / "changes.json").write_text(json.dumps(listed), encoding="utf-8")
    (place / "direction").write_text(FORWARD)
    (place / "plan.part").write_text(json.dumps([_step_to_json(step) for step in steps]), encoding="utf-8")
    flush(str(place))
    os.rename(place / "plan.part", place / "plan.json")
    flush_directory(str(place))


def _steps(place: Path, number: str, change: Change, beneath: Beneath, *, copies: bool) -> Iterator[Step]:
    if change.old_path:
        _keep_old(place, number, change.old_path, change.before, beneath)
        # What was only renamed is kept once.
        same = change.before is not None and change.before.same_content(change.after)
        if not same:
            _keep_new(place, number, change, copies=copies)
        yield Step(path=change.old_path, before=change.before, after=None, old=number)
        yield Step(path=change.path, before=None, after=change.after, new=f"../old/{number}" if same else number)
        return
    step = Step(path=change.path, before=change.before, after=change.after, old=number, new=number)
    if not step.turns_only_mode:
        _keep_old(place, number, change.path, change.before, beneath)
        _keep_new(place, number, change, copies=copies)
    yield step


def _keep_old(place: Path, number: str, path: str, entry: Entry | None, beneath: Beneath) -> None:
    if entry is None or entry.kind != "file":
        return
    directory, name = beneath.parent(path)
    source = f"/proc/self/fd/{directory}/{name}"
    # A second name would be enough, for we replace files and never write to them; but a file that has two names in the
    # workspace may be written to by the other.
    link_or_copy(source, f"{place}/old/{number}", shared=os.lstat(source).st_nlink == 1)


def _keep_new(place: Path, number: str, change: Change, *, copies: bool) -> None:
    """Keep what is to come; what an earlier commit keeps is copied, for it has to stay as it is."""
    if change.after is not None and change.after.kind == "file":
        alone = os.lstat(change.now).st_nlink == 1 or change.kind != "renamed"
        link_or_copy(change.now, f"{place}/new/{number}", shared=alone and not copies)


def _carry_out(state: Path, place: Path, beneath: Beneath, *, again: bool) -> None:
    """Do what the plan says; where a step cannot be done, all of it the way back, and raise what was in the way."""
    steps = [_step(data) for data in _read(place, "plan")]
    if (place / "direction").read_text() == FORWARD:
        try:
            _make(beneath, steps, place, FORWARD, again=again)
        except OSError as error:
            _turn(place)
            _make(beneath, steps, place, BACKWARD, again=True)
            _finish(state, place, kept=False)
            raise ConflictError(f"the changes could not be put in place: {error}; nothing was changed") from None
        flush(beneath.root)
        _finish(state, place, kept=True)
    else:
        _make(beneath, steps, place, BACKWARD, again=True)
        _finish(state, place, kept=False)


def _turn(place: Path) -> None:
    (place / "direction.part").write_text(BACKWARD)
    os.rename(place / "direction.part", place / "direction")
    flush_directory(str(place))


def _finish(state: Path, place: Path, *, kept: bool) -> None:
    if not kept:
        (place / "plan.json").unlink()
        remove_tree(str(place))
        return
    target = state / "commits" / place.name
    target.parent.mkdir(exist_ok=True, mode=0o700)
    os.rename(place, target)
    flush_directory(str(target.parent))
    remove_tree(str(target / "new"))


def _step_to_json(step: Step) -> dict[str, Any]:
    return vars(step) | {"before": entry_to_json(step.before), "after": entry_to_json(step.after)}


def _step(data: dict[str, Any]) -> Step:
    before, after = (Entry(**data[name]) if data[name] else None for name in ("before", "after"))
    return Step(path=data["path"], before=before, after=after, old=data["old"], new=data["new"])


def _make(beneath: Beneath, steps: list[Step], place: Path, direction: str, *, again: bool) -> None:
    """Make every path what it is to be: what goes first, then directories, then what is in them, then their modes.

    Done *again*, what was left half done is removed first.
    """
    wanted = [(step, step.after if direction == FORWARD else step.before) for step in steps]
    for directory in sorted({os.path.dirname(step.path) for step in steps}) if again else ():
        beneath.sweep(f"{directory}/x" if directory else "x")
    for step, entry in sorted(wanted, key=lambda pair: pair[0].path, reverse=True):
        if entry is None:
            beneath.remove(step.path)
        elif entry.kind == "directory":
            beneath.remove(step.path, but="directory")
    for step, entry in sorted(wanted, key=lambda pair: pair[0].path):
        if entry is not None:
            _make_path(beneath, step, entry, place, direction)
    for step, entry in sorted(wanted, key=lambda pair: pair[0].path, reverse=True):
        if entry is not None and entry.kind == "directory":
            beneath.set_mode(step.path, entry)


def _make_path(beneath: Beneath, step: Step, entry: Entry, place: Path, direction: str) -> None:
    beneath.make_parents(step.path)
    if entry.kind == "directory":
        beneath.make_directory(step.path, entry.mode)
    elif entry.kind == "link":
        found = beneath.entry(step.path)
        if found is None or found.target != entry.target or found.kind != "link":
            beneath.remove(step.path, but="link")
            beneath.put_link(step.path, entry.target)
    elif step.turns_only_mode:
        beneath.set_mode(step.path, entry)
    else:
        source = f"{place}/new/{step.new}" if direction == FORWARD else f"{place}/old/{step.old}"
        beneath.remove(step.path, but="file")
        beneath.put_file(step.path, source, entry)


def recover(state: Path) -> None:
    """Finish, or take back, what a killed process left in the journal."""
    for place in sorted((state / "journal").glob("*")):
        if any(place.iterdir()):
            with locked(state, place.name):
                _recover_workspace(state, place.name)


def _recover_workspace(state: Path, key: str) -> None:
    """Do the rest of what was begun in one workspace; the caller holds its lock, so nobody is at work there."""
    for place in sorted((state / "journal" / key).glob("w-*")):
        if not (place / "plan.json").exists():
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
