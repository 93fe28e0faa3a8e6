"""Fire the corpus at the sandbox and judge each case by what it did to the stage."""

from __future__ import annotations

import contextlib
import errno
import json
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from mayfly.core import SandboxSettings
from mayfly.core.errors import MachineError
from mayfly.sandbox import JobOptions, Result, Sandbox
from mayfly.sandbox.attacks._cases import Case, cases
from mayfly.sandbox.attacks._descendants import adopting_orphans, descendants
from mayfly.sandbox.attacks._stage import Stage

# Needs what lean workers do not have, so that those that have it are there as well.
_WIDE = "import sqlite3\ndef f(x): return x"
_PROBE = "def f(x):\n    return x * 2\n"
_SECONDS = 3
_PATIENCE = 20.0
_SPARE_WORKERS = 2
_FROM = re.compile(r"\b(E[A-Z0-9]{2,}|MemoryError|RuntimeError|OverflowError|RecursionError) from ([\w.]+)")
_NUMBER = re.compile(r"\[Errno (\d+)\]")
_LAYER = {
    "EPERM": "seccomp",
    "ENOSYS": "seccomp",
    "EACCES": "Landlock",
    "EROFS": "the read-only root",
    "ESRCH": "its own pid namespace",
    "ECONNREFUSED": "its own network namespace",
    "ENETUNREACH": "its own network namespace",
    "ENOMEM": "the memory limit",
    "MemoryError": "the memory limit",
    "OverflowError": "the memory limit",
    "EFBIG": "the limit on output",
    "EMFILE": "the limit on descriptors",
    "RuntimeError": "the limit on threads",
}
_STATUS = {
    "memory": "the memory limit",
    "died": "no reply is no result",
}


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """How one case ended: whether it was contained, what stopped it, or what it managed to do."""

    name: str
    category: str
    title: str
    contained: bool
    stopped_by: str
    status: str
    milliseconds: float
    damage: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the whole corpus did at one level of the sandbox."""

    level: str
    cases: tuple[CaseResult, ...]
    survivors: int = 0

    @property
    def contained(self) -> int:
        """Count the contained cases."""
        return sum(case.contained for case in self.cases)

    @property
    def escapes(self) -> tuple[CaseResult, ...]:
        """Return the cases that were not contained."""
        return tuple(case for case in self.cases if not case.contained)


def run(
    level: str | None = None,
    only: Collection[str] | None = None,
    on_case: Callable[[CaseResult], None] | None = None,
    settings: SandboxSettings | None = None,
) -> Report:
    """Run the cases (or those whose name or category is in *only*) at *level*, or at the best this machine has."""
    chosen = [case for case in cases() if not only or {case.name, case.category} & set(only)]
    before = descendants()
    results: list[CaseResult] = []
    with adopting_orphans(), contextlib.ExitStack() as stack:
        stage = stack.enter_context(Stage())
        with Sandbox(settings, level=level, workspace=stage.workspace) as box:
            range_ = _Range(box=box, stage=stage, apart=before)
            for case in chosen:
                results.append(range_.fire(case))
                if on_case is not None:
                    on_case(results[-1])
            level = range_.level
        survivors = _wait_for(lambda: descendants(before) - {stage.victim})
    return Report(level=level, cases=tuple(results), survivors=len(survivors))


@dataclass(kw_only=True)
class _Range:
    """A sandbox and a stage, and what they looked like when nothing had been fired yet."""

    box: Sandbox
    stage: Stage
    apart: Collection[int]
    level: str = ""
    crowd: int = 0
    known: set[tuple[str, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.level = self._probe().level
        self._meet(())

    def _meet(self, grants: tuple[str, ...]) -> None:
        """Have the processes started that jobs with *grants* need, and count them as ours."""
        if grants not in self.known:
            self.known.add(grants)
            self.box.warm(grants)
            self.box.run(_WIDE, "f", timeout=60.0, grants=grants)
            self.crowd = len(descendants(self.apart)) + _SPARE_WORKERS

    def fire(self, case: Case) -> CaseResult:
        self._meet(case.grants)
        target = self.stage.target()
        damage: list[str] = []
        result = self._job(case, "attack", target)
        damage += self._judge(case, result)
        shown = result
        if case.has_second:
            for _ in range(_SECONDS):
                shown = self._job(case, "second", {**target, "left": result.value})
                damage += self._judge(case, shown)
        damage += self._aftermath()
        stopper = _stopped_by(case, level=self.level, status=shown.status, value=shown.value, error=shown.error)
        return CaseResult(
            name=case.name,
            category=case.category,
            title=case.title,
            contained=not damage,
            stopped_by="; ".join(damage) or stopper,
            status=result.status,
            milliseconds=result.milliseconds,
            damage=tuple(damage),
        )

    def _job(self, case: Case, entry: str, target: dict[str, object]) -> Result:
        options: JobOptions = {"timeout": case.timeout, "grants": case.grants}
        if case.lines:
            options["lines"] = str(target[case.lines])
        if case.data:
            options["data"] = (str(target[case.data]),)
        if case.lines or case.data:
            result = self.box.run(case.source_with(target), f"{entry}_file", **options)
        else:
            result = self.box.run(case.source, entry, target, **options)
        # Not every level has every grant; a job that was never run is contained.
        if result.status == "refused" and not case.grants:
            raise MachineError(f"the sandbox refused to run {case.category}/{case.name}: {result.error}")
        return result

    def _judge(self, case: Case, result: Result) -> list[str]:
        damage: list[str] = []
        if isinstance(result.value, dict) and result.value.get("escaped"):
            damage.append(f"escaped: {_one_line(str(result.value.get('evidence')))}")
        if self.stage.token in json.dumps([result.value, result.output, result.error], default=str):
            damage.append("the secret came out")
        if len(str(result.error).splitlines()) > 1:
            damage.append("the error has more than one line")
        if result.status not in case.expect | ({"refused"} if case.grants else set()):
            damage.append(f"the job ended with {result.status!r}, not {' or '.join(sorted(case.expect))}")
        return damage

    def _aftermath(self) -> list[str]:
        """Look at the stage, at the next job and at the processes that are left."""
        probe = self._probe()
        damage = self.stage.signs()
        if (probe.status, probe.value) != ("ok", 42):
            damage.append(f"the next job got {probe.status}: {_one_line(probe.error or repr(probe.value))}")
        extra = _wait_for(self._too_many)
        if extra:
            damage.append(f"{len(extra) - self.crowd} processes are left")
        return damage

    def _too_many(self) -> set[int]:
        found = descendants(self.apart)
        return found if len(found) > self.crowd else set()

    def _probe(self) -> Result:
        result = self.box.run(_PROBE, "f", 21, timeout=60.0)
        if result.status == "refused":
            raise MachineError(f"the sandbox is not available: {result.error}")
        return result


def _wait_for(nobody: Callable[[], set[int]]) -> set[int]:
    """Give processes that are about to end a moment to do so; return those that do not."""
    deadline = time.monotonic() + _PATIENCE
    while (left := nobody()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _stopped_by(case: Case, *, level: str, status: str, value: object, error: str | None) -> str:
    """Return what stopped the case, as far as its end and its evidence tell."""
    if status == "timeout":
        return f"wall clock after {case.timeout * 1000:.0f} ms"
    if status in _STATUS:
        return f"{_STATUS[status]}: {_one_line(error)}" if error else _STATUS[status]
    evidence = value.get("evidence") if isinstance(value, dict) else None
    text = _one_line(str(evidence) if status == "ok" and evidence else error)
    return _layer(text, level) or text or "nothing to stop: the answer is data"


def _layer(text: str, level: str) -> str | None:
    if match := _FROM.search(text):
        name, call = match.groups()
    elif match := _NUMBER.search(text):
        name, call = errno.errorcode.get(int(match[1]), ""), "the call"
    else:
        return None
    if name == "ENOENT" and level == "namespaces":
        return "no such file in the sandbox's root"
    return f"{_LAYER[name]}: {name} from {call}" if name in _LAYER else f"{name} from {call}"


def _one_line(text: str | None) -> str:
    """Return *text* fit for a terminal: one line, nothing that is not printable, and not long."""
    printable = "".join(character if character.isprintable() else "?" for character in (text or "").strip())
    return printable if len(printable) <= 120 else f"{printable[:117]}..."
