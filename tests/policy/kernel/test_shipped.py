"""The kernel and the shipped rules together: the walks that people take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.policy import Appeals, Kernel, Rulebook
from mayfly.store import Ledger, Seal
from mayfly.testing import FakeClock

from .conftest import SECOND

Write = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return Rulebook()


def test_nobody_in_particular_may_ask_and_read(rulebook: Rulebook, workspace: Path) -> None:
    kernel = Kernel(rulebook.snapshot, workspace=workspace)
    assert kernel.permitted("ask_user", "May I?").allowed
    assert kernel.permitted("file_read", "src/a.py").allowed


@pytest.mark.parametrize(
    ("action", "target", "payload"),
    [
        ("run_arbitrary_command", "rm -rf /", ""),
        ("run_code", "x", '{"cmd": ["rm", "-rf", "/"]}'),
        ("system_modify", "rm -rf --no-preserve-root /", ""),
        ("file_write", "/etc/passwd", "x"),
        ("file_write", "../x", "x"),
        ("file_read", "~root/.ssh/id_rsa", ""),
        ("web_fetch", "http://169.254.169.254/", ""),
        ("web_fetch", "http://2130706433/", ""),
        ("an_action_of_no_name", "x", ""),
    ],
)
def test_harm_is_denied_to_everybody(
    rulebook: Rulebook, workspace: Path, action: str, target: str, payload: str
) -> None:
    assert not Kernel(rulebook.snapshot, workspace=workspace).permitted(action, target, payload).allowed


def test_a_push_waits_for_an_approval_and_gets_it(
    rulebook: Rulebook, workspace: Path, ledger: Ledger, clock: FakeClock[int], tmp_path: Path
) -> None:
    appeals = Appeals(ledger, Seal.open(tmp_path / "state"), clock=clock)
    kernel = Kernel(rulebook.snapshot, workspace=workspace, ledger=ledger, appeals=appeals, clock=clock)
    asked = kernel.permitted("git_push", "origin main")
    assert asked.decision == "approval"
    appeals.appeal(asked.id, by="operator", reason="reviewed", ttl=60)
    assert kernel.permitted("git_push", "origin main").allowed
    clock.forward(61 * SECOND)
    assert not kernel.permitted("git_push", "origin main").allowed


def test_a_file_that_speaks_against_asking_is_refused_though_nobody_would_listen(write: Write) -> None:
    book = Rulebook(
        extra=[write("rules/silent.mg", 'policy_denies(Id, "no") :- pending_action(Id, /ask_user, _, _, _).')]
    )
    assert "against asking the user" in str(book.snapshot.problems[0])


def test_a_kernel_alone_decides_by_the_shipped_rules(workspace: Path) -> None:
    assert Kernel(workspace=workspace).permitted("file_read", "src/a.py").allowed


def test_a_new_persona_is_one_rule(write: Write, workspace: Path) -> None:
    rule = "persona(/poet) :- user_intent(_, _, /rhyme, _, _).\n"
    book = Rulebook(extra=[write("rules/poet.mg", rule)])
    kernel = Kernel(book.snapshot, workspace=workspace)
    assert not book.snapshot.problems
    assert kernel.route(['user_intent("i", /command, /rhyme, "a poem", /none)']).personas == ("poet",)


def test_a_policy_of_one_agent_leaves_the_others_alone(write: Write, workspace: Path) -> None:
    text = 'policy_denies(Id, "hands off") :- pending_action(Id, /file_write, _, _, _).\n'
    book = Rulebook(policies=[write("policies/hands_off.mg", text)])
    bound = Kernel(book.snapshot, workspace=workspace, policies=["hands_off.mg"], session=["granted_tool(/file_write)"])
    free = Kernel(book.snapshot, workspace=workspace, session=["granted_tool(/file_write)"])
    assert bound.permitted("file_write", "a.py", "x").because == ("hands off",)
    assert free.permitted("file_write", "a.py", "x").allowed


def test_a_file_cannot_open_what_the_shipped_rules_close(write: Write, workspace: Path) -> None:
    text = "policy_allows(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _).\n"
    kernel = Kernel(Rulebook(extra=[write("rules/open.mg", text)]).snapshot, workspace=workspace)
    for action, target in [("run_code", "rm -rf /"), ("file_write", "/etc/passwd"), ("git_push", "origin main")]:
        assert not kernel.permitted(action, target).allowed
