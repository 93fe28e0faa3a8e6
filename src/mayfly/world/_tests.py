"""The tests of the workspace: run, and the failing ones found; never on the host itself."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Collection
from pathlib import Path

from mayfly.core import (
    Asked,
    InputError,
    Invocation,
    LimitError,
    MachineError,
    Settings,
    Stop,
)
from mayfly.sandbox.workbench import SuiteReport, Workbench, run_suite
from mayfly.world._declare import PATHS, Schema, takes, tool
from mayfly.world._paths import inside, root_of
from mayfly.world._place import own_python

SECONDS = 120.0
LONGEST = 600.0
_MOST_CHECKED = 50
# A test of a value is not to take longer than what it tests.
_CHECK_SECONDS = 60.0
_NO_TESTS = "no tests were found in the workspace"


_INPUT: Schema = takes(
    paths={**PATHS, "minItems": 0, "description": "files, directories or file::test; all tests where none is named"},
    seconds={"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST, "default": SECONDS},
)


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
    """Run the tests of *root* on a workbench of their own, with the project's interpreter, and keep no change."""
    python = own_python("" if runner == "unittest" else "pytest")
    with (
        tempfile.TemporaryDirectory(prefix="mayfly-tests-") as state,
        Workbench(Path(root), state=Path(state), settings=settings.workbench, hidden=settings.state) as bench,
    ):
        return run_suite(
            bench, python, paths=paths, only=only, collect=collect, seconds=seconds, runner=runner, stop=stop
        )


def _paths(call: Invocation) -> list[str]:
    paths = list(call.arguments.get("paths", ()))
    for path in paths:
        if path.startswith("-"):
            raise InputError(f"{path[:80]!r} is not a path", fix="name a file or directory of tests")
    return paths


def _inside(call: Invocation) -> list[str]:
    """Return the paths as the runner takes them, each with the name of a test after `::` where there is one."""
    root, parted = root_of(call), [path.partition("::") for path in _paths(call)]
    return [inside(root, place or ".") + mark + name for place, mark, name in parted]


def _seconds(call: Invocation) -> float:
    return float(call.arguments.get("seconds", SECONDS))


def _asked(call: Invocation) -> tuple[Asked, ...]:
    """Ask for what is done as the command it stands for, which is what the rules know how to read."""
    return (Asked("run_tests", shlex.join(["python", "-m", "pytest", *_paths(call)])),)


def _report(settings: Settings, call: Invocation) -> SuiteReport:
    seconds = _seconds(call)
    report = run_project(root_of(call), settings, paths=_inside(call), seconds=seconds, stop=call.stop)
    if not report.outcomes and not report.broken:
        if report.found:
            raise LimitError("seconds for the tests", used=seconds, limit=seconds)
        # What unittest says last of no tests at all is "OK".
        tail = report.output.strip().rpartition("\n")[2][:200] if report.runner == "pytest" else ""
        raise InputError(f"{_NO_TESTS}: {tail}" if tail else _NO_TESTS)
    return report


def _is_complete(settings: Settings, call: Invocation, value: object) -> bool:
    """Collect the tests once more and count: none may be missing, none may be told twice."""
    if not isinstance(value, dict) or value.get("not_run") != 0:
        return False
    lists = [value.get(name) for name in ("failed", "errors", "walled")]
    numbers = [value.get(name) for name in ("passed", "skipped")]
    ended = sum(len(names) for names in lists if isinstance(names, list))
    ended += sum(number for number in numbers if type(number) is int)
    paths, runner = _inside(call), str(value.get("runner"))
    again = run_project(root_of(call), settings, paths=paths, collect=True, seconds=_seconds(call), runner=runner)
    return 0 < ended == len(again.found) + len(again.broken)


def _fail_again(settings: Settings, call: Invocation, value: object) -> bool:
    """Run them once more, as many as the time allows: what runs has to fail, or where none failed, not to."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    names, seconds = value[:_MOST_CHECKED], min(_seconds(call), _CHECK_SECONDS)
    again = run_project(root_of(call), settings, paths=_inside(call), only=names or None, seconds=seconds)
    failing = set(again.named("failed", "error"))
    ran = {**again.broken, **again.outcomes}.keys()
    if not names:
        return bool(again.outcomes) and not failing
    known = ran & set(names)
    unknown = set(names) - ran
    return bool(known) and known <= failing and (not unknown or again.late)


@tool(
    _INPUT,
    output_schema={"type": "object", "required": ["passed", "failed", "errors", "not_run"]},
    does="run test, run test suite, run suite, run pytest",
    grants=("fs:workspace", "exec"),
    asks=_asked,
    check=_is_complete,
    seconds=LONGEST + 60,
    check_seconds=150.0,
    proves="as many tests ended as a second collection finds",
)
def run_tests(settings: Settings, call: Invocation) -> dict[str, object]:
    """Run all tests of the workspace, or those of some files or directories, and return which failed."""
    report = _report(settings, call)
    return {
        "passed": len(report.named("passed")),
        "failed": report.named("failed"),
        "errors": report.named("error"),
        "skipped": len(report.named("skipped")),
        "walled": report.named("walled"),
        "not_run": report.not_run,
        "runner": report.runner,
        "output": report.output,
    }


@tool(
    _INPUT,
    output_schema={"type": "array", "items": {"type": "string"}},
    does="find failing test, list failing test",
    grants=("fs:workspace", "exec"),
    asks=_asked,
    check=_fail_again,
    seconds=LONGEST + 60,
    check_seconds=150.0,
    proves="those that are run again fail again; where there is none, a second run has none",
)
def find_failing_tests(settings: Settings, call: Invocation) -> list[str]:
    """Find the failing tests of the workspace and return their names."""
    report = _report(settings, call)
    found, walled = report.named("failed", "error"), report.named("walled")
    if report.not_run:
        raise LimitError("tests that did not run in time", used=report.not_run, limit=0, fix='give more "seconds"')
    if walled and not found:
        raise MachineError(
            f"{len(walled)} tests need processes or sockets, which the wall refuses, such as {walled[0]}",
            fix="name the tests that need none",
        )
    return found
