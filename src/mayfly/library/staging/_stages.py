"""The stages of a change: compile, tests, smoke. What was written runs behind the wall of the workbench alone."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mayfly.core import (
    GateSettings,
    InputError,
    MachineError,
    StagingSettings,
    Stop,
    Tier,
    WorkbenchSettings,
    one_line,
    secret_path,
)
from mayfly.gates import Criteria, Judge, Profile, check_stability, check_syntax, suppressions
from mayfly.library.staging._events import StageResult
from mayfly.library.staging._target import Trials, tests_about
from mayfly.sandbox.workbench import Ran, SuiteReport, Workbench, run_suite

STAGES = ("compile", "tests", "smoke")
# What is refused of our own source, whatever powers it has: the same that a test of the product holds all of it to.
_DEMANDED = frozenset({"COMPLEXITY", "ARMS", "RECURSION", "LOOP", "SIZE", "NESTING"})
# Without other packages: with them the checker reads for minutes. What it cannot know of them is no error.
_TYPES = ("--strict", "--cache-dir=/dev/null", "--no-site-packages", "--ignore-missing-imports")
_QUIET = ("--follow-imports=silent", "--no-error-summary", "--show-error-codes", "--no-pretty", "--no-color-output")
_TYPE_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: error: (?P<said>.*)$", re.MULTILINE)
# How much of a failing program's last words is told.
_TAIL = 1500
_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class BuiltinChange:
    """One file of a built-in tool as it is and as it is to be."""

    tool: str
    tools: tuple[str, ...]
    path: str
    old: bytes
    new: bytes


class StageFailed(Exception):
    """A stage is not passed; the message is why."""


@dataclass(kw_only=True)
class StagingTrial:
    """Try a change, stage by stage, in a worktree that has it."""

    tree: Path
    change: BuiltinChange
    state: Path
    settings: StagingSettings
    gates: GateSettings
    workbench: WorkbenchSettings
    stop: Stop | None = None
    tell: Callable[[StageResult], None] = field(default=lambda _: None)
    note: str = ""
    """What the judge says."""
    not_tried: tuple[str, ...] = ()
    """Tests that cannot run behind the wall: they fail there without the change as well."""

    def run(self) -> tuple[StageResult, ...]:
        """Try all stages in their order; the first that fails is the last."""
        results: list[StageResult] = []
        # The tree is a fresh checkout of what the repository has: nothing of a person's own lies in it to be masked,
        # and some of our sources have names like those of files with secrets.
        with Workbench(self.tree, state=self.state, settings=self.workbench, secret=lambda _: False) as bench:
            for stage, seconds in self._limits():
                began = time.monotonic()
                run = _Commands(bench, began + seconds, seconds, self.stop)
                try:
                    told, ok = getattr(self, f"_{stage}")(run), True
                except StageFailed as failed:
                    told, ok = str(failed), False
                finally:
                    bench.drop()
                results.append(StageResult(stage=stage, ok=ok, told=told, seconds=time.monotonic() - began))
                self.tell(results[-1])
                if not ok:
                    break
        return tuple(results)

    def _limits(self) -> Iterable[tuple[str, float]]:
        return zip(STAGES, (self.settings.compile, self.settings.tests, self.settings.smoke), strict=True)

    def _compile(self, run: _Commands) -> str:
        new, old = self.change.new, self.change.old
        faults = _faults(new, self.gates)
        if faults:
            raise StageFailed("; ".join(faults[:_NAMED]))
        hidden = _hidden(new) - _hidden(old)
        if hidden:
            raise StageFailed(f"it hides more from the type check than before: {min(hidden)}")
        self.note, refused = _judged(new, old)
        if refused:
            raise StageFailed(f"the judge refuses it: {refused}")
        wrong = self._type_errors(run)
        if wrong:
            run.bench.write({self.change.path: self.change.old})
            known = {said for _, said in self._type_errors(run)}
            wrong = [(line, said) for line, said in wrong if said not in known]
        if wrong:
            raise StageFailed("types: " + "; ".join(f"line {line}: {said}" for line, said in wrong[:_NAMED]))
        return "syntax, stability and types"

    def _type_errors(self, run: _Commands) -> list[tuple[str, str]]:
        """Return what the type checker says of the file, each with its line."""
        ran = run("-m", "mypy", *_TYPES, *_QUIET, self.change.path)
        found = [one for one in _TYPE_ERROR.finditer(ran.output) if one["file"] == self.change.path]
        if not ran.ok and not (found and ran.code == 1):
            _refuse_missing(ran, "mypy")
            raise StageFailed(f"the type checker says no: {_tail(ran)}")
        return [(one["line"], one["said"]) for one in found]

    def _tests(self, run: _Commands) -> str:
        trials = Trials.load(self.tree)
        files = list(dict.fromkeys((*tests_about(self.tree, self.change.path, self.change.tools), *trials.contracts)))
        wanted = run.tests(files, old=self.change, collect=True).found
        if not wanted:
            raise StageFailed(f"there are no tests in {', '.join(files[:_NAMED])}")
        tried = run.tests(files)
        # A file that cannot be read as tests any more has an end of its own, under its own name.
        ended = {**tried.broken, **tried.outcomes}
        bad = [name for name in (*wanted, *ended) if ended.get(name, "missing") != "passed"]
        bad = list(dict.fromkeys(bad))
        doubtful = [name for name in bad if name in wanted]
        again = run.tests(doubtful, old=self.change).outcomes if doubtful else {}
        same = [name for name in bad if again.get(name, "passed") == ended.get(name, "missing")]
        failed = [name for name in bad if name not in same]
        if failed:
            more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
            raise StageFailed(
                f"{len(failed)} of {len(wanted)} tests that the old file passes: "
                + ", ".join(f"{name} ({ended.get(name, 'missing')})" for name in failed[:_NAMED])
                + more
                + f"\n{tried.output[-_TAIL:]}"
            )
        passed = [name for name in wanted if ended.get(name) == "passed"]
        if not any(not name.startswith(trials.contracts) for name in passed) and len(files) > len(trials.contracts):
            raise StageFailed("none of the tests that are about the file can run behind the wall")
        self.not_tried = tuple(same)
        left = f", {len(same)} cannot run behind the wall" if same else ""
        return f"{len(passed)} tests of {len(files)} files{left}"

    def _smoke(self, run: _Commands) -> str:
        return smoke(run, Trials.load(self.tree), self.change.tool)


def smoke(run: _Commands, trials: Trials, tool: str) -> str:
    """Start the product as the repository says; in the end it has to name *tool* among its tools."""
    for words in trials.smoke:
        ran = run(*words)
        if not ran.ok:
            raise StageFailed(f"python {' '.join(words)}: {ran.reason or ran.status}\n{_tail(ran)}")
    if not re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", ran.output):
        raise StageFailed(f"it starts, and does not have {tool} any more")
    return f"{len(trials.smoke)} starts, and {tool} is there"


class _Commands:
    """Run commands of one stage, which all together have so many seconds."""

    def __init__(self, bench: Workbench, ends: float, seconds: float, stop: Stop | None) -> None:
        self.bench = bench
        self._ends = ends
        self._seconds = seconds
        self._stop = stop

    def __call__(self, *words: str) -> Ran:
        """Run Python with these words in the tree, whose own sources come first."""
        command = [sys.executable, *words]
        ran = self.bench.run(command, timeout=self._left(), environment=self._environment(), stop=self._stop)
        if ran.status == "timeout":
            raise self._too_long()
        if ran.status == "stopped":
            raise StageFailed("it was stopped")
        return ran

    def tests(self, paths: Sequence[str], *, old: BuiltinChange | None = None, collect: bool = False) -> SuiteReport:
        """Run tests, with the old file where it is said, and return which were found and how each ended."""
        try:
            report = run_suite(
                self.bench,
                [sys.executable],
                paths=paths,
                collect=collect,
                seconds=self._left(),
                runner="pytest",
                stop=self._stop,
                files={} if old is None else {old.path: old.old},
                environment=self._environment(),
            )
        except InputError as error:
            raise StageFailed(str(error)) from None
        if self._stop is not None and self._stop.cancelled:
            raise StageFailed("it was stopped")
        if report.late:
            raise self._too_long()
        if not report.over:
            raise StageFailed(f"the tests ended without a result: {report.output[-_TAIL:]}")
        return report

    def _left(self) -> float:
        return max(self._ends - time.monotonic(), 0.001)

    def _too_long(self) -> StageFailed:
        return StageFailed(f"it took more than {self._seconds:g} s")

    def _environment(self) -> dict[str, str]:
        root = self.bench.workspace
        return {"PYTHONPATH": f"{root}/src:{root}"}


def smoke_in(
    tree: Path,
    tool: str,
    *,
    tracked: Collection[str],
    state: Path,
    settings: StagingSettings,
    workbench: WorkbenchSettings,
    stop: Stop | None = None,
) -> str:
    """Start the product from *tree* as it stands, behind the wall; returns why that is not well, or nothing.

    Files with secrets are masked in it, but for those that are *tracked*: they are sources with unlucky names.
    """

    def secret(path: str) -> object:
        return path not in tracked and secret_path(path)

    with Workbench(tree, state=state, settings=workbench, secret=secret) as bench:
        ends = time.monotonic() + settings.smoke
        try:
            smoke(_Commands(bench, ends, settings.smoke, stop), Trials.load(tree), tool)
        except StageFailed as failed:
            return str(failed)
        finally:
            bench.drop()
    return ""


def _faults(source: bytes, gates: GateSettings) -> list[str]:
    """Return what the gates that run nothing refuse."""
    parsed = check_syntax(source, limit=gates.source)
    if parsed.tree is None:
        return [verdict.message for verdict in parsed.verdicts] or ["it is empty"]
    profile = Profile.of(gates, tier=Tier.BUILTIN, grants=("package",))
    found = check_stability(parsed.tree, parsed.text, profile).verdicts
    return [
        f"line {verdict.line}: {verdict.message}"
        for verdict in found
        if verdict.decision == "reject" and verdict.code in _DEMANDED
    ]


def _hidden(source: bytes) -> Counter[str]:
    text = source.decode("utf-8", "replace")
    return Counter(verdict.message for verdict in suppressions(text) if "TYPE_CHECKING" not in verdict.message)


def _judged(new: bytes, old: bytes) -> tuple[str, str]:
    """Return what the judge notes, and why it refuses what it did not refuse before."""
    judge = Judge(Criteria.load())
    opinions = []
    for source in (new, old):
        parsed = check_syntax(source)
        opinions.append(None if parsed.tree is None else judge.judge(parsed.tree, parsed.text, grants=("package",)))
    now, before = opinions
    if now is None:
        return "", ""
    said = "; ".join(one_line(verdict.message, limit=160) for verdict in now.verdicts) or "nothing against it"
    note = f"{now.decision}, score {now.score:g}: {said}"
    refused = now.decision == "reject" and (before is None or before.decision != "reject")
    return note, said if refused else ""


def _tail(ran: Ran) -> str:
    return ran.output.strip()[-_TAIL:]


def _refuse_missing(ran: Ran, module: str) -> None:
    if f"No module named {module}" in ran.output:
        raise MachineError(f"{module} is not installed: staging needs it", fix="MAYFLY_SETUP=dev ./mayfly")
