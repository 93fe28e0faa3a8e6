"""The commits of a workspace: which there are, how one is taken back, and how long they are kept."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError
from mayfly.sandbox.workbench._changes import NEVER, Change, Changes
from mayfly.sandbox.workbench._compare import change_kind
from mayfly.sandbox.workbench._files import remove_tree
from mayfly.sandbox.workbench._journal import Commit, commit_changes, locked, read_commit, workspace_key

# What the steps of a run commit is in this name, and is taken back together.
_OF_RUN = "run "


def commits(state: Path, workspace: str | Path) -> list[Commit]:
    """Return the commits of a workspace, the newest first."""
    real = os.path.realpath(workspace)
    found = [read_commit(place) for place in (state / "commits").glob("w-*")]
    found.sort(key=lambda commit: (commit.when, commit.id), reverse=True)
    return [commit for commit in found if commit.workspace == real]


def _last_in_force(known: list[Commit]) -> list[Commit]:
    """Return the commits, the newest first, that are neither taken back nor take one back."""
    void: set[str] = set()
    found = []
    for commit in known:
        if commit.id in void or commit.owner in void:
            continue
        if commit.undoes:
            void.add(commit.undoes)
        else:
            found.append(commit)
    return found


class UndoTarget(NamedTuple):
    """The changes that an undo takes back: of one commit, or of all steps of a run together."""

    name: str
    workspace: str
    undoes: str
    changes: Changes


def find_undo_target(state: Path, workspace: str | Path, id: str | None = None) -> UndoTarget:
    """Return the changes of a commit or of all commits of a run; where none is named, of the last in force."""
    known = commits(state, workspace)
    in_force = _last_in_force(known)
    of_run = [commit for commit in in_force if id and commit.owner == f"{_OF_RUN}{id}"]
    candidates = of_run or ([commit for commit in known if commit.id == id] if id else in_force)
    if not candidates:
        raise InputError(f"no commit {id} of {workspace}" if id else f"nothing to take back in {workspace}")
    last = candidates[0]
    if last.owner.startswith(_OF_RUN) and last.id != id:
        steps = [commit for commit in in_force if commit.owner == last.owner]
        return UndoTarget(last.owner.removeprefix(_OF_RUN), last.workspace, last.owner, join_changes(steps[::-1]))
    return UndoTarget(last.id, last.workspace, last.id, last.changes)


def undo(state: Path, workspace: str | Path, id: str | None = None) -> Commit:
    """Take a commit back, or all commits of a run; where none is named, the last that was not yet taken back.

    All steps of a run are taken back as one, so that a conflict in one file leaves every other as it is.
    """
    target = find_undo_target(state, workspace, id)
    back = Changes(_reverse(change) for change in target.changes)
    return commit_changes(state, target.workspace, back, note=f"undo {target.name}", undoes=target.undoes)


def join_changes(steps: Sequence[Commit]) -> Changes:
    """Return what *steps* changed together: each path as the first of them found it and as the last left it."""
    joined: dict[str, Change] = {}
    for change in (part for commit in steps for whole in commit.changes for part in whole.parts()):
        first = joined.pop(change.path, change)
        kind = change_kind(first.before, change.after)
        if kind is not None and (first.before or change.after):
            joined[change.path] = replace(change, kind=kind, before=first.before, was=first.was)
    return Changes(joined[path] for path in sorted(joined))


def _reverse(change: Change) -> Change:
    """Return the change that takes another one back; what is there now has to be what that one made."""
    kinds = {"created": "deleted", "deleted": "created"}
    return Change(
        kind=kinds.get(change.kind, change.kind),  # type: ignore[arg-type]
        path=change.old_path or change.path,
        old_path=change.path if change.old_path else "",
        before=change.after,
        after=change.before,
        was=change.now,
        now=change.was,
        seen=None if change.kind in ("deleted", "renamed") else NEVER,
        seen_old=NEVER,
        masked=change.masked,
    )


def prune(state: Path, workspace: str, *, most: int, size: int) -> None:
    """Forget the oldest commits beyond a number and a size, but none of a session that is at work."""
    with locked(state, workspace_key(workspace)):
        total = 0
        for number, commit in enumerate(commits(state, workspace)):
            total += commit.size
            if (number >= most or (number and total > size)) and not is_at_work(state, commit.owner):
                remove_tree(str(commit.place))


def shortfall(state: Path, workspace: str, changes: Changes, *, size: int) -> int:
    """Return how many bytes more than *size* it would take to keep all that sessions at work can take back."""
    replaced = (change.before for change in changes if change.before and not change.before.same_content(change.after))
    needed = sum(entry.size for entry in replaced if entry.kind == "file")
    if not needed:
        return 0
    kept = sum(commit.size for commit in commits(state, workspace) if is_at_work(state, commit.owner))
    return max(0, kept + needed - size)


def claim_owner(state: Path, owner: str) -> int:
    """Say that a session is at work, until the descriptor that is returned is closed or the process ends."""
    place = _owner_file(state, owner)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_at_work(state: Path, owner: str) -> bool:
    """Whether some process has a session open."""
    if not owner:
        return False
    try:
        descriptor = os.open(_owner_file(state, owner), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _owner_file(state: Path, owner: str) -> Path:
    return state / "owners" / workspace_key(owner)
