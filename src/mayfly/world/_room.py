"""`Room`: the one place where the tools of a session touch the world, so that every change is judged the same way.

Commands and edits happen on the workbench's overlay. What they changed is then put to the rules as one set: committed
when all of it is permitted, held for a person when some of it needs one, dropped when some of it is refused.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mayfly.core import ConflictError, SecretValues, Stop, content_hash
from mayfly.policy import FileChange
from mayfly.sandbox.repository import kinds_of
from mayfly.sandbox.workbench import Change, Changes, Entry, Ran, SecretFiles, Workbench, commits
from mayfly.world._git import GitView, look_at_git
from mayfly.world._git_history import History

if TYPE_CHECKING:
    from mayfly.policy import Kernel

# A conflict means that somebody else changed a file meanwhile: the command is run again on what is there now.
_TRIES = 2
# What a file of exact versions says of itself and not of others' code: comments, and the number of its format.
_ABOUT_ITSELF = re.compile(r"\s*(?:#.*)?|version = \d+|lockfileVersion: .*|\s*\"lockfileVersion\": \d+,")
# What a person is shown of a held set at most; the whole set is on disk.
_SHOWN = 100_000


class HeldChanges(NamedTuple):
    """Changes that the workbench holds as *id*, and why a person is asked; with *only_person* no profile agrees."""

    id: str
    decision: str
    session: str
    note: str
    summary: str
    reasons: tuple[str, ...]
    only_person: bool


class RoomInbox(Protocol):
    """Where changes and actions wait for a person's word."""

    def hold_changes(self, changes: HeldChanges) -> str:
        """Put a held set of changes into the inbox; return its id there."""
        ...

    def ask_action(
        self, *, decision: str, session: str, action: str, target: str, payload: str, reasons: tuple[str, ...]
    ) -> str:
        """Put an action outside of the workbench into the inbox; return its id there."""
        ...

    def get(self, id: str) -> Any:
        """Return one entry with how it was `settled`, None while it waits."""
        ...


@dataclass(frozen=True, kw_only=True)
class SettledChanges:
    """What became of a set of changes."""

    status: str  # nothing, committed, held, refused, conflict, or dropped since the command was ended
    id: str = ""
    summary: str = ""
    diff: str = ""
    reasons: tuple[str, ...] = ()

    def told(self) -> str:
        """Say it to the model in a few lines; nothing where nothing was changed."""
        match self.status:
            case "nothing":
                return ""
            case "committed":
                return f"[changed: {self.summary}]"
            case "held":
                why = "; ".join(self.reasons[:3])
                return f"[not in the workspace yet: {self.summary} held for a person's approval as {self.id}: {why}]"
            case "conflict":
                return f"[nothing was kept: {'; '.join(self.reasons)}]"
        return f"[nothing was kept, {self.summary} dropped: {'; '.join(self.reasons[:3])}]"


class ToolResult(NamedTuple):
    """What a tool gives back: text or data for the model, and what became of the changes it made."""

    value: object
    settled: SettledChanges | None = None
    failed: bool = False


@dataclass(kw_only=True)
class Room:
    """A workspace with its workbench, the rules that judge, and the inbox for what a person has to decide."""

    session: str
    workspace: Path
    state: Path
    bench: Workbench
    kernel: Callable[[], Kernel]
    approvals: RoomInbox
    history: History
    stop: Stop = field(default_factory=Stop)
    show: Callable[[str], None] | None = None
    grants: tuple[str, ...] = ()
    lock: threading.RLock = field(default_factory=threading.RLock)
    secrets: SecretValues = field(default_factory=SecretValues)
    """What is known to be secret: left out of the notes on what is done, never of what is done."""
    secret_files: SecretFiles | None = None

    def look_for_secrets(self) -> None:
        """Take in the values of files of secrets that are new or changed."""
        if self.secret_files is not None:
            self.secret_files.refresh()

    def read(self, path: str) -> bytes:
        """Return the content of a file of the workspace; a secret one is masked."""
        return self.bench.read(path)

    def run(
        self,
        command: Sequence[str] | str,
        *,
        key: str,
        cwd: str = ".",
        timeout: float | None = None,
        grants: Sequence[str] = (),
        keep: bool = True,
        stdin: bytes = b"",
    ) -> tuple[Ran, SettledChanges]:
        """Run a command on the workbench and settle what it changed; with *keep* off nothing is kept."""
        note = command if isinstance(command, str) else " ".join(command)
        with self.lock:
            for _ in range(_TRIES):
                ran = self.bench.run(
                    command,
                    cwd=cwd,
                    timeout=timeout,
                    grants=(*self.grants, *grants),
                    stdin=stdin,
                    stop=self.stop,
                    show=self.show,
                )
                if not keep:
                    self.bench.drop()
                    return ran, SettledChanges(status="nothing")
                settled = self._settle_ran(ran, key=key, note=note)
                if settled.status != "conflict":
                    break
            return ran, settled

    def write(
        self, files: Mapping[str, bytes | None], *, key: str, note: str, modes: Mapping[str, int] = {}
    ) -> SettledChanges:
        """Write, replace or delete (None) files, all of them or none; new ones with their *modes*."""
        with self.lock:
            for _ in range(_TRIES):
                settled = self.settle(self.bench.write(files, modes=modes), key=key, note=note)
                if settled.status != "conflict":
                    break
            return settled

    def _settle_ran(self, ran: Ran, *, key: str, note: str) -> SettledChanges:
        """Settle what a command changed; where it was ended before its own end, half of its changes are not kept."""
        if ran.status in ("ok", "failed") or not len(ran.changes):
            return self.settle(ran.changes, key=key, note=note)
        self.bench.drop()
        return SettledChanges(status="dropped", summary=ran.changes.summary(), reasons=(ran.reason,))

    def settle(self, changes: Changes, *, key: str, note: str) -> SettledChanges:
        """Put *changes* to the rules, and commit, hold or drop them as one."""
        if not len(changes):
            self.bench.drop()
            return SettledChanges(status="nothing")
        note = self.secrets.text(note)
        summary, diff = changes.summary(), changes.diff()[:_SHOWN]
        seen = self.history.look(changes, self._run_inside)
        whole = seen.facts._replace(unkept=self.bench.undo_shortfall(changes))
        judged = self.kernel().judge(self._told(changes), digest=changes.digest, whole=whole)
        reasons = tuple(judged.because)
        if judged.decision == "deny":
            self.bench.drop()
            return SettledChanges(status="refused", summary=summary, diff=diff, reasons=reasons)
        if judged.decision == "approval":
            held = self.bench.hold(changes, note=note)
            only_person = bool(whole.lost or whole.unkept) or any(map(_is_gits, judged.paths("approval")))
            waits = HeldChanges(held.id, judged.id, self.session, note, summary, reasons, only_person)
            id = self.approvals.hold_changes(waits)
            agreed = self.approvals.get(id).settled
            if agreed is not None:
                return SettledChanges(status="committed", id=agreed.commit, summary=summary, diff=diff)
            return SettledChanges(status="held", id=id, summary=summary, diff=diff, reasons=reasons)
        try:
            commit = self.bench.commit(changes, note=note, id=self.commit_id(key))
        except ConflictError as error:
            self.bench.drop()
            return SettledChanges(status="conflict", summary=summary, reasons=(str(error),))
        self.history.note(seen)
        return SettledChanges(status="committed", id=commit.id, summary=summary, diff=diff)

    def _run_inside(
        self, words: Sequence[str], *, stdin: bytes, environment: Mapping[str, str], seconds: float
    ) -> tuple[bool, str]:
        ran = self.bench.run(words, stdin=stdin, environment=environment, timeout=seconds, stop=self.stop)
        return ran.ok and ran.whole <= len(ran.output.encode("utf-8", "replace")), ran.output

    def _told(self, changes: Changes) -> list[FileChange]:
        """Return the changes as the rules are told them, with what git knows of their paths."""
        paths = [path for change in changes for path in (change.path, change.old_path) if path]
        outside = [path for path in paths if not path.startswith(".git/")]
        known = look_at_git(self.workspace, outside)
        known = known._replace(
            tracked=known.tracked | self.history.tracked, git=kinds_of(str(self.workspace.resolve()), changes)
        )
        return [file_change(change, known, self.bench.programs) for change in changes]

    def commit_id(self, key: str) -> str:
        """Return the name under which the changes of a call are committed, the same after a restart."""
        return "w-" + content_hash(f"{self.session} {key}")[:16]

    def done_before(self, key: str) -> Any | None:
        """Return the commit of a call that was cut off after its changes were kept, if there is one."""
        wanted = self.commit_id(key)
        return next((one for one in commits(self.state, self.workspace) if one.id == wanted), None)


def _is_gits(path: str) -> bool:
    """Tell whether git may trust what is there: its settings and hooks run on this machine, outside of the workbench.

    A directory with a HEAD may be a repository too, whatever it is called.
    """
    *directories, name = path.casefold().split("/")
    return name == "head" or any(part.endswith(".git") for part in (*directories, name))


def file_change(change: Change, known: GitView, programs: Sequence[str] = ()) -> FileChange:
    """Return a change in the words of the rules; *programs* are the directories of programs that are shown inside."""
    entry = change.after or change.before
    old = change.old_path or change.path
    return FileChange(
        kind=change.kind,
        path=change.path,
        old_path=change.old_path,
        entry=entry.kind if entry is not None else "file",
        target=_target(entry),
        to_program=any(f"{_target(entry)}/".startswith(f"{place}/") for place in programs),
        mode_bits=change.after.mode if change.after is not None else 0,
        tracked=old in known.tracked,
        ignored=change.path in known.ignored,
        empty=change.after is not None and change.after.kind == "file" and change.after.size == 0,
        git=known.git.get(change.path, ""),
        old_git=known.git.get(change.old_path, ""),
        same_code=change.kind == "changed" and _has_versions(change.path) and change.is_same_but_for(_ABOUT_ITSELF),
    )


def _has_versions(path: str) -> bool:
    """Whether a file may be one of exact versions, by its name; no other is read for the rules."""
    name = path.rpartition("/")[2].lower()
    return "lock" in name or "shrinkwrap" in name or name == "go.sum"


def _target(entry: Entry | None) -> str:
    return (entry.target or "") if entry is not None and entry.kind == "link" else ""
