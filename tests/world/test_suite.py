"""The tests of a project, run behind the wall."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from mayfly.core import InputError, MachineError, Settings, WorkbenchSettings
from mayfly.sandbox.workbench import Workbench, _suite
from mayfly.world import run_project

from .conftest import Checks, Run

PYTEST = """
import os, pathlib, subprocess, sys
import pytest

def test_good(tmp_path):
    (tmp_path / "x").write_text("x")

def test_bad():
    assert 1 == 2

@pytest.fixture
def broken():
    raise RuntimeError("no")

def test_of_a_broken_fixture(broken):
    pass

@pytest.mark.skip
def test_left_out():
    pass

def test_with_a_process():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_that_writes():
    pathlib.Path("a.txt").write_text("changed")
"""
UNITTEST = """
import unittest

class Case(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    def test_wrong(self): raise ValueError
    @unittest.skip("no")
    def test_left_out(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number):
                self.assertNotEqual(number, 1)
"""
CRASHING = """
import ctypes, os, time

def test_a(): pass
def test_dies(): ctypes.string_at(0)
def test_exits(): os._exit(0)
def test_hangs():
    while True: pass
def test_z(): assert 0
"""


@pytest.fixture(autouse=True)
def small(workspace: Path) -> None:
    shutil.rmtree(workspace / "src")


def put(workspace: Path, name: str, text: str) -> None:
    (workspace / name).parent.mkdir(parents=True, exist_ok=True)
    (workspace / name).write_text(text)


def test_a_project_is_tested_and_nothing_in_it_changes(run: Run, workspace: Path) -> None:
    put(workspace, "tests/test_it.py", PYTEST)
    value = run("run_tests")
    assert isinstance(value, dict)
    assert "test_bad" in str(value.pop("output"))
    assert value == {
        "passed": 3,
        "failed": ["tests/test_it.py::test_bad"],
        "errors": ["tests/test_it.py::test_of_a_broken_fixture"],
        "skipped": 1,
        "walled": [],
        "not_run": 0,
        "runner": "pytest",
    }
    assert (workspace / "a.txt").read_text() == "one\ntwo\nthree"
    assert sorted(path.name for path in workspace.rglob("*")) == [".env", "a.txt", "data.json", "test_it.py", "tests"]


def test_failing_tests_are_found_and_fail_again(run: Run, workspace: Path) -> None:
    put(workspace, "test_it.py", "def test_a(): assert 0\ndef test_b(): pass\n")
    put(workspace, "test_broken.py", "import there_is_no_such_module\n")
    assert run("find_failing_tests") == ["test_broken.py", "test_it.py::test_a"]


def test_a_project_in_src_is_found_and_foreign_options_do_no_harm(run: Run, workspace: Path) -> None:
    put(workspace, "src/package_of_ours/__init__.py", "VALUE = 3\n")
    put(workspace, "tests/test_it.py", "from package_of_ours import VALUE\ndef test_it(): assert VALUE == 3\n")
    put(workspace, "pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--no-such-option"\n')
    assert run("find_failing_tests") == []


def test_what_the_projects_own_options_deselect_is_not_missed(run: Run, workspace: Path) -> None:
    put(workspace, "tests/test_it.py", "def test_fast(): pass\ndef test_slow(): assert 0\n")
    put(workspace, "pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-k fast"\n')
    assert run("find_failing_tests") == []


def test_one_test_can_be_named(run: Run, workspace: Path) -> None:
    put(workspace, "tests/test_it.py", "def test_a(): assert 0\ndef test_b(): pass\n")
    value = run("run_tests", {"paths": ["tests/test_it.py::test_b"], "seconds": 60})
    assert isinstance(value, dict)
    assert (value["passed"], value["failed"]) == (1, [])


def test_tests_that_crash_or_hang_are_errors_and_the_others_still_run(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_suite, "_EACH", 3.0)
    put(workspace, "test_it.py", CRASHING)
    value = run("run_tests")
    assert isinstance(value, dict)
    assert value["errors"] == [f"test_it.py::test_{name}" for name in ("dies", "exits", "hangs")]
    assert (value["passed"], value["failed"], value["not_run"]) == (1, ["test_it.py::test_z"], 0)


@pytest.mark.parametrize("level", ["best", "landlock"])
def test_unittest_serves_where_there_is_no_pytest(workspace: Path, level: str) -> None:
    put(workspace, "tests/test_it.py", UNITTEST)
    put(workspace, "test_top.py", "import unittest\nclass Top(unittest.TestCase):\n    def test_top(self): pass\n")
    put(workspace, "test_broken.py", "import there_is_no_such_module\n")
    settings = Settings(workbench=WorkbenchSettings(level=level))
    report = run_project(str(workspace), settings, runner="unittest")
    assert report.runner == "unittest"
    assert report.named("passed") == ["test_it.Case.test_good", "test_top.Top.test_top"]
    assert report.named("failed") == ["test_it.Case.test_bad", "test_it.Case.test_parts"]
    assert report.named("error") == ["test_it.Case.test_wrong", "unittest.loader._FailedTest.test_broken"]
    assert (report.named("skipped"), report.not_run) == (["test_it.Case.test_left_out"], 0)


def test_the_network_and_the_secrets_of_the_workspace_are_not_there(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    put(
        workspace,
        "test_it.py",
        "import os, socket, pytest\n"
        "def test_files(): assert 'secret' not in open('.env').read()\n"
        "def test_network():\n"
        "    with pytest.raises(OSError): socket.create_connection(('127.0.0.1', 80))\n"
        "def test_environment(): assert not [name for name in os.environ if 'TOKEN' in name or 'MAYFLY' in name]\n",
    )
    assert run("find_failing_tests") == []


def test_where_the_wall_stops_all_that_fails_nothing_is_claimed(run: Run, workspace: Path) -> None:
    put(workspace, "test_it.py", "import os\ndef test_root(): os.chroot('.')\n")
    with pytest.raises(MachineError, match="1 tests need processes or sockets"):
        run("find_failing_tests")


def test_no_tests_are_an_error_and_no_success(run: Run) -> None:
    with pytest.raises(InputError, match="no tests were found"):
        run("run_tests")


@pytest.mark.parametrize(
    "argument", [{"paths": ["../x"]}, {"paths": ["--help"]}, {"seconds": 0}, {"seconds": 10_000}, {"paths": [1]}]
)
def test_a_wrong_argument_runs_nothing(run: Run, argument: object) -> None:
    with pytest.raises(InputError):
        run("run_tests", argument)


def test_a_machine_without_a_wall_runs_nothing(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(workspace, "test_it.py", "def test_a(): pass\n")

    def refuse(*_: object, **__: object) -> None:
        raise MachineError("the workbench cannot run here: none")

    monkeypatch.setattr(Workbench, "run", refuse)
    with pytest.raises(MachineError, match="the workbench cannot run here"):
        run("run_tests")


def test_the_projects_own_interpreter_runs_its_tests(run: Run, workspace: Path) -> None:
    put(workspace, ".venv/bin/python", f'#!/bin/sh\nOWN=yes exec {sys.executable} "$@"\n')
    (workspace / ".venv/bin/python").chmod(0o755)
    put(workspace, "test_it.py", "import os\ndef test_a(): assert os.environ['OWN'] == 'yes'\n")
    assert run("find_failing_tests") == []


def test_results_that_do_not_add_up_are_not_accepted(checks: Checks, workspace: Path) -> None:
    put(workspace, "test_it.py", "def test_a(): assert 0\ndef test_b(): pass\n")
    value = {"passed": 1, "skipped": 0, "failed": ["test_it.py::test_a"], "errors": [], "walled": [], "not_run": 0}
    assert checks("run_tests", {}, {**value, "passed": 2}) is False
    assert checks("run_tests", {}, {**value, "not_run": 1}) is False
    assert checks("find_failing_tests", {}, ["test_it.py::test_b"]) is False
    assert checks("find_failing_tests", {}, []) is False


def test_a_journal_that_is_no_journal_is_not_believed(workspace: Path, tmp_path: Path) -> None:
    noise = b'\xff\n[1]\n{"event": "end", "name": 3, "outcome": "splendid"}\n{"event"'
    with Workbench(workspace, state=tmp_path / "state") as bench:
        ran = bench.run("mkfifo pipe; ln -s /etc/passwd link; ln -s pipe .mayfly-tests.jsonl")
        for step in ({}, {".mayfly-tests.jsonl": None}, {".mayfly-tests.jsonl": noise}):
            bench.write(step)
            report = _suite.SuiteReport()
            _suite._read(bench, report, ran)
            assert (report.outcomes, report.broken, report.found) == ({}, {}, [])


# A project's own module of that name comes first on the path: behind the wall it is as if there were no pytest.
NO_PYTEST = "raise ImportError(\"No module named 'pytest'\")\n"


@pytest.mark.parametrize(
    "text", ["def test_good(): assert True\n", "async def test_good(): pass\n", "import pytest\nclass TestIt: pass\n"]
)
def test_f10_tests_for_a_pytest_that_is_missing_are_an_error_that_says_what_to_type(
    run: Run, workspace: Path, text: str
) -> None:
    put(workspace, "pytest.py", NO_PYTEST)
    put(workspace, "test_it.py", text)
    with pytest.raises(MachineError, match=r"pytest is not installed: .* written for it") as caught:
        run("run_tests")
    assert caught.value.fix == "python -m pip install pytest"


def test_f10_some_tests_for_unittest_do_not_hide_that_the_others_cannot_run(run: Run, workspace: Path) -> None:
    put(workspace, "pytest.py", NO_PYTEST)
    put(workspace, "test_one.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n")
    put(workspace, "test_two.py", "def test_b(): assert False\n")
    with pytest.raises(MachineError, match="pytest is not installed"):
        run("find_failing_tests")


def test_f10_tests_for_unittest_alone_run_without_pytest(run: Run, workspace: Path) -> None:
    put(workspace, "pytest.py", NO_PYTEST)
    put(workspace, "test_one.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n")
    assert run("find_failing_tests") == []


def test_f10_no_tests_at_all_are_not_called_ok(run: Run, workspace: Path) -> None:
    put(workspace, "pytest.py", NO_PYTEST)
    with pytest.raises(InputError, match=r"no tests were found in the workspace$"):
        run("run_tests")
