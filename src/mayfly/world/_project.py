"""Run the tests of a workspace on a workbench of their own, and read what happened from their journal."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from mayfly.core import InputError, Settings, Stop, missing_program, one_line
from mayfly.sandbox.workbench import Ran, Workbench
from mayfly.world._place import own_python

SECONDS = 120.0
LONGEST = 600.0
_EACH = 30.0
_ROUNDS = 20
# Beside the project's own files, on the overlay that is dropped: what is in /tmp is not to be read from outside.
_JOURNAL = ".mayfly-tests.jsonl"
_LARGEST = 16 * 1024 * 1024
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
    settings: Settings,
    *,
    paths: Collection[str] = (),
    only: Collection[str] | None = None,
    collect: bool = False,
    seconds: float = SECONDS,
    runner: str = "",
    stop: Stop | None = None,
) -> SuiteReport:
    """Run the tests of *root* on a workbench of their own, with the project's interpreter, and keep no change.

    A test that crashes or hangs is an error, and the others still run.
    """
    deadline, report = time.monotonic() + seconds, SuiteReport()
    argument: dict[str, object] = {"paths": list(paths), "collect": collect, "runner": runner, "journal": _JOURNAL}
    argument |= {"only": None if only is None else list(only)}
    stop = stop or Stop()
    command = own_python("" if runner == "unittest" else "pytest", "-c", _source())
    with (
        tempfile.TemporaryDirectory(prefix="mayfly-tests-") as state,
        Workbench(Path(root), state=Path(state), settings=settings.workbench, hidden=settings.state) as bench,
    ):
        for _ in range(_ROUNDS):
            left = deadline - time.monotonic()
            if left < 1 or stop.cancelled:
                report.late = True
                break
            argument |= {"done": list(report.outcomes), "seconds": min(_EACH, max(1.0, left - 2))}
            ran = bench.run(command, stdin=json.dumps(argument).encode(), timeout=left, stop=stop)
            over = _read(bench, report, ran)
            bench.drop()
            report.late = ran.status == "timeout"
            if over or not _goes_on(report, ran):
                break
    return report


def _source() -> str:
    return files(__package__).joinpath("run_project.py").read_text(encoding="utf-8")


def _read(bench: Workbench, report: SuiteReport, ran: Ran) -> bool:
    """Add what one round wrote down, and return whether it came to its end.

    A test that began and did not end has taken the round with it, with whatever exit status.
    """
    begun, over = "", False
    for line in _lines(bench):
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
            case "over":
                over = True
    # Where the time for all was up, the test that was running did nothing wrong: it has no outcome.
    if begun and ran.status != "timeout":
        report.outcomes[begun] = "error"
    report.output = (ran.output or ran.reason)[-_TAIL:]
    return over


def _lines(bench: Workbench) -> Iterator[Mapping[str, object]]:
    """Yield the lines of the journal, which the tests could have written themselves: it is data and nothing else."""
    try:
        content = bench.read(_JOURNAL)[:_LARGEST]
    except (InputError, OSError):
        return
    for line in content.split(b"\n"):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _goes_on(report: SuiteReport, ran: Ran) -> bool:
    """Say whether a further round can bring more; one that died outside of any test cannot be told apart again."""
    if ran.status == "failed" and not (report.outcomes or report.broken):
        raise InputError(f"the tests cannot be run: {one_line(ran.output[-_TAIL:], limit=300)}")
    return ran.status not in ("timeout", "stopped", "refused") and report.not_run > 0
