"""An approval is for exactly one action, signed, and for a time."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.policy import Appeals, Kernel, Review, Snapshot
from mayfly.policy.kernel._events import PolicyOverridden
from mayfly.store import Ledger, Seal
from mayfly.testing import FakeClock

from .conftest import SECOND


@pytest.fixture
def key(tmp_path: Path) -> Seal:
    return Seal.open(tmp_path / "state")


@pytest.fixture
def appeals(ledger: Ledger, key: Seal, clock: FakeClock[int]) -> Appeals:
    return Appeals(ledger, key, clock=clock)


def kernel_for(
    snapshot: Snapshot,
    ledger: Ledger,
    workspace: Path,
    appeals: Appeals,
    clock: FakeClock[int],
    persona: str = "mender",
) -> Kernel:
    return Kernel(snapshot, ledger=ledger, workspace=workspace, persona=persona, appeals=appeals, clock=clock)


@pytest.fixture
def kernel(snapshot: Snapshot, ledger: Ledger, workspace: Path, appeals: Appeals, clock: FakeClock[int]) -> Kernel:
    return kernel_for(snapshot, ledger, workspace, appeals, clock)


def approve(kernel: Kernel, appeals: Appeals, target: str = "ls", payload: str = "", ttl: float = 60) -> None:
    asked = kernel.permitted("shell_exec", target, payload)
    assert asked.decision == "approval"
    appeals.appeal(asked.id, by="operator", reason="it is needed", ttl=ttl)


def test_what_was_approved_is_permitted(kernel: Kernel, appeals: Appeals) -> None:
    approve(kernel, appeals)
    permit = kernel.permitted("shell_exec", "ls")
    assert permit.decision == "permit"
    assert permit.because[0] == "approved by operator"


@pytest.mark.parametrize(("action", "target", "payload"), [("shell_exec", "ls -a", ""), ("shell_exec", "ls", "x")])
def test_another_action_is_not_approved_by_it(
    kernel: Kernel, appeals: Appeals, action: str, target: str, payload: str
) -> None:
    approve(kernel, appeals)
    assert kernel.permitted(action, target, payload).decision == "approval"


def test_another_persona_is_not_approved_by_it(
    kernel: Kernel, appeals: Appeals, snapshot: Snapshot, ledger: Ledger, workspace: Path, clock: FakeClock[int]
) -> None:
    approve(kernel, appeals)
    other = kernel_for(snapshot, ledger, workspace, appeals, clock, persona="other")
    assert other.permitted("shell_exec", "ls").decision == "approval"


def test_the_same_words_in_another_workspace_are_not_approved(
    kernel: Kernel, appeals: Appeals, snapshot: Snapshot, ledger: Ledger, tmp_path: Path, clock: FakeClock[int]
) -> None:
    approve(kernel, appeals)
    other = kernel_for(snapshot, ledger, tmp_path / "elsewhere", appeals, clock)
    assert other.permitted("shell_exec", "ls").decision == "approval"


def test_an_approval_expires(kernel: Kernel, appeals: Appeals, clock: FakeClock[int]) -> None:
    approve(kernel, appeals, ttl=60)
    clock.forward(60 * SECOND)
    permit = kernel.permitted("shell_exec", "ls")
    assert permit.decision == "approval"
    assert any(reason.endswith("has expired") for reason in permit.because)


def test_a_refusal_cannot_be_appealed(kernel: Kernel, appeals: Appeals) -> None:
    refused = kernel.permitted("shell_exec", "rm -rf /")
    with pytest.raises(InputError, match="refused, which no approval changes"):
        appeals.appeal(refused.id, by="operator", reason="please", ttl=60)


def test_an_approval_does_not_help_where_something_is_refused(
    kernel: Kernel, appeals: Appeals, ledger: Ledger, key: Seal
) -> None:
    asked = kernel.permitted("shell_exec", "rm -rf /")
    approved = kernel.permitted("shell_exec", "ls")
    appeals.appeal(approved.id, by="operator", reason="x", ttl=60)
    assert kernel.permitted("shell_exec", "rm -rf /").decision == asked.decision == "deny"


def forged(ledger: Ledger, **changes: object) -> None:
    """Write an approval like the recorded one, with changes, as somebody who has the ledger but not the key."""
    event = next(ledger.read(kind="policy.overridden"))
    assert isinstance(event.data, PolicyOverridden)
    ledger.append(PolicyOverridden(**{**asdict(event.data), **changes}), subject=event.subject)


def test_a_tampered_approval_does_not_count(
    kernel: Kernel, appeals: Appeals, ledger: Ledger, clock: FakeClock[int]
) -> None:
    approve(kernel, appeals, ttl=60)
    clock.forward(61 * SECOND)
    forged(ledger, until=clock.now + 10**12)
    permit = kernel.permitted("shell_exec", "ls")
    assert permit.decision == "approval"
    assert any("not signed with this machine's key" in reason for reason in permit.because)


def test_an_approval_moved_to_another_action_does_not_count(kernel: Kernel, appeals: Appeals, ledger: Ledger) -> None:
    approve(kernel, appeals)
    event = next(ledger.read(kind="policy.overridden"))
    other = kernel.permitted("shell_exec", "pwd")
    digest = next(iter(ledger.read(kind="policy.decided", subject=other.id))).payload["digest"]
    assert isinstance(event.data, PolicyOverridden)
    ledger.append(event.data, subject=f"approval:{digest}")
    permit = kernel.permitted("shell_exec", "pwd")
    assert permit.decision == "approval"
    assert any("is for another action" in reason for reason in permit.because)


def test_an_approval_of_another_key_does_not_count(
    kernel: Kernel, appeals: Appeals, ledger: Ledger, clock: FakeClock[int], tmp_path: Path
) -> None:
    asked = kernel.permitted("shell_exec", "ls")
    Appeals(ledger, Seal.open(tmp_path / "other"), clock=clock).appeal(asked.id, by="x", reason="y", ttl=60)
    assert kernel.permitted("shell_exec", "ls").decision == "approval"


@pytest.mark.parametrize(
    ("by", "reason", "ttl"), [("", "x", 60), ("x", " ", 60), ("x", "y", 0), ("x", "y", -1), ("x", "y", 10**6)]
)
def test_an_approval_needs_who_why_and_how_long(
    kernel: Kernel, appeals: Appeals, by: str, reason: str, ttl: float
) -> None:
    asked = kernel.permitted("shell_exec", "ls")
    with pytest.raises(InputError):
        appeals.appeal(asked.id, by=by, reason=reason, ttl=ttl)


def test_a_decision_that_is_not_there_cannot_be_appealed(appeals: Appeals) -> None:
    with pytest.raises(InputError, match="there is no decision"):
        appeals.appeal("d-none", by="x", reason="y", ttl=60)


def test_an_id_used_for_two_actions_cannot_be_appealed(kernel: Kernel, appeals: Appeals) -> None:
    kernel.permitted("shell_exec", "ls", id="d-1")
    kernel.permitted("shell_exec", "pwd", id="d-1")
    with pytest.raises(InputError, match="more than one action"):
        appeals.appeal("d-1", by="x", reason="y", ttl=60)


def test_three_denials_of_a_class_ask_for_a_review_once(snapshot: Snapshot, ledger: Ledger, workspace: Path) -> None:
    kernel = Kernel(snapshot, ledger=ledger, workspace=workspace, review=Review(ledger))
    for number in range(2):
        kernel.permitted("file_write", f"/etc/{number}")
    assert ledger.count(kind="policy.review_wanted") == 0
    for number in range(4):
        kernel.permitted("file_write", f"/etc/again{number}")
    assert [event.subject for event in ledger.read(kind="policy.review_wanted")] == ["class:/write"]


def test_denials_of_different_classes_do_not_add_up(snapshot: Snapshot, ledger: Ledger, workspace: Path) -> None:
    kernel = Kernel(snapshot, ledger=ledger, workspace=workspace, review=Review(ledger))
    for action in ("file_write", "fly", "sail"):
        kernel.permitted(action, "/etc/x")
    assert ledger.count(kind="policy.review_wanted") == 0


def test_two_approvals_ask_for_a_review(kernel: Kernel, ledger: Ledger, key: Seal, clock: FakeClock[int]) -> None:
    watched = Appeals(ledger, key, clock=clock, review=Review(ledger))
    approve(kernel, watched, "ls")
    assert ledger.count(kind="policy.review_wanted") == 0
    approve(kernel, watched, "pwd")
    assert ledger.count(kind="policy.review_wanted") == 1


def test_overrides_are_values(appeals: Appeals, kernel: Kernel) -> None:
    asked = kernel.permitted("shell_exec", "ls")
    override = appeals.appeal(asked.id, by="a", reason="b", ttl=1)
    assert replace(override, by="c") != override
