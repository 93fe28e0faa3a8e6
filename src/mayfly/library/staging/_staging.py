"""`Staging`: change a built-in tool on a branch of its own, try it behind the wall, and only then let the branch go on.

The running tree is never checked out: a worktree elsewhere holds the change, the branch goes on by one compare and
swap, and of the running tree that one file is replaced. A killed process leaves a branch that says how far it came.
"""

from __future__ import annotations

import difflib
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import ConflictError, InputError, MayflyError, Stop, content_hash, one_line
from mayfly.library.staging._events import (
    RollbackFailed,
    RollbackStarted,
    RolledBack,
    StageResult,
    StagingCleaned,
    StagingFailed,
    StagingMerging,
    StagingPromoted,
    StagingProposed,
)
from mayfly.library.staging._repository import BRANCHES, BranchHead, GitEntry, Repository
from mayfly.library.staging._stages import BuiltinChange, StagingTrial, smoke_in

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.store import Ledger, Payload

# What a commit message may hold of somebody's words.
_WORDS = 200


@dataclass(frozen=True, kw_only=True)
class StagingReport:
    """What came of a change: tried, taken in, or taken back."""

    id: str
    tool: str
    path: str
    branch: str
    status: str
    """passed: tried and not taken in; promoted; failed; rolled_back."""
    reason: str
    stages: tuple[StageResult, ...]
    diff: str
    note: str
    not_tried: tuple[str, ...] = ()
    commit: str = ""
    until: float = 0.0

    def told(self) -> str:
        """Say it in lines, for a person who decides and for a model: stages, the judge's note, the diff."""
        lines = [
            f"{one.stage:8} {'ok' if one.ok else 'FAILED'}  {one.told} ({one.seconds:.1f} s)" for one in self.stages
        ]
        lines += [f"judge    {self.note}"] if self.note else []
        lines += [f"not tried behind the wall: {', '.join(self.not_tried)}"] if self.not_tried else []
        return "\n".join([f"{self.path} of {self.tool}", *lines, "", self.diff])


@dataclass(kw_only=True)
class Staging:
    """Changes of the built-in tools of one repository, told to one ledger."""

    repository: Repository
    ledger: Ledger
    settings: Settings
    stop: Stop | None = None
    tell: Callable[[StageResult], None] = field(default=lambda _: None)
    clock: Callable[[], float] = time.time

    def stage(
        self, tool: str, path: str, source: bytes, *, tools: tuple[str, ...] = (), why: str = "", merge: bool = True
    ) -> StagingReport:
        """Try *source* as the new content of *path*, and with *merge* take it in when all stages are passed."""
        with self._alone():
            id = f"st-{secrets.token_hex(4)}"
            head, old = self._preflight(tool, path, source)
            change = BuiltinChange(
                tool=tool, tools=tools or (tool,), path=path, old=self.repository.git.content(old.blob), new=source
            )
            branch = self._branch(tool)
            hash = content_hash(source)
            self._add(id, StagingProposed(tool=tool, path=path, base=head.commit, branch=branch, source_hash=hash))
            message = f"agent: {one_line(why, limit=_WORDS) or f'change built-in tool {tool}'}\n\nStaging: {id}\n"
            commit = self.repository.commit_file(path, source, parent=head.commit, message=message)
            place: Path | None = None
            try:
                place = self.repository.add_worktree(branch, commit)
                trial = self._trial(place, change, id)
                stages = trial.run()
                report = self._report(id, change, branch, trial, stages)
                if report.status == "passed" and merge:
                    report = self._merge(report, change, head, commit)
            except MayflyError as error:
                self._add(id, StagingFailed(stage="", reason=one_line(str(error))))
                raise
            finally:
                self.repository.remove(branch, place)
            if report.status == "failed":
                self._add(id, StagingFailed(stage=report.stages[-1].stage, reason=one_line(report.reason)))
            return self._settle(report) if report.status == "promoted" else report

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the repository, with what a killed process left there put in order first."""
        with self.repository.lock():
            for leftover in self.repository.leftovers():
                self.repository.clean_up(leftover)
                self._add("staging", StagingCleaned(found=leftover.told()))
            self.repository.remove_parts()
            yield

    def _preflight(self, tool: str, path: str, source: bytes) -> tuple[BranchHead, GitEntry]:
        """Return where the branch is and what the file is there; what stands in the way is said before anything."""
        limit = self.settings.gates.source
        if len(source) > limit:
            raise InputError(f"the new source has {len(source):,} bytes, the limit is {limit:,}")
        head = self.repository.head()
        old = self.repository.entry(head.commit, path)
        if old is None:
            raise InputError(f"{path} is not a file of the branch {head.name}")
        if wrong := self.repository.dirty(path, old):
            raise ConflictError(f"{path} is not staged over: {wrong}", fix=f"git commit or git stash -- {path}")
        if self.repository.git.content(old.blob) == source:
            raise InputError(f"{path} is exactly that already", fix="change something in the new source")
        left = self._cooling(tool)
        if left > 0:
            raise ConflictError(
                f"{tool} was taken back a short while ago and rests for {left:.0f} s more",
                fix="see: mayfly log show, and MAYFLY_STAGING_COOLDOWN",
            )
        return head, old

    def _cooling(self, tool: str) -> float:
        times = [entry.at.timestamp() for entry in self.ledger.read(kind="staging.rolled_back") if _is(entry, tool)]
        return max(times, default=0.0) + self.settings.staging.cooldown - self.clock()

    def _branch(self, tool: str) -> str:
        moment = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y%m%d-%H%M%S-%f")
        return f"{BRANCHES}/{tool}-{moment}"

    def _trial(self, place: Path, change: BuiltinChange, id: str) -> StagingTrial:
        def tested(result: StageResult) -> None:
            self._add(id, replace(result, told=one_line(result.told), seconds=round(result.seconds, 3)))
            self.tell(result)

        return StagingTrial(
            tree=place,
            change=change,
            state=self.settings.workbench_state,
            settings=self.settings.staging,
            gates=self.settings.gates,
            workbench=self.settings.workbench,
            stop=self.stop,
            tell=tested,
        )

    def _report(
        self, id: str, change: BuiltinChange, branch: str, trial: StagingTrial, stages: tuple[StageResult, ...]
    ) -> StagingReport:
        ok = all(one.ok for one in stages)
        return StagingReport(
            id=id,
            tool=change.tool,
            path=change.path,
            branch=branch,
            status="passed" if ok else "failed",
            reason="" if ok else f"{stages[-1].stage}: {stages[-1].told}",
            stages=stages,
            diff=difference(change),
            note=trial.note,
            not_tried=trial.not_tried,
        )

    def _merge(self, report: StagingReport, change: BuiltinChange, head: BranchHead, commit: str) -> StagingReport:
        self._add(report.id, StagingMerging(commit=commit))
        self.repository.advance(head, commit, change.path)
        until = self.clock() + self.settings.staging.health
        self._add(
            report.id,
            StagingPromoted(
                tool=change.tool,
                path=change.path,
                commit=commit,
                base=head.commit,
                until=until,
                tools=change.tools,
            ),
        )
        return replace(report, status="promoted", commit=commit, until=until)

    def _settle(self, report: StagingReport) -> StagingReport:
        """Start the product from the running tree as it now is, and take the change back where that fails."""
        tracked = set(self.repository.git.text("ls-files", "-z").split("\0"))
        try:
            wrong = smoke_in(
                self.repository.root,
                report.tool,
                tracked=tracked,
                state=self.settings.workbench_state,
                settings=self.settings.staging,
                workbench=self.settings.workbench,
                stop=self.stop,
            )
        except MayflyError as error:
            wrong = str(error)  # what cannot be seen to start is not left in
        if not wrong:
            return report
        reason = f"the running tree does not start with it: {wrong}"
        commit = self._take_back(report.id, self._promoted(report.id), reason)
        return replace(report, status="rolled_back", reason=reason, commit=commit)

    def roll_back(self, id: str, reason: str) -> str:
        """Take a change back by a commit of its own, and return that; where it cannot be, `ConflictError` says why."""
        with self._alone():
            return self._take_back(id, self._promoted(id), reason)

    def _promoted(self, id: str) -> StagingPromoted:
        entry = self.ledger.last("staging.promoted", id)
        if entry is None or not isinstance(entry.data, StagingPromoted):
            raise InputError(f"nothing was taken in under {id}", fix="see: mayfly log show")
        return entry.data

    def _take_back(self, id: str, promoted: StagingPromoted, reason: str) -> str:
        repository, path, tool = self.repository, promoted.path, promoted.tool
        self._add(id, RollbackStarted(tool=tool, commit=promoted.commit, reason=one_line(reason)))
        branch = self._branch(f"{tool}-back")
        try:
            head = repository.head()
            bad, good = repository.entry(promoted.commit, path), repository.entry(promoted.base, path)
            if bad is None or good is None or repository.entry(head.commit, path) != bad:
                raise ConflictError(f"{path} was changed again since", fix="look at it: git log -- " + path)
            message = f"agent: take back the change of {tool}\n\n{one_line(reason, limit=_WORDS)}\n\nStaging: {id}\n"
            commit = repository.commit_file(
                path, repository.git.content(good.blob), parent=head.commit, message=message
            )
            repository.add_branch(branch, commit)
            repository.advance(head, commit, path)
        except MayflyError as error:
            self._add(id, RollbackFailed(tool=tool, reason=one_line(str(error))))
            raise
        finally:
            repository.remove(branch)
        told = RolledBack(tool=tool, path=path, commit=commit, reason=one_line(reason), tools=promoted.tools)
        self._add(id, told)
        return commit

    def _add(self, id: str, event: Payload) -> None:
        self.ledger.append(event, subject=id)


def difference(change: BuiltinChange) -> str:
    """Return the change as a diff."""
    old, new = (source.decode("utf-8", "replace").splitlines(keepends=True) for source in (change.old, change.new))
    lines = difflib.unified_diff(old, new, f"a/{change.path}", f"b/{change.path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _is(entry: object, tool: str) -> bool:
    data = getattr(entry, "data", None)
    return isinstance(data, RolledBack) and data.tool == tool
