"""Run the tests of a workspace on a workbench, and read what happened from their journal."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from mayfly.core import InputError, Stop, missing_program, one_line
from mayfly.sandbox.workbench._run import Ran
from mayfly.sandbox.workbench._workbench import Workbench

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
    """What is known of the tests so far: which there are, how each ended, and what was printed last."""

    found: list[str] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    runner: str = ""
    output: str = ""
    late: bool = False
    over: bool = False
    """The runner came to its end: every test that was to run has its outcome."""

    def named(self, *outcomes: str) -> list[str]:
        """Return the tests, and the files that could not be collected, that ended so."""
        return sorted(name for name, how in {**self.broken, **self.outcomes}.items() if how in outcomes)

    @property
    def not_run(self) -> int:
        """How many tests were found and have no outcome."""
        return max(0, len(self.found) - len(self.outcomes))


def run_suite(
    bench: Workbench,
    python: Sequence[str],
    *,
    paths: Collection[str] = (),
    only: Collection[str] | None = None,
    collect: bool = False,
    seconds: float,
    runner: str = "",
    stop: Stop | None = None,
    files: Mapping[str, bytes] = {},
    environment: Mapping[str, str] = {},
) -> SuiteReport:
    """Run the tests of *bench* with the interpreter that the command *python* starts, and keep no change.

    A test that crashes or hangs is an error, and the others still run. *files* replace those of the workspace while
    the tests run.
    """
    deadline, report = time.monotonic() + seconds, SuiteReport()
    argument: dict[str, object] = {"paths": list(paths), "collect": collect, "runner": runner, "journal": _JOURNAL}
    argument |= {"only": None if only is None else list(only)}
    stop = stop or Stop()
    command = [*python, "-c", _source()]
    for _ in range(_ROUNDS):
        left = deadline - time.monotonic()
        if left < 1 or stop.cancelled:
            report.late = True
            break
        if files:
            bench.write(files)
        argument |= {"done": list(report.outcomes), "seconds": min(_EACH, max(1.0, left - 2))}
        ran = bench.run(command, stdin=json.dumps(argument).encode(), timeout=left, environment=environment, stop=stop)
        report.over = _read(bench, report, ran)
        bench.drop()
        report.late = ran.status == "timeout"
        if report.over or not _goes_on(report, ran):
            break
    return report


def _source() -> str:
    return resources.files(__package__).joinpath("suite_runner.py").read_text(encoding="utf-8")


def _read(bench: Workbench, report: SuiteReport, ran: Ran) -> bool:
    """Add what one round wrote down, and return whether it came to its end.

    A test that began and did not end has taken the round with it, with whatever exit status.
    """
    begun, over = "", False
    for line in _lines(bench):
        name = str(line.get("name", ""))[:_LONGEST_NAME]
        match line.get("event"):
            case "collected" if isinstance(names := line.get("names"), list) and len(names) > len(report.found):
                report.found = [str(name)[:_LONGEST_NAME] for name in names]
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
