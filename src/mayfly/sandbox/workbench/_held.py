"""Changes that wait for somebody's word: taken off the overlay, self-contained, committed or dropped later."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mayfly.core import InputError, sync_folder
from mayfly.sandbox.workbench._changes import Change, Changes, change_from_json, change_to_json
from mayfly.sandbox.workbench._files import digest_file, flush, link_or_copy, remove_tree
from mayfly.sandbox.workbench._journal import Commit, commit_changes, new_id, recover, refuse_special


@dataclass(frozen=True, kw_only=True)
class Held:
    """A set of changes that is in no workspace yet."""

    id: str
    workspace: str
    when: float
    note: str
    place: Path

    @property
    def changes(self) -> Changes:
        """What would change."""
        rows = json.loads((self.place / "changes.json").read_text(encoding="utf-8"))
        return Changes(self._change(number, row) for number, row in enumerate(rows))

    def _change(self, number: int, row: dict[str, Any]) -> Change:
        seen = {name: None if row[name] is None else tuple(row[name]) for name in ("seen", "seen_old")}
        now = str(self.place / "new" / str(number)) if row["kept"] else row["now"]
        was = os.path.join(self.workspace, row["old_path"] or row["path"])
        return change_from_json(row, was=was, now=now, masked=row["masked"], **seen)

    def commit(self, *, note: str = "") -> Commit:
        """Put it into the workspace; raise `ConflictError` where that is no longer what the changes began with."""
        state, changes = self.place.parent.parent, self.changes
        for change in changes:
            _check_contents(change)
        done = commit_changes(state, self.workspace, changes, note=note or self.note)
        self.drop()
        return done

    def drop(self) -> None:
        """Forget it."""
        (self.place / "changes.json").unlink(missing_ok=True)
        remove_tree(str(self.place))


def _check_contents(change: Change) -> None:
    """Raise where a file that is kept is not the one that somebody looked at."""
    wanted = change.after.digest if change.after is not None and change.after.kind == "file" else ""
    if not wanted or (change.old_path and change.masked):
        return
    if digest_file(change.now) != wanted:
        raise InputError(f"what is kept of {change.path!r} is not what was held", fix="drop it and do it again")


def hold_changes(state: Path, workspace: str, changes: Changes, *, note: str) -> Held:
    """Keep *changes* with all they need; whoever is killed on the way leaves none that can be found."""
    refuse_special(changes)
    (state / "held").mkdir(parents=True, exist_ok=True, mode=0o700)
    identity = new_id("h")
    place = state / "held" / f".{identity}"
    (place / "new").mkdir(parents=True, mode=0o700)
    rows = []
    for number, change in enumerate(changes):
        # What a command could not read moves as it is, when it is committed.
        kept = change.after is not None and change.after.kind == "file" and not (change.old_path and change.masked)
        if kept:
            link_or_copy(change.now, str(place / "new" / str(number)), shared=change.kind != "renamed")
        rows.append(
            change_to_json(change)
            | {
                "seen": change.seen,
                "seen_old": change.seen_old,
                "masked": change.masked,
                "now": change.now,
                "kept": kept,
            }
        )
    (place / "changes.json").write_text(json.dumps(rows), encoding="utf-8")
    found = Held(id=identity, workspace=workspace, when=time.time(), note=note, place=state / "held" / identity)
    about = {name: getattr(found, name) for name in ("id", "workspace", "when", "note")}
    (place / "about.json").write_text(json.dumps(about), encoding="utf-8")
    flush(str(place))
    os.rename(place, found.place)
    sync_folder(found.place.parent)
    return found


def held(state: Path, id: str) -> Held:
    """Return the held set of this name."""
    recover(state)
    place = state / "held" / id
    if not id.startswith("h-") or "/" in id or not (place / "changes.json").exists():
        raise InputError(f"no held changes {id!r}")
    return Held(**json.loads((place / "about.json").read_text(encoding="utf-8")), place=place)
