"""The branch of a workspace, without running git and without following anybody's links."""

import os
from pathlib import Path

import pytest

from mayfly.policy.kernel import Kernel, Rulebook
from mayfly.policy.kernel._branch import Branch


@pytest.fixture
def head(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    path = tmp_path / ".git" / "HEAD"
    path.write_text("ref: refs/heads/feature/x\n")
    return path


def test_the_branch_is_read(head: Path) -> None:
    assert Branch(str(head.parents[1])).name() == "feature/x"


def test_another_branch_is_noticed(head: Path) -> None:
    branch = Branch(str(head.parents[1]))
    assert branch.name() == "feature/x"
    new = head.with_name("HEAD.lock")
    new.write_text("ref: refs/heads/main\n")
    new.replace(head)
    assert branch.name() == "main"


@pytest.mark.parametrize(
    "text",
    ["", "0123456789abcdef0123456789abcdef01234567\n", "ref: refs/heads/\n", 'ref: refs/heads/x")\nz', "x" * 5000],
)
def test_anything_else_is_no_branch(head: Path, text: str) -> None:
    head.write_text(text)
    assert Branch(str(head.parents[1])).name() is None


def test_a_workspace_without_git_has_no_branch(tmp_path: Path) -> None:
    assert Branch(str(tmp_path)).name() is None


def test_no_link_is_followed(head: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").symlink_to(head.parent)
    assert Branch(str(other)).name() is None
    head.rename(head.with_name("REAL"))
    head.symlink_to("REAL")
    assert Branch(str(tmp_path)).name() is None


def test_a_pipe_does_not_hold_the_decision_up(head: Path) -> None:
    head.unlink()
    os.mkfifo(head)
    assert Branch(str(head.parents[1])).name() is None


def test_the_rules_know_the_branch(head: Path) -> None:
    kernel = Kernel(Rulebook().snapshot, workspace=head.parents[1], persona="coder")
    assert kernel.permitted("git_commit", "", "add a thing").allowed
    head.write_text("ref: refs/heads/main\n")
    assert kernel.permitted("git_commit", "", "add a thing").because == ("no commits on main: make a branch first",)


def test_what_the_session_says_of_the_branch_counts(head: Path) -> None:
    kernel = Kernel(
        Rulebook().snapshot, workspace=head.parents[1], persona="coder", session=['git_branch("production")']
    )
    assert not kernel.permitted("git_commit", "", "add a thing").allowed
