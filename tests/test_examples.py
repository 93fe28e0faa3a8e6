"""The small projects in examples/: what their pages say is typed is typed, in a copy, and prints what they say."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_docs import BLOCK, shape, steps

EXAMPLES = Path(__file__).parents[1] / "examples"
PROJECTS = sorted(path.parent for path in EXAMPLES.glob("*/README.md"))


def test_there_are_five() -> None:
    assert len(PROJECTS) == 5


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_project_does_what_its_page_says(project: Path, tmp_path: Path, state: Path) -> None:
    here, programs = tmp_path / "project", tmp_path / "bin"
    shutil.copytree(project, here)
    programs.mkdir()
    for name, words in {"mayfly": "-m mayfly.cli ", "python": ""}.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n')
        program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
    env = {**kept, "MAYFLY_STATE_DIR": str(state), "PATH": f"{programs}:{os.environ['PATH']}"}
    [(language, block)] = BLOCK.findall((here / "README.md").read_text(encoding="utf-8"))
    assert language == "console"
    for command, shown in steps(block):
        ran = subprocess.run(command, shell=True, cwd=here, env=env, capture_output=True, text=True, timeout=250)
        assert ran.returncode == 0, ran.stderr
        assert shape(ran.stdout) == shape(shown), ran.stderr


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_its_page_is_short(project: Path) -> None:
    assert len((project / "README.md").read_text(encoding="utf-8").splitlines()) <= 30
