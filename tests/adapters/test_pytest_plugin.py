"""`pytest --mayfly` in a process of its own, on a real project."""

import os
import subprocess
import sys
from pathlib import Path

from .conftest import documented

# What pytest must not do with a module that it only proves.
GOOD = documented("pytest") + "\n\nraise SystemExit('a module is read, never imported')\n"
BAD = '''\
import mayfly


@mayfly.jit(ground=None)
def guess(text: str) -> str:
    """Say what nobody can know from this."""
'''


def run_pytest(project: Path, state: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "MAYFLY_STATE_DIR": str(state), "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "mayfly.adapters.pytest_plugin", "-q", "-rA", *args]
    return subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, timeout=250)


def test_every_function_is_a_test_and_passes_once_proven(tmp_path: Path, state: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "shapes.py").write_text(GOOD)
    (project / "guesses.py").write_text(BAD)
    (project / "broken.py").write_text("jit = (\n")
    ran = run_pytest(project, state, "--mayfly")
    assert "PASSED shapes.py::jit:area" in ran.stdout, ran.stdout + ran.stderr
    assert "proof " in ran.stdout
    assert "FAILED guesses.py::jit:guess" in ran.stdout
    assert "Traceback" not in ran.stdout
    again = run_pytest(project, state, "--mayfly")
    assert again.stdout.count("PASSED shapes.py::jit:area") == 1, "what is remembered is proven by its tests again"


def test_without_the_option_nothing_is_collected_or_loaded(tmp_path: Path, state: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_it.py").write_text(
        "import sys\n\ndef test_x():\n    assert not {'mayfly.runtime', 'mayfly.core'} & set(sys.modules)\n"
    )
    (project / "guesses.py").write_text(BAD)
    ran = run_pytest(project, state)
    assert "1 passed" in ran.stdout, ran.stdout
