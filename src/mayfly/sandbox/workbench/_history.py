"""The commits of a workspace: which there are, how one is taken back, and how long they are kept."""

from __future__ import annotations

import os
from pathlib import Path

from mayfly.core import InputError
from mayfly.sandbox.workbench._changes import NEVER, Change, Changes
from mayfly.sandbox.workbench._files import remove_tree
from mayfly.sandbox.workbench._journal import Commit, commit_changes, locked, read_commit, workspace_key


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
        if commit.id in void:
            continue
        if commit.undoes:
            void.add(commit.undoes)
        else:
            found.append(commit)
    return found


def undo(state: Path, workspace: str | Path, id: str | None = None) -> Commit:
    """Take a commit back, the last one that was not yet taken back where none is named."""
    known = commits(state, workspace)
    candidates = [commit for commit in known if commit.id == id] if id else _last_in_force(known)
    if not candidates:
        raise InputError(f"no commit {id} of {workspace}" if id else f"nothing to take back in {workspace}")
    commit = candidates[0]
    back = Changes(_reverse(change, commit) for change in commit.changes)
    return commit_changes(state, commit.workspace, back, note=f"undo {commit.id}", undoes=commit.id)


def _reverse(change: Change, commit: Commit) -> Change:
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
    """Forget the oldest commits beyond a number and a size."""
    with locked(state, workspace_key(workspace)):
        total = 0
        for number, commit in enumerate(commits(state, workspace)):
            total += sum(file.stat().st_size for file in (commit.place / "old").glob("*"))
            if number >= most or (number and total > size):
                remove_tree(str(commit.place))
