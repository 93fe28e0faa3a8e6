"""`History`: what git knew when a session began, and what a set of changes would lose of it.

A set may take objects, refs and reflogs away as long as everything that refs or reflogs led to before, and that the
session did not make itself, is still there and still led to. What is tracked is what HEAD or the index had when the
session began, and what is removed of it adds up over the session.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import LimitError, MayflyError, one_line
from mayfly.policy import SetFacts
from mayfly.sandbox.repository import GitDirectory, read_anchors
from mayfly.store import event
from mayfly.world._git import tracked_files
from mayfly.world._git_check import WholenessCheck

if TYPE_CHECKING:
    from mayfly.sandbox.workbench import Change, Changes
    from mayfly.store import Ledger
    from mayfly.world._git_check import RunInside

_OF_HISTORY = ("objects", "refs", "logs", "packed-refs", "HEAD", "worktrees")


@event("session.history")
class HistoryNoted:
    """Record what git tracked when a session began, or what the session removed and moved of it since, in a blob."""

    blob: str


class SeenChanges(NamedTuple):
    """What a set of changes would do, for the rules, and what is to be noted once it is committed."""

    facts: SetFacts
    removed: Mapping[str, str]
    """The tracked files that are gone with it: where each is, and where it was when the session began."""
    moved: Mapping[str, str]
    made: Mapping[str, frozenset[str]]
    """The ids that refs and reflogs of each git directory lead to for the first time."""


@dataclass(kw_only=True)
class _Known:
    """The ids of one git directory: what the session made itself, and all others that were led to."""

    foreign: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)


class History:
    """What git knew of one workspace when a session began, shared by all agents of the session."""

    def __init__(self, workspace: Path, *, ledger: Ledger | None = None, session: str = "") -> None:
        """Look at *workspace* when it is first asked about; with a *ledger* a resumed session knows it again."""
        self._workspace = workspace
        self._ledger = ledger
        self._session = session
        self._lock = threading.RLock()
        self._known: dict[str, _Known] = {}
        self._tracked: frozenset[str] | None = None
        self._removed: set[str] = set()
        # Where a tracked file is now, and where it was when the session began.
        self._moved: dict[str, str] = {}

    @property
    def tracked(self) -> frozenset[str]:
        """The paths that HEAD or the index had when the session began."""
        with self._lock:
            if self._tracked is None:
                self._tracked = self._loaded()
            return self._tracked

    def _loaded(self) -> frozenset[str]:
        found: frozenset[str] | None = None
        for noted in self._ledger.read(kind="session.history", subject=self._session) if self._ledger else ():
            if isinstance(noted.data, HistoryNoted) and self._ledger:
                state = json.loads(self._ledger.get_blob(noted.data.blob))
                found = frozenset(state["tracked"]) if "tracked" in state else found
                self._removed |= set(state.get("removed", ()))
                self._moved |= state.get("moved", {})
        if found is None:
            found = frozenset(tracked_files(self._workspace))
            self._record({"tracked": sorted(found)})
        return found

    def _record(self, state: Mapping[str, object]) -> None:
        if self._ledger is not None:
            # Of more than a blob holds a session that is gone on with knows what git tracks then.
            with suppress(LimitError):
                blob = self._ledger.put_blob(json.dumps(state, sort_keys=True).encode())
                self._ledger.append(HistoryNoted(blob=blob), subject=self._session)

    def look(self, changes: Changes, run: RunInside) -> SeenChanges:
        """Say what a set of changes, which is on the overlay, would take away."""
        with self._lock:
            removed, moved = self._gone(changes)
            changed = {change.path: change for change in changes} if removed else {}
            others = self._removed - set(removed.values()) if removed else set()
            before = [path for path in others if not self._is_back(path, changed.get(path))]
            made: dict[str, frozenset[str]] = {}
            lost: list[str] = []
            for root in dict.fromkeys(_git_directories(self._workspace, changes)):
                made[root], losses = self._look_at(root, changes, run)
                lost += losses
            facts = SetFacts(removed=len(removed) + len(before), lost=tuple(lost))
            return SeenChanges(facts, removed, moved, made)

    def note(self, seen: SeenChanges) -> None:
        """Take up what was seen of a set that is committed."""
        with self._lock:
            for root, made in seen.made.items():
                self._known[root].own |= made
            if seen.removed or seen.moved:
                self._removed |= set(seen.removed.values())
                self._moved |= seen.moved
                self._record({"removed": sorted(seen.removed.values()), "moved": dict(seen.moved)})

    def _gone(self, changes: Changes) -> tuple[dict[str, str], dict[str, str]]:
        """Return the tracked files that a set removes or empties, and those that it moves."""
        removed, moved = {}, {}
        for change in changes:
            path = change.old_path or change.path
            origin = self._moved.get(path, path)
            if origin not in self.tracked or change.before is None or change.before.kind == "directory":
                continue
            if change.kind == "renamed":
                moved[change.path] = origin
            elif change.kind in ("deleted", "replaced") or (change.kind == "changed" and _is_empty(change)):
                removed[path] = origin
        return removed, moved

    def _is_back(self, path: str, change: Change | None) -> bool:
        """Whether a file that was removed before is there again, with something in it."""
        if change is not None:
            return change.after is not None and not _is_empty(change)
        place = self._workspace / path
        return os.path.lexists(place) and not (place.is_file() and place.stat().st_size == 0)

    def _look_at(self, root: str, changes: Changes, run: RunInside) -> tuple[frozenset[str], list[str]]:
        """Return the ids that are led to for the first time in one git directory, and what would be lost of others."""
        known = self._known.setdefault(root, _Known())
        try:
            with GitDirectory(str(self._workspace), root) as directory:
                before = read_anchors(directory)
            with GitDirectory(str(self._workspace), root, changes) as directory:
                after = read_anchors(directory)
            known.foreign |= before.ids - known.own
            made = frozenset(after.ids - known.foreign)
            return made, WholenessCheck(self._workspace, root, changes, run, before, after).losses(known.foreign)
        except (MayflyError, OSError) as error:
            return frozenset(), [f"nobody could tell whether {root} is whole: {one_line(str(error), limit=200)}"]


def _is_empty(change: Change) -> bool:
    return change.after is not None and change.after.kind == "file" and change.after.size == 0


def _git_directories(workspace: Path, changes: Iterable[Change]) -> Iterator[str]:
    """Yield the git directories of whose history some of the changes are."""
    for path in (path for change in changes for path in (change.path, change.old_path) if path):
        parts = path.split("/")
        at = parts.index(".git") + 1 if ".git" in parts else len(parts)
        while at < len(parts) and parts[at] == "modules":
            # The name of a submodule may have several parts: its repository begins where there is a HEAD.
            heads = (end for end in range(at + 2, len(parts)) if (workspace / "/".join(parts[:end]) / "HEAD").is_file())
            at = next(heads, len(parts))
        if at < len(parts) and parts[at] in _OF_HISTORY:
            yield "/".join(parts[:at])
