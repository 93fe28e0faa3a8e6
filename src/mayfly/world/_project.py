"""Run the tests of a copy of the workspace behind the wall, and read what happened from its journal."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from mayfly.core import InputError, MachineError, SandboxSettings, Stop, missing_program
from mayfly.sandbox import Result, Sandbox, Ticket
from mayfly.world._copy import copied

SECONDS = 120.0
LONGEST = 600.0
_EACH = 30.0
_ROUNDS = 20
_GRANTS = ("fs:workspace:rw", "package")
_JOURNAL = 16 * 1024 * 1024
_LONGEST_NAME = 500
_TAIL = 4_000
OUTCOMES = ("passed", "failed", "error", "skipped", "walled")


@dataclass(kw_only=True)
class SuiteReport:
    """What is known of the tests so far: how each ended, how many there are, and what was printed last."""

    outcomes: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    collected: int = 0
    runner: str = ""
    output: str = ""
    late: bool = False

    def named(self, *outcomes: str) -> list[str]:
        """Return the tests, and the files that could not be collected, that ended so."""
        return sorted(name for name, how in {**self.broken, **self.outcomes}.items() if how in outcomes)

    @property
    def not_run(self) -> int:
        """How many tests were collected and have no outcome."""
        return max(0, self.collected - len(self.outcomes))


def run_project(
    root: str,
    settings: SandboxSettings,
    *,
    paths: Collection[str] = (),
    only: Collection[str] | None = None,
    collect: bool = False,
    seconds: float = SECONDS,
    runner: str = "",
    stop: Stop | None = None,
) -> SuiteReport:
    """Run the tests of *root*; a test that crashes or hangs is an error, and the others still run."""
    deadline, report = time.monotonic() + seconds, SuiteReport()
    argument: dict[str, object] = {"paths": list(paths), "collect": collect, "runner": runner}
    argument |= {"only": None if only is None else list(only)}
    limits = replace(settings, workers=1, descriptors=max(settings.descriptors, 256))
    stop, ticket = stop or Stop(), Ticket()
    with copied(root) as place, Sandbox(limits, workspace=place) as sandbox, stop.ending(ticket.cancel):
        for number in range(_ROUNDS):
            left = deadline - time.monotonic()
            if left < 1 or stop.cancelled:
                report.late = True
                break
            journal = f"journal-{number}.jsonl"
            argument |= {"journal": journal, "done": list(report.outcomes), "seconds": min(_EACH, max(1.0, left - 2))}
            ran = sandbox.run(_source(), "run_project", argument, grants=_GRANTS, timeout=left, ticket=ticket)
            if ran.status == "refused":
                raise MachineError(f"tests run behind the wall only: {ran.error}")
            _read(place / journal, report, ran)
            report.late = ran.status == "timeout"
            if ran.ok or not _goes_on(report, ran, journal):
                break
    return report


def _source() -> str:
    return files(__package__).joinpath("run_project.py").read_text(encoding="utf-8")


def _read(path: Path, report: SuiteReport, ran: Result) -> None:
    """Add what one round wrote down; a test that began and did not end has taken the round with it."""
    begun = ""
    for line in _lines(path):
        name = str(line.get("name", ""))[:_LONGEST_NAME]
        match line.get("event"):
            case "collected" if isinstance(count := line.get("count"), int):
                report.collected = max(report.collected, min(count, 1_000_000))
            case "broken":
                report.broken[name] = "walled" if line.get("walled") is True else "error"
            case "missing":
                raise missing_program(name, "the tests of this workspace are written for it")
            case "runner":
                report.runner = name
            case "begin":
                begun = name
            case "end" if line.get("outcome") in OUTCOMES:
                report.outcomes[name] = str(line["outcome"])
                begun = ""
    # Where the time for all was up, the test that was running did nothing wrong: it has no outcome.
    if begun and ran.status != "timeout":
        report.outcomes[begun] = "error"
    report.output = (ran.output or ran.error or "")[-_TAIL:]


def _lines(path: Path) -> Iterator[Mapping[str, object]]:
    """Yield the lines of a journal, which the tests could have written themselves: it is data and nothing else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return
        content = file.read(_JOURNAL)
    for line in content.split(b"\n"):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _goes_on(report: SuiteReport, ran: Result, journal: str) -> bool:
    """Say whether a further round can bring more; one that died outside of any test cannot be told apart again."""
    if ran.status == "error" and not report.outcomes:
        raise InputError(f"the tests cannot be run: {ran.error}")
    return ran.status in ("died", "memory", "error") and report.not_run > 0
