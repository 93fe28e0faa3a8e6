"""The kernel decides before each effect; what it cannot decide does not happen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mayfly.core import InputError, StoreError
from mayfly.mangle import Limits, MangleError, Name, to_text
from mayfly.policy import Kernel, Snapshot, propose, recordings
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted
from mayfly.store import Ledger


@pytest.fixture
def kernel(snapshot: Snapshot, ledger: Ledger, workspace: Path) -> Kernel:
    return Kernel(snapshot, ledger=ledger, workspace=workspace, persona="mender")


def decided(ledger: Ledger, id: str) -> PolicyDecided:
    event = next(ledger.read(kind="policy.decided", subject=id))
    assert isinstance(event.data, PolicyDecided)
    return event.data


def test_what_a_rule_permits_is_allowed(kernel: Kernel) -> None:
    permit = kernel.permitted("file_read", "a.py")
    assert (permit.decision, permit.allowed) == ("permit", True)
    assert permit.because[0].startswith("permitted by constitution.mg:")


def test_what_no_rule_permits_is_denied(kernel: Kernel) -> None:
    permit = kernel.permitted("fly", "away")
    assert (permit.decision, permit.allowed) == ("deny", False)
    assert permit.because == ("no rule permits /fly here",)


def test_a_refusal_says_why(kernel: Kernel) -> None:
    permit = kernel.permitted("file_write", "/etc/passwd", "x")
    assert (permit.decision, permit.because) == ("deny", ("a path outside the workspace",))


def test_what_needs_an_approval_is_not_allowed_yet(kernel: Kernel) -> None:
    permit = kernel.permitted("shell_exec", "ls")
    assert (permit.decision, permit.allowed, permit.because) == ("approval", False, ("it runs a command",))


def test_a_refusal_counts_before_a_permission_and_a_need_for_an_approval(kernel: Kernel) -> None:
    assert kernel.permitted("file_read", "rm -r y").decision == "deny"
    assert kernel.permitted("shell_exec", "rm -r y").decision == "deny"


def test_session_facts_count(snapshot: Snapshot, workspace: Path) -> None:
    frugal = Kernel(snapshot, workspace=workspace, session=["spend_limit(100)"])
    assert frugal.permitted("spend", "x", '{"cents": 101}').decision == "approval"
    assert frugal.permitted("spend", "x", '{"cents": 100}').decision == "permit"


@pytest.mark.parametrize("fact", ["permitted(/a, 'b', 'c')", "approved(/a, 'b', 'c', 1)", "refused('i', 'r')"])
def test_a_session_may_not_say_what_is_decided(snapshot: Snapshot, workspace: Path, fact: str) -> None:
    with pytest.raises(InputError, match="not for a session to say"):
        Kernel(snapshot, workspace=workspace, session=[fact.replace("'", '"')])


class Broken(Snapshot):
    """Rules that cannot be compiled any more."""

    def __init__(self) -> None:
        super().__init__(())

    def program(self, policies: object = ()) -> object:  # type: ignore[override]
        raise ZeroDivisionError("the engine is broken")


def test_a_broken_engine_denies_everything(workspace: Path, ledger: Ledger) -> None:
    permit = Kernel(Broken(), workspace=workspace, ledger=ledger).permitted("file_read", "a.py")
    assert permit.decision == "deny"
    assert "the engine is broken" in permit.because[0]
    assert decided(ledger, permit.id).because == permit.because


def test_a_limit_that_is_reached_denies(snapshot: Snapshot, workspace: Path) -> None:
    kernel = Kernel(snapshot, workspace=workspace, limits=Limits(facts=0))
    assert kernel.permitted("file_read", "a.py").decision == "deny"


def test_a_ledger_that_is_down_denies(snapshot: Snapshot, workspace: Path, ledger: Ledger) -> None:
    kernel = Kernel(snapshot, workspace=workspace, ledger=ledger)
    ledger.close()
    permit = kernel.permitted("file_read", "a.py")
    assert permit.decision == "deny"
    assert "the ledger is closed" in permit.because[0]


@pytest.mark.parametrize(("action", "target"), [("a b", "x"), ("", "x"), ("file_read", "\ud800")])
def test_a_bad_question_is_denied_and_recorded(kernel: Kernel, ledger: Ledger, action: str, target: str) -> None:
    permit = kernel.permitted(action, target)
    assert permit.decision == "deny"
    assert decided(ledger, permit.id).decision == "deny"


def test_a_payload_that_is_no_json_is_denied(kernel: Kernel) -> None:
    permit = kernel.permitted("file_read", "a.py", {1, 2})  # type: ignore[arg-type]
    assert permit.decision == "deny"


def test_a_target_that_is_no_text_is_denied(kernel: Kernel) -> None:
    assert kernel.permitted("file_read", None).decision == "deny"  # type: ignore[arg-type]


def test_proposed_facts_are_known_to_the_rules(snapshot: Snapshot, workspace: Path) -> None:
    kernel = Kernel(snapshot, workspace=workspace, session=propose(['open_question("why?")']).accepted)
    assert kernel.query("open_question(X)") == [("why?",)]
    assert kernel.permitted("file_read", "a.py").decision == "permit"


def test_a_fact_the_rules_do_not_know_denies(snapshot: Snapshot, workspace: Path) -> None:
    permit = Kernel(snapshot, workspace=workspace, session=["nonsense(1)"]).permitted("file_read", "a.py")
    assert permit.decision == "deny"
    assert "no predicate nonsense/1" in permit.because[0]


def test_a_policy_that_is_not_there_denies(snapshot: Snapshot, workspace: Path) -> None:
    permit = Kernel(snapshot, workspace=workspace, policies=["missing.mg"]).permitted("file_read", "a.py")
    assert permit.decision == "deny"
    assert "there is no policy missing.mg" in permit.because[0]


def test_every_decision_is_in_the_ledger(kernel: Kernel, ledger: Ledger, snapshot: Snapshot) -> None:
    permit = kernel.permitted("file_read", "a.py", "x", id="d-1")
    found = decided(ledger, "d-1")
    assert (found.action, found.target, found.payload, found.decision) == ("/file_read", "a.py", "x", "permit")
    assert (found.because, found.rules, found.persona) == (permit.because, snapshot.hash, "/mender")
    assert "acting(/mender)" in found.facts
    assert found.action_class == "/read"


def test_secrets_do_not_reach_the_ledger(kernel: Kernel, ledger: Ledger) -> None:
    secret = "sk-live-abcdefghijklmnop1234"
    permit = kernel.permitted("shell_exec", f"curl -H 'Authorization: Bearer {secret}' x", {"api_key": secret})
    events = json.dumps([event.payload for event in ledger.read(subject=permit.id)])
    assert secret not in events
    assert decided(ledger, permit.id).payload_hash


def test_secrets_in_a_reason_do_not_reach_the_ledger(snapshot: Snapshot, ledger: Ledger, workspace: Path) -> None:
    kernel = Kernel(snapshot, ledger=ledger, workspace=workspace, policies=["sk-live-abcdefghijklmnop1234.mg"])
    permit = kernel.permitted("file_read", "a")
    assert permit.decision == "deny"
    assert "abcdefghijklmnop1234" not in str(decided(ledger, permit.id).because)


def test_many_facts_are_kept_beside_the_event(kernel: Kernel, ledger: Ledger) -> None:
    permit = kernel.permitted("file_write", "a.py", "echo a\n" * 3000)
    found = decided(ledger, permit.id)
    assert (found.facts, bool(found.blob)) == ((), True)
    assert [recording.id for recording in recordings(ledger)] == [permit.id]


def test_a_permission_is_explained(kernel: Kernel) -> None:
    why = kernel.permitted("file_read", "a.py").why()
    assert why is not None
    assert "class_of" in to_text(why)


def test_a_denial_is_explained_both_ways(kernel: Kernel) -> None:
    permit = kernel.permitted("shell_exec", "rm -rf /")
    why, why_not = permit.why(), permit.why_not()
    assert why is not None
    assert why_not is not None
    assert '"rm -r"' in to_text(why)
    assert "refused" in to_text(why_not)


def test_a_request_is_routed_with_its_reasons(kernel: Kernel, ledger: Ledger) -> None:
    route = kernel.route(['user_intent("i1", /command, /fix, "auth.go", /none)'])
    assert (route.personas, route.action_types) == (("mender",), ("modify",))
    assert route.by_intent == (("i1", ("mender",), ("modify",)),)
    assert all("constitution.mg:" in line for line in route.because)
    event = next(ledger.read(kind="policy.routed", subject=route.id))
    assert isinstance(event.data, PolicyRouted)


def test_two_kernels_do_not_see_each_others_facts(snapshot: Snapshot, workspace: Path) -> None:
    first = Kernel(snapshot, workspace=workspace, session=['user_intent("a", /command, /fix, "x", /none)'])
    second = Kernel(snapshot, workspace=workspace)
    assert first.query("user_intent(Id, _, _, _, _)")
    assert not second.query("user_intent(Id, _, _, _, _)")


def test_a_query_returns_rows(kernel: Kernel) -> None:
    assert kernel.query("verb_persona(V, P)") == [(Name("/fix"), Name("/mender"))]


def test_a_query_for_an_unknown_predicate_is_an_error(kernel: Kernel) -> None:
    with pytest.raises(MangleError, match="no predicate nonsense/1"):
        kernel.query("nonsense(X)")


def test_why_and_why_not_answer_goals(kernel: Kernel) -> None:
    facts = ['user_intent("i", /command, /fix, "x", /none)']
    assert "verb_persona(/fix, /mender)" in to_text(kernel.why("persona(/mender)", facts))
    assert "verb_persona" in to_text(kernel.why_not("persona(/other)", facts))


def test_why_of_what_does_not_hold_says_so(kernel: Kernel) -> None:
    with pytest.raises(InputError, match="does not hold"):
        kernel.why("persona(/mender)")


def test_rules_may_look_at_files(kernel: Kernel, workspace: Path) -> None:
    assert not kernel.query("framework(X)")
    (workspace / "pyproject.toml").write_text("[tool.pytest]")
    assert kernel.query("framework(X)") == [(Name("/pytest"),)]


def test_a_failed_append_is_a_denial_not_an_exception(
    snapshot: Snapshot, workspace: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **keywords: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(ledger, "append", fail)
    assert Kernel(snapshot, workspace=workspace, ledger=ledger).permitted("file_read", "a").decision == "deny"
