"""The tests of the workspace: run, and the failing ones found; never on the host itself."""

from __future__ import annotations

import shlex
from functools import partial
from typing import NamedTuple

from mayfly.core import InputError, LimitError, MachineError, SandboxSettings
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import Fields, fields_of, number_of, said, text_of
from mayfly.library.builtin._paths import inside, root_of
from mayfly.library.builtin._project import LONGEST, SECONDS, Report, run_project

_MOST_PATHS = 1_000
_MOST_CHECKED = 50
# A test of a value is not to take longer than what it tests.
_CHECK_SECONDS = 60.0
_FAILING = ("fail", "broke", "break", "crash", "error", "red", "not", "wrong")
_NO_TESTS = "no tests were found in the workspace"


def suite_builtins(settings: SandboxSettings) -> tuple[Builtin, ...]:
    """Return the capabilities that run the project's tests."""
    return (
        Builtin(
            name="run_tests",
            description=(
                "Run pytest, all tests or the test suite of the workspace or of one file or directory, "
                "and return which failed."
            ),
            call=partial(_run, settings),
            action="run_tests",
            target=_command,
            check=partial(_is_complete, settings),
            check_seconds=150.0,
            proves="as many tests ended as a second collection finds",
        ),
        Builtin(
            name="find_failing_tests",
            description="Find the failing tests of the workspace and return their names.",
            call=partial(_failing, settings),
            action="run_tests",
            target=_command,
            check=partial(_fail_again, settings),
            check_seconds=150.0,
            proves="those that are run again fail again; where there is none, a second run has none",
        ),
    )


class _Wanted(NamedTuple):
    paths: list[str]
    seconds: float


def _asked(invocation: Invocation) -> Fields:
    found = [token.text for token in said(invocation) if token.kind == "path"]
    return {"path": found} if found else {}


def _wanted(invocation: Invocation) -> _Wanted:
    fields = fields_of(invocation, main="path", others=("seconds",), asked=_asked)
    given = fields.get("path", [])
    paths = given if isinstance(given, list) else [given]
    if len(paths) > _MOST_PATHS:
        raise LimitError("paths of tests", used=len(paths), limit=_MOST_PATHS)
    return _Wanted([_path(path) for path in paths], number_of(fields, "seconds", default=SECONDS, most=LONGEST))


def _path(path: object) -> str:
    text = text_of({"path": path}, "path")
    if text.startswith("-"):
        raise InputError(f"{text[:80]!r} is not a path", fix="name a file or directory of tests")
    return text


def _inside(invocation: Invocation) -> _Wanted:
    """Return the paths as the runner takes them, each with the name of a test after `::` where there is one."""
    wanted, root = _wanted(invocation), root_of(invocation)
    parted = [path.partition("::") for path in wanted.paths]
    return wanted._replace(paths=[inside(root, place or ".") + mark + name for place, mark, name in parted])


def _command(invocation: Invocation) -> str:
    """Return what is done as the command it stands for, which is what the rules know how to read."""
    return shlex.join(["python", "-m", "pytest", *_wanted(invocation).paths])


def _report(settings: SandboxSettings, invocation: Invocation) -> Report:
    wanted = _inside(invocation)
    report = run_project(root_of(invocation), settings, paths=wanted.paths, seconds=wanted.seconds)
    if not report.outcomes and not report.broken:
        if report.collected:
            raise LimitError("seconds for the tests", used=wanted.seconds, limit=wanted.seconds)
        tail = report.output.strip().rpartition("\n")[2][:200]
        raise InputError(f"{_NO_TESTS}: {tail}" if tail else _NO_TESTS)
    return report


def _run(settings: SandboxSettings, invocation: Invocation) -> dict[str, object]:
    report = _report(settings, invocation)
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


def _is_complete(settings: SandboxSettings, invocation: Invocation, value: object) -> bool:
    """Collect the tests once more and count: none may be missing, none may be told twice."""
    if not isinstance(value, dict) or value.get("not_run") != 0:
        return False
    lists = [value.get(name) for name in ("failed", "errors", "walled")]
    numbers = [value.get(name) for name in ("passed", "skipped")]
    ended = sum(len(names) for names in lists if isinstance(names, list))
    ended += sum(number for number in numbers if type(number) is int)
    wanted = _inside(invocation)
    root = root_of(invocation)
    runner = str(value.get("runner"))
    again = run_project(root, settings, paths=wanted.paths, collect=True, seconds=wanted.seconds, runner=runner)
    return 0 < ended == again.collected + len(again.broken)


def _failing(settings: SandboxSettings, invocation: Invocation) -> list[str]:
    words = [token.plain for token in said(invocation)]
    if {"test", "tests"} & set(words) and not any(word.startswith(_FAILING) for word in words):
        raise InputError("only failing tests are found, and the intent does not ask for them")
    report = _report(settings, invocation)
    found, walled = report.named("failed", "error"), report.named("walled")
    if report.not_run:
        raise LimitError("tests that did not run in time", used=report.not_run, limit=0, fix='give more "seconds"')
    if walled and not found:
        raise MachineError(
            f"{len(walled)} tests need processes or sockets, which the wall refuses, such as {walled[0]}",
            fix="name the tests that need none",
        )
    return found


def _fail_again(settings: SandboxSettings, invocation: Invocation, value: object) -> bool:
    """Run them once more, as many as the time allows: what runs has to fail, or where none failed, not to."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    wanted, names = _inside(invocation), value[:_MOST_CHECKED]
    seconds = min(wanted.seconds, _CHECK_SECONDS)
    again = run_project(root_of(invocation), settings, paths=wanted.paths, only=names or None, seconds=seconds)
    failing = set(again.named("failed", "error"))
    ran = {**again.broken, **again.outcomes}.keys()
    if not names:
        return bool(again.outcomes) and not failing
    known = ran & set(names)
    unknown = set(names) - ran
    return bool(known) and known <= failing and (not unknown or again.late)
