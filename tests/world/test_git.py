"""What git says, without letting the repository say what is run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from mayfly.core import InputError, MachineError

from .conftest import Run


@pytest.fixture
def repository(workspace: Path) -> Path:
    for command in (
        ["init", "-q"],
        ["add", "a.txt", "src"],
        ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "First"],
    ):
        subprocess.run(["git", *command], cwd=workspace, check=True)
    return workspace


def test_changed_and_new_files_are_listed(run: Run, repository: Path) -> None:
    (repository / "a.txt").write_text("changed")
    assert run("git_status") == [
        {"change": "M", "path": "a.txt"},
        {"change": "??", "path": ".env"},
        {"change": "??", "path": "data.json"},
    ]


def test_the_last_commits_are_listed(run: Run, repository: Path) -> None:
    commit: Any
    (commit,) = cast("list[Any]", run("git_log", {"count": 5}))
    assert (commit["author"], commit["subject"]) == ("Ada", "First")


def test_a_directory_without_a_repository_is_one_clear_error(run: Run) -> None:
    with pytest.raises(InputError, match="not a git repository"):
        run("git_status")


def test_no_program_that_the_repository_names_is_run(run: Run, repository: Path) -> None:
    trap = repository.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repository.parent}/sprung\n")
    trap.chmod(0o755)
    with (repository / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n[diff]\n\texternal = {trap}\n")
    run("git_status")
    run("git_log")
    assert not (repository.parent / "sprung").exists()


def test_f10_a_machine_without_git_says_what_to_type(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="git is not installed") as caught:
        run("git_status")
    assert caught.value.fix == "apt install git"
