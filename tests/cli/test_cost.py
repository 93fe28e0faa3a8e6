"""What a command loads is what it needs: most of its cost is in that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LISTED = (
    "import sys; from mayfly.cli._app import run; run(sys.argv[1:]);"
    "print('loaded', *sorted(name for name in sys.modules if name.partition('.')[0] in"
    " ('mayfly', 'asyncio', 'ssl', 'rich', 'pydantic', 'mypy', 'psycopg')))"
)


def loaded(state: Path, *args: str) -> list[str]:
    """Return what a command has loaded when it ends, the second time it is run."""
    environ = {**os.environ, "MAYFLY_STATE_DIR": str(state), "MAYFLY_DATABASE_URL": ""}
    for _ in range(2):
        command = [sys.executable, "-c", LISTED, *args]
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()[-1].split()[1:]


def among(found: list[str], *unwanted: str) -> list[str]:
    return [name for name in found if name.startswith(unwanted)]


LIBRARIES = ("asyncio", "ssl", "rich", "mypy", "psycopg")


def test_a_known_agent_is_run_without_what_writes_judges_and_proves(tmp_path: Path) -> None:
    log = tmp_path / "names.txt"
    log.write_text("ann\nbob\nann\n")
    found = loaded(tmp_path / "state", "run", "count lines", "--input", str(log), "--json")
    writers = (
        "mayfly.forge._compile",
        "mayfly.forge._loop",
        "mayfly.forge._prompt",
        "mayfly.synthesis.records._",
        "mayfly.models._",
        "mayfly.language._",
    )
    gates = ("mayfly.gates.judge._judge", "mayfly.gates.proof._", "mayfly.gates.types._")
    assert among(found, *LIBRARIES, *writers, *gates, "mayfly.policy", "mayfly.mangle") == []
    assert "mayfly.gates._pipeline" in found


def test_a_route_needs_neither_parser_nor_checks(tmp_path: Path) -> None:
    found = loaded(tmp_path, "route", "fix the bug in auth.py", "--json")
    rules = ("mayfly.mangle._parser", "mayfly.mangle.check", "mayfly.mangle.explain", "mayfly.mangle._ast")
    assert among(found, *LIBRARIES, *rules, "mayfly.gates", "mayfly.sandbox", "mayfly.forge") == []


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["run", "--help"], ["permit", "--help"]])
def test_help_loads_no_rules_no_wall_and_no_store(tmp_path: Path, args: list[str]) -> None:
    unwanted = ("mayfly.policy", "mayfly.sandbox", "mayfly.store", "mayfly.gates", "mayfly.runtime")
    assert among(loaded(tmp_path, *args), *LIBRARIES, *unwanted) == []
