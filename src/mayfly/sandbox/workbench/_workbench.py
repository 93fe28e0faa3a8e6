"""`Workbench`: run real programs on a workspace, look at what they changed, keep it or drop it."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from mayfly.core import Closing, ConflictError, InputError, MachineError, Stop, WorkbenchSettings, secret_path
from mayfly.sandbox.workbench import _journal
from mayfly.sandbox.workbench._changes import Change, Changes
from mayfly.sandbox.workbench._compare import Comparison
from mayfly.sandbox.workbench._copy import CopyTree
from mayfly.sandbox.workbench._doors import Brokers, Doors, Openings
from mayfly.sandbox.workbench._files import is_directory, umask
from mayfly.sandbox.workbench._held import Held, hold_changes
from mayfly.sandbox.workbench._history import claim_owner, prune, shortfall
from mayfly.sandbox.workbench._journal import Commit
from mayfly.sandbox.workbench._launcher import NotLaunched, Seats
from mayfly.sandbox.workbench._masks import Masks
from mayfly.sandbox.workbench._output import Output
from mayfly.sandbox.workbench._overlay import OverlayTree
from mayfly.sandbox.workbench._places import check_workspace, claim_place, recover, release_place
from mayfly.sandbox.workbench._programs import git_identity, look_around, shell
from mayfly.sandbox.workbench._request import make_request, unused_user
from mayfly.sandbox.workbench._run import Command, Ended, Ran

_T = TypeVar("_T")


class Workbench(Closing):
    """One workspace with an overlay of its own; a context manager, and safe to share among threads."""

    def __init__(
        self,
        workspace: Path,
        *,
        state: Path,
        settings: WorkbenchSettings | None = None,
        level: Literal["namespaces", "landlock"] | None = None,
        secret: Callable[[str], object] = secret_path,
        hidden: Path | None = None,
        owner: str = "",
    ) -> None:
        """Open a workspace; *hidden*, where it lies inside, is not there for any command: by default the *state*.

        What is committed in the name of an *owner*, such as a session, can be taken back as long as one of its
        workbenches is open.
        """
        self._settings = settings or WorkbenchSettings()
        self.workspace = check_workspace(workspace)
        self._alias = os.path.abspath(workspace)
        self._state = Path(os.path.realpath(state))
        self._lock = threading.RLock()
        self._state.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._owner = owner
        recover(self._state)
        inside = os.path.relpath(os.path.realpath(hidden or state), self.workspace)
        if inside == ".":
            raise InputError(
                f"the workspace {workspace} is where Mayfly keeps its keys", fix="work elsewhere, or set state_dir"
            )
        # Where the state lies in the workspace, all of what Mayfly keeps there is left out of it.
        self._hidden = "" if inside.startswith("..") else inside
        self._place, self._claim = claim_place(self._state, self.workspace, elsewhere=bool(self._hidden))
        self._owned = claim_owner(self._state, owner) if owner else -1
        self._secret = secret
        cache = self._state / "secrets" / f"{_journal.workspace_key(self.workspace)}.json"
        self._masks = Masks(self.workspace, secret, cache, hidden=self._hidden)
        self._masked: dict[str, str] = {}
        self._comparison = Comparison(self.workspace)
        self._hides = False
        self._seen = look_around(self.workspace, self._settings.programs)
        self._make_scratch()
        self._brokers = Brokers()
        self._wanted = level or (self._settings.level if self._settings.level != "best" else None)
        self._stood = False
        self._tree: OverlayTree = OverlayTree(self.workspace, self._place, hidden=self._hidden)
        self._use_level(self._wanted or "namespaces")

    @property
    def programs(self) -> tuple[str, ...]:
        """The directories with programs that a command sees besides those of the system, read-only."""
        return tuple(self._seen.tools)

    def close(self) -> None:
        """Drop what is not committed and end every process."""
        with self._lock:
            self._seats.close()
            self._brokers.close()
            self._masks.save()
            if self._claim >= 0:
                release_place(self._place, self._claim)
                self._claim = -1
                if self._owned >= 0:
                    os.close(self._owned)

    def _make_scratch(self) -> None:
        """Make the directories that are a command's own, whose files the next command finds again."""
        for name, mode in (("tmp", 0o1777), ("var-tmp", 0o1777), ("home", 0o755)):
            (self._place / name).mkdir(exist_ok=True)
            os.chmod(self._place / name, mode)
        (self._place / "home" / ".gitconfig").write_text(git_identity(), encoding="utf-8")

    def run(
        self,
        command: Sequence[str] | str,
        *,
        cwd: str = ".",
        timeout: float | None = None,
        grants: Sequence[str] = (),
        stdin: bytes = b"",
        environment: Mapping[str, str] = {},
        stop: Stop | None = None,
        keep: bool = True,
        show: Callable[[str], None] | None = None,
    ) -> Ran:
        """Run a program, or a script in the shell, on the overlay; with *keep* false, forget what it changed."""
        words = [shell(), "-c", command] if isinstance(command, str) else list(command)
        if not words or any("\0" in word for word in words):
            raise InputError("a command needs at least a program, and none of its words may hold a NUL")
        openings = Openings(grants)
        with self._lock:
            began = time.monotonic()
            output = Output(self._settings.output, show)
            self._note_others()
            since = self._clock()

            def attempt() -> tuple[Ended, tuple[str, ...]]:
                doors = Doors(self._brokers, openings)
                refused: tuple[str, ...] = ()
                task = Command(
                    config=self._request(words, cwd, openings, environment),
                    settings=self._settings,
                    timeout=self._settings.timeout if timeout is None else timeout,
                    stdin=stdin,
                    output=output,
                    doors=doors,
                    stop=stop,
                    places=tuple(str(self._place / name) for name in ("upper", "copy", "tmp", "var-tmp", "home")),
                )
                try:
                    ended = task.run(self._seats.take())
                finally:
                    refused = doors.close()
                return ended, refused

            ended, refused = self._at_best_level(attempt)
            self._seats.prepare()
            ended, changes = self._changed(ended, since)
            if not keep:
                self.drop()
            took = (time.monotonic() - began) * 1000
            return Ran(
                status=ended.status,
                code=ended.code,
                output=output.finish(),
                whole=output.whole,
                changes=changes,
                reason=ended.reason,
                level=self.level,
                milliseconds=took,
                refused_hosts=refused,
            )

    def _changed(self, ended: Ended, since: int) -> tuple[Ended, Changes]:
        """Return how a command ended and what it changed; an ordinary user's may close a directory to its own user."""
        try:
            return ended, self._compare(since=since)
        except PermissionError as error:
            self.drop()
            path = str(error.filename).removeprefix(f"{self._place}/").partition("/")[2]
            reason = (
                f"{path or 'a path'} may not be read by its owner, so nothing that was changed is kept; chmod u+rwX"
            )
            return Ended(status="refused", code=None, reason=reason), Changes([])

    def _at_best_level(self, attempt: Callable[[], _T]) -> _T:
        """Make an attempt; where this machine cannot raise a wall, with the next best. One that stood is never left."""
        while True:
            try:
                found = attempt()
            except NotLaunched as error:
                if self._stood or not self._step_down(error):
                    raise MachineError(f"the workbench cannot run here: {error}", fix="see: mayfly doctor") from None
            else:
                self._stood = True
                return found

    def _step_down(self, error: NotLaunched) -> bool:
        """Do without what this machine does not have: first without the overlay, then without namespaces."""
        if not isinstance(self._tree, CopyTree) and "mount_workspace" in error.where:
            self._use_copy()
            return True
        if self.level == "namespaces" and self._wanted is None and error.permanent:
            self._seats.close()
            self._use_level("landlock")
            return True
        return False

    def _use_level(self, level: str) -> None:
        self.level = level
        self._user = unused_user(level)
        if self._user:
            # Its commands are nobody's, and cannot pass through directories that are root's alone.
            release_place(self._place, self._claim)
            self._place, self._claim = claim_place(self._state, self.workspace, elsewhere=True)
            self._make_scratch()
        self._seats = Seats(level, self._settings)
        if level == "landlock":
            self._use_copy()
        self._seats.prepare()

    def _use_copy(self) -> None:
        tree = CopyTree(self.workspace, self._place, self._masks.find, hidden=self._hidden)
        if self._user:
            tree.give_to(self._user)
            for name in ("tmp", "var-tmp", "home", "home/.gitconfig"):
                os.chown(self._place / name, self._user, self._user)
            os.chmod(self._place, 0o711)
        tree.refresh()
        self._tree = tree

    def _note_others(self) -> None:
        """See what others put below directories that are deleted on the overlay, before a command adds to it."""
        if self._hides:
            self._compare()

    def _clock(self) -> int:
        """Return the time as the file system tells it, which is some milliseconds behind."""
        mark = self._place / "mark"
        mark.write_bytes(b"")
        os.utime(mark)
        return mark.stat().st_ctime_ns

    def _request(self, words: list[str], cwd: str, openings: Openings, added: Mapping[str, str]) -> dict[str, Any]:
        """Return all that is to be known behind the wall about one command."""
        masked = self._masks.cover(self._place / "mask")
        self._masked |= masked
        self._tree.refresh()
        return make_request(
            words=words,
            cwd=cwd,
            workspace=self.workspace,
            alias=self._alias if self._alias != self.workspace else "",
            place=self._place,
            level=self.level,
            copy=isinstance(self._tree, CopyTree),
            user=self._user,
            openings=openings,
            masked=masked,
            variables=added,
            seen=self._seen,
            settings=self._settings,
        )

    def changes(self) -> Changes:
        """Return everything that is on the overlay and not in the workspace."""
        with self._lock:
            return self._compare()

    def _compare(self, since: int | None = None) -> Changes:
        found = self._comparison.compare(self._tree.differences(), masked=self._masked, since=since)
        self._hides = any(change.before is not None and change.before.kind == "directory" for change in found)
        return found

    def read(self, path: str) -> bytes:
        """Return the contents of a file as a command would see it."""
        with self._lock:
            name, place = self._tree.locate(path)
            self._refuse_hidden(name)
            if place is None or not stat.S_ISREG(os.lstat(place.real).st_mode):
                raise InputError(f"{path!r} is no file of the workspace")
            return Path(place.real).read_bytes()

    def list(self, path: str = ".") -> list[str]:
        """Return what a directory holds, directories with a slash at their end."""
        with self._lock:
            name, place = self._tree.locate(path)
            if place is None or not os.path.isdir(place.real) or name == self._hidden != "":
                raise InputError(f"{path!r} is no directory of the workspace")
            found = self._tree.names(place)
            shown = {one: where for one, where in found.items() if f"{name}/{one}".lstrip("/") != self._hidden}
            return [f"{one}/" if is_directory(where.real) else one for one, where in shown.items()]

    def _refuse_hidden(self, name: str) -> None:
        hidden = self._hidden and (name + "/").startswith(self._hidden + "/")
        if hidden or self._secret(name):
            raise InputError(f"{name!r} holds secrets and is masked")

    def write(self, files: Mapping[str, bytes | None], *, modes: Mapping[str, int] = {}) -> Changes:
        """Put files on the overlay without running anything, all of them or none; nothing deletes one.

        A new file gets its mode of *modes*, or the ordinary one; a path that ends in a slash is made a directory.
        """
        with self._lock:
            written = [(self._locate_written(path, data), path, data) for path, data in files.items()]
            self._note_others()
            since = self._clock()
            for name, path, data in written:
                if path.endswith("/"):
                    self._tree.make_parents(f"{name}/")
                elif data is None:
                    self._tree.remove(name)
                else:
                    self._tree.put_bytes(name, data, modes.get(path, 0o666 & ~umask()))
            return self._compare(since=since)

    def _locate_written(self, path: str, data: bytes | None) -> str:
        """Return what is written at *path* by its name in the workspace."""
        name, place = self._tree.locate(path, follow=data is not None)
        if not name or any(part in ("", ".", "..") for part in name.split("/")) or "\0" in name:
            raise InputError(f"{name!r} is no path of a file in the workspace")
        if self._hidden and (name + "/").startswith(self._hidden + "/"):
            raise InputError(f"{name!r} is Mayfly's own")
        if place is not None and is_directory(place.real) and not path.endswith("/"):
            raise InputError(f"{name!r} is a directory")
        return name

    def commit(self, changes: Iterable[Change] | None = None, *, note: str = "", id: str = "") -> Commit:
        """Put changes, all of them where none are given, into the workspace as one, and take them off the overlay.

        The commit is called *id*, where one is given that no other commit has.
        """
        with self._lock:
            whole, taken = self._choose(changes)
            self._tree.settle(taken)
            done = _journal.commit_changes(self._state, self.workspace, taken, note=note, id=id, owner=self._owner)
            self._take_off(whole, taken)
            most, size = self._settings.undo_commits, self._settings.undo_size
            prune(self._state, self.workspace, most=most, size=size)
            return done

    def undo_shortfall(self, changes: Changes) -> int:
        """Return how many bytes more than `workbench.undo_size` it would take to be able to take *changes* back."""
        return shortfall(self._state, self.workspace, changes, size=self._settings.undo_size)

    def hold(self, changes: Iterable[Change] | None = None, *, note: str = "") -> Held:
        """Take changes off the overlay and keep them for somebody to decide about."""
        with self._lock:
            whole, taken = self._choose(changes)
            self._tree.settle(taken)
            kept = hold_changes(self._state, self.workspace, taken, note=note)
            self._take_off(whole, taken)
            return kept

    def _choose(self, changes: Iterable[Change] | None) -> tuple[Changes, Changes]:
        """Return all changes, and those of them that are meant; one that is no longer there is a conflict."""
        whole = self._compare()
        if changes is None:
            return whole, whole
        current = {(change.path, change.old_path): change for change in whole}
        taken: list[Change] = []
        for change in changes:
            found = current.get((change.path, change.old_path))
            if found is None or found != change:
                raise ConflictError(
                    f"{change.path} was changed again on the workbench", fix="look at the changes again"
                )
            taken.append(found)
        return whole, Changes(taken)

    def _take_off(self, whole: Changes, taken: Changes) -> None:
        """Leave the overlay with what was not taken."""
        gone = {(change.path, change.old_path) for change in taken}
        rest = [change for change in whole if (change.path, change.old_path) not in gone]
        if not rest:
            self._tree.wipe()
            self._comparison.forget()
            return
        self._comparison.forget(path for change in taken for path in (change.path, change.old_path))
        self._tree.keep_only(rest)

    def drop(self) -> None:
        """Forget everything that is not committed."""
        with self._lock:
            self._tree.wipe()
            self._comparison.forget()
