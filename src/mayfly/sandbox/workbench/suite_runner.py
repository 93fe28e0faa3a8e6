"""Run the tests of a project with its own interpreter: with pytest where it is installed, else with unittest.

It runs on the workbench, in the project, and imports nothing of ours. Every step is written to a journal as it happens,
so that what a crash leaves behind is known up to the test that crashed.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
import sys
import threading
import time
import traceback
import unittest
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

_PYTEST = re.compile(r"^(?:async )?def test|^\s*(?:import|from) pytest\b", re.MULTILINE)

if TYPE_CHECKING:
    Failure = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class Journal:
    """Write down what happens, one line of JSON each, and end the process when one test takes too long."""

    def __init__(self, path: str, seconds: float) -> None:
        self._file = open(path, "a", encoding="utf-8")  # noqa: SIM115
        self._seconds = seconds
        self._ends: float | None = None
        self.seen = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def note(self, event: str, **fields: object) -> None:
        """Write one line."""
        self.seen += 1
        self._file.write(json.dumps({"event": event, **fields}) + "\n")
        self._file.flush()

    def begin(self, name: str) -> None:
        """Note that a test begins."""
        self.note("begin", name=name)
        self._ends = time.monotonic() + self._seconds

    def end(self, name: str, outcome: str) -> None:
        """Note how a test ended."""
        self._ends = None
        self.note("end", name=name, outcome=outcome)

    def _watch(self) -> None:
        while True:
            time.sleep(0.2)
            ends = self._ends
            if ends is not None and time.monotonic() > ends:
                self.note("late")
                os._exit(75)


def run_suite(argument: dict[str, Any]) -> str:
    """Run the tests, or collect them only; return which runner did it."""
    project = os.getcwd()
    sys.dont_write_bytecode = True
    sys.path[:0] = [path for path in (project, os.path.join(project, "src")) if os.path.isdir(path)]
    journal = Journal(os.path.join(project, argument["journal"]), argument["seconds"])
    try:
        pytest = importlib.import_module("pytest") if argument["runner"] != "unittest" else None
    except ImportError:
        pytest = None
    name = "unittest" if pytest is None else "pytest"
    if pytest is None and argument["runner"] != "unittest" and _is_for_pytest(project):
        # unittest would pass over such tests, find none, and say OK.
        journal.note("missing", name="pytest")
        return "pytest"
    journal.note("runner", name=name)
    journal.seen = 0
    if pytest is None:
        _with_unittest(argument, journal)
    else:
        _with_pytest(pytest, argument, journal)
    return name


def _is_for_pytest(project: str) -> bool:
    """Say whether some test of the project can only be run by pytest: it is a plain function, or imports it."""
    for place, _, names in os.walk(project):
        for name in names:
            if name.endswith(".py") and (name.startswith(("test_", "conftest.")) or name.endswith("_test.py")):
                with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                    if _PYTEST.search(file.read()):
                        return True
    return False


def _wanted(argument: dict[str, Any]) -> Callable[[str], bool]:
    done, only = frozenset(argument["done"]), argument["only"]
    chosen = None if only is None else frozenset(only)
    return lambda name: name not in done and (chosen is None or name in chosen)


def _walled(error: BaseException | None) -> bool:
    """Say whether the kernel refused something: a process, a socket. That is the wall, not the project."""
    for _ in range(10):
        if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.ENOSYS):
            return True
        error = None if error is None else error.__cause__ or error.__context__
    return False


class Plugin:
    """Tell the journal what pytest does."""

    def __init__(self, argument: dict[str, Any], journal: Journal) -> None:
        self._wanted = _wanted(argument)
        self._journal = journal
        self._outcome = "passed"
        self._stopped: set[str] = set()

    def pytest_collection_finish(self, session: Any) -> None:
        """Leave out what has run already; what the project's own options deselect is gone by now."""
        self._journal.note("collected", names=[item.nodeid for item in session.items])
        session.items[:] = [item for item in session.items if self._wanted(item.nodeid)]

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        """Remember what the wall stopped."""
        if _walled(call.excinfo.value):
            self._stopped.add(node.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot even be collected."""
        if report.failed:
            self._journal.note("broken", name=report.nodeid, walled=report.nodeid in self._stopped)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self._outcome = "passed"
        self._journal.begin(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the worst of the phases of a test."""
        if report.failed:
            self._outcome = "failed" if report.when == "call" and self._outcome != "error" else "error"
        elif report.skipped and self._outcome == "passed":
            self._outcome = "skipped"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """End a test."""
        failed = self._outcome in ("failed", "error")
        self._journal.end(nodeid, "walled" if failed and nodeid in self._stopped else self._outcome)


def _with_pytest(pytest: Any, argument: dict[str, Any], journal: Journal) -> None:
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--rootdir=."]
    options += ["--collect-only"] if argument["collect"] else []
    paths = argument["paths"]
    code = int(pytest.main([*options, *paths], plugins=[Plugin(argument, journal)]))
    if code in (3, 4) and not journal.seen:
        # Options of the project's own settings may belong to plugins that are not here.
        code = int(pytest.main([*options, "-o", "addopts=", *paths], plugins=[Plugin(argument, journal)]))
    journal.note("over", code=code)


class Result(unittest.TextTestResult):
    """Tell the journal what unittest does."""

    journal: Journal

    def startTest(self, test: unittest.TestCase) -> None:
        """Begin a test."""
        super().startTest(test)
        self._outcome = "passed"
        self.journal.begin(test.id())

    def stopTest(self, test: unittest.TestCase) -> None:
        """End a test."""
        super().stopTest(test)
        self.journal.end(test.id(), self._outcome)

    def addFailure(self, test: unittest.TestCase, err: Failure) -> None:
        """Note a failure."""
        super().addFailure(test, err)
        self._outcome = "failed"

    def addError(self, test: unittest.TestCase, err: Failure) -> None:
        """Note an error; what fails before any test of a class has no test of its own."""
        super().addError(test, err)
        self._outcome = "walled" if _walled(err[1]) else "error"
        if not isinstance(test, unittest.TestCase):
            self.journal.note("broken", name=str(test), walled=_walled(err[1]))

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Failure | None) -> None:
        """Count a part that failed as the whole test failing."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._outcome = "failed"

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        """Note a test that was left out."""
        super().addSkip(test, reason)
        self._outcome = "skipped"

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        """Count a success that was said to be impossible as a failure."""
        super().addUnexpectedSuccess(test)
        self._outcome = "failed"


def _result(stream: Any, descriptions: bool, verbosity: int) -> Result:
    return Result(stream, descriptions, verbosity)


def _with_unittest(argument: dict[str, Any], journal: Journal) -> None:
    wanted = _wanted(argument)
    tests = list(_cases(_discovered(argument["paths"])))
    journal.note("collected", names=[test.id() for test in tests])
    if not argument["collect"]:
        Result.journal = journal
        suite = unittest.TestSuite(test for test in tests if wanted(test.id()))
        unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=_result).run(suite)
    journal.note("over", code=0)


def _discovered(paths: list[str]) -> unittest.TestSuite:
    suite = unittest.TestSuite()
    for path in paths or _places():
        # A loader keeps the top directory of its first search, so each search has its own.
        loader = unittest.TestLoader()
        try:
            if os.path.isdir(path):
                top = None if path == "." or not os.path.exists(os.path.join(path, "__init__.py")) else "."
                suite.addTests(loader.discover(path, top_level_dir=top))
            else:
                name = path.removesuffix(".py").replace("/", ".")
                suite.addTests(loader.loadTestsFromName(name))
        except Exception:
            traceback.print_exc(file=sys.stdout)
    return suite


def _places() -> list[str]:
    """Return where tests lie: the directories that projects use, and the top for what lies there."""
    return ["."] + [name for name in ("tests", "test") if os.path.isdir(name) and not _is_package(name)]


def _is_package(name: str) -> bool:
    return os.path.exists(os.path.join(name, "__init__.py"))


def _cases(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _cases(test)
        else:
            yield test


if __name__ == "__main__":
    run_suite(json.load(sys.stdin))
