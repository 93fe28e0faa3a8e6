"""What git says, without letting the repository say what is run."""

from __future__ import annotations

import os
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


def test_no_filter_of_the_repository_its_worktree_or_a_submodule_is_run(run: Run, repository: Path) -> None:
    trap, own = repository.parent / "trap", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    trap.write_text(f"#!/bin/sh\ntouch {repository.parent}/sprung\ncat\n")
    trap.chmod(0o755)
    inner = repository / "inner"
    for command in (["init", "-q"], ["commit", "-qm", "Inner", "--allow-empty"]):
        inner.mkdir(exist_ok=True)
        (inner / "b.txt").write_text("b")
        subprocess.run(["git", *own, *command], cwd=inner, check=True)
    subprocess.run(["git", "add", "b.txt"], cwd=inner, check=True)
    subprocess.run(["git", "-c", "advice.addEmbeddedRepo=false", "add", "inner"], cwd=repository, check=True)
    subprocess.run(["git", *own, "commit", "-qm", "Second"], cwd=repository, check=True)
    subprocess.run(["git", "config", "extensions.worktreeConfig", "true"], cwd=repository, check=True)
    for place, option in ((repository, "--local"), (repository, "--worktree"), (inner, "--local")):
        name = option.strip("-")
        subprocess.run(["git", "config", option, f"filter.{name}.clean", str(trap)], cwd=place, check=True)
        with (place / ".git" / "info" / "attributes").open("a") as attributes:
            attributes.write(f"{'a.txt' if name == 'local' else 'src/**'} filter={name}\nb.txt filter={name}\n")
    # Another time with the same size: git has to look at the content.
    for file in (repository / "a.txt", next((repository / "src").rglob("*.py")), inner / "b.txt"):
        os.utime(file, (1, 1))
    assert [one["path"] for one in cast("list[Any]", run("git_status"))] == [".env", "data.json"]
    assert not (repository.parent / "sprung").exists()


def test_f10_a_machine_without_git_says_what_to_type(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="git is not installed") as caught:
        run("git_status")
    assert caught.value.fix == "apt install git"
