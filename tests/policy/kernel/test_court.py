"""A changed rule file is tried before it comes into force, and a change can be tried on the past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.mangle import to_text
from mayfly.policy import Court, Kernel, Rulebook, recordings, simulate
from mayfly.store import Ledger

from .conftest import constitution

Write = Callable[[str, str], Path]


def tried(path: Path, *, court: Court | None = None, policy: bool = False) -> str:
    """Return why the court did not let a file in; nothing where it did."""
    extra, policies = ([], [path]) if policy else ([path], [])
    book = Rulebook(base=constitution(), court=court, extra=extra, policies=policies)
    return " ".join(problem.reason for problem in book.snapshot.problems)


def test_a_harmless_file_passes(write: Write) -> None:
    assert not tried(write("a.mg", 'policy_denies(Id, "no") :- pending_action(Id, /file_write, _, _, _).'))


@pytest.mark.parametrize("policy", [False, True])
def test_a_file_that_denies_everything_is_not_let_in(write: Write, policy: bool) -> None:
    text = 'policy_denies(Id, "no") :- pending_action(Id, Action, _, _, _), Action != /ask_user .'
    assert "nothing that was permitted" in tried(write("a.mg", text), policy=policy)


@pytest.mark.parametrize("policy", [False, True])
def test_a_file_that_forbids_asking_is_not_let_in(write: Write, policy: bool) -> None:
    text = 'policy_denies(Id, "be silent") :- pending_action(Id, /ask_user, _, _, _).'
    assert "to ask the user: be silent" in tried(write("a.mg", text), policy=policy)


def test_a_file_that_makes_asking_need_an_approval_is_not_let_in(write: Write) -> None:
    text = 'policy_needs_approval(Id, "wait") :- pending_action(Id, /ask_user, _, _, _).'
    assert "to ask the user: wait" in tried(write("a.mg", text))


def test_a_file_that_cannot_be_evaluated_is_not_let_in(write: Write) -> None:
    counting = "Decl n(X).\nn(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\n"
    text = counting + 'policy_denies(Id, "x") :- pending_action(Id, _, _, _, _), n(-1).'
    assert "cannot be evaluated" in tried(write("a.mg", text))


def test_a_division_by_zero_is_found(write: Write) -> None:
    text = 'policy_denies(Id, "x") :- action_amount(Id, N), Zero = fn:minus(N, N), _ = fn:div(1, Zero).'
    assert "cannot be evaluated" in tried(write("a.mg", text))


def test_policies_may_allow_what_nobody_refused(write: Write) -> None:
    assert not tried(write("a.mg", "policy_allows(/fly, T, P) :- pending_action(_, /fly, T, P, _)."))


def test_no_policy_permits_what_is_refused(write: Write) -> None:
    path = write("a.mg", "policy_allows(A, T, P) :- pending_action(_, A, T, P, _).")
    book = Rulebook(base=constitution(), extra=[path])
    kernel = Kernel(book.snapshot, workspace="/w")
    assert not book.snapshot.problems
    for action, target in [("shell_exec", "rm -rf /"), ("file_write", "/etc/passwd"), ("file_read", "rm -r x")]:
        assert kernel.permitted(action, target).decision == "deny"


def test_what_needs_an_approval_cannot_be_allowed_by_a_policy(write: Write) -> None:
    path = write("a.mg", "policy_allows(A, T, P) :- pending_action(_, A, T, P, _).")
    book = Rulebook(base=constitution(), extra=[path])
    assert Kernel(book.snapshot, workspace="/w").permitted("shell_exec", "ls").decision == "approval"


def test_recorded_decisions_are_tried_too(write: Write, ledger: Ledger) -> None:
    kernel = Kernel(Rulebook(base=constitution()).snapshot, workspace="/w", ledger=ledger)
    kernel.permitted("spend", "x", '{"cents": 5}')
    text = 'policy_denies(Id, "x") :- action_amount(Id, 5), Zero = fn:minus(1, 1), _ = fn:div(1, Zero).'
    path = write("a.mg", text)
    assert not tried(path)
    assert "cannot be evaluated on /spend" in tried(path, court=Court(lambda: recordings(ledger)))


def test_a_shipped_rule_that_could_be_undone_is_noticed(write: Write) -> None:
    leaky = (
        'Decl policy_allows(A, T, P).\nrefused(Id, "no") :- pending_action(Id, /file_write, T, P, _), '
        '!policy_allows(/file_write, T, P).\nneeds_approval(Id, "x") :- pending_action(Id, /never, _, _, _).\n'
        "permitted(A, T, P) :- pending_action(Id, A, T, P, _), !refused(Id, _).\n"
    )
    path = write("a.mg", "policy_allows(A, T, P) :- pending_action(_, A, T, P, _).")
    book = Rulebook(base=constitution(leaky), extra=[path])
    assert "was refused and would be permit" in book.snapshot.problems[0].reason


def test_simulation_names_what_changes_and_the_rule(write: Write, ledger: Ledger) -> None:
    old = Rulebook(base=constitution()).snapshot
    kernel = Kernel(old, workspace="/w", ledger=ledger)
    denied = kernel.permitted("file_read", "secret.txt")
    kernel.permitted("file_read", "other.txt")
    route = kernel.route(['user_intent("i", /command, /rhyme, "x", /none)'])
    rule = 'policy_denies(Id, "hush") :- pending_action(Id, /file_read, "secret.txt", _, _).'
    path = write("a.mg", f"\n{rule}\npersona(/poet) :- user_intent(_, _, /rhyme, _, _).\n")
    new = Rulebook(base=constitution(), extra=[path]).snapshot
    found = {difference.id: difference for difference in simulate(old, new, recordings(ledger))}
    assert found.keys() == {denied.id, route.id}
    assert (found[denied.id].before, found[denied.id].after) == ("permit", "deny")
    assert found[denied.id].rule == rule
    assert str(found[denied.id].place) == f"{path}:2:1"
    assert (found[route.id].before, found[route.id].after) == ("mender (no kind of work)", "poet (no kind of work)")


def test_simulation_names_the_rule_that_was_taken_away(write: Write, ledger: Ledger) -> None:
    rule = "policy_allows(/fly, T, P) :- pending_action(_, /fly, T, P, _)."
    old = Rulebook(base=constitution(), extra=[write("a.mg", rule)]).snapshot
    Kernel(old, workspace="/w", ledger=ledger).permitted("fly", "x")
    [difference] = simulate(old, Rulebook(base=constitution()).snapshot, recordings(ledger))
    assert (difference.before, difference.after, difference.rule) == ("permit", "deny", rule)


def test_the_same_rules_change_nothing(ledger: Ledger) -> None:
    snapshot = Rulebook(base=constitution()).snapshot
    Kernel(snapshot, workspace="/w", ledger=ledger).permitted("file_read", "x")
    assert not simulate(snapshot, snapshot, recordings(ledger))


def test_a_recorded_decision_is_explained_again(ledger: Ledger) -> None:
    kernel = Kernel(Rulebook(base=constitution()).snapshot, workspace="/w", ledger=ledger)
    permit = kernel.permitted("shell_exec", "rm -rf /")
    explained = kernel.explain(permit.id)
    assert (explained.outcome, explained.now, explained.same_rules) == ("deny", "deny", True)
    assert explained.because == permit.because
    assert '"rm -r"' in to_text(explained.why[0])
    assert explained.why_not is None


def test_a_recorded_routing_is_explained_again(ledger: Ledger) -> None:
    kernel = Kernel(Rulebook(base=constitution()).snapshot, workspace="/w", ledger=ledger)
    route = kernel.route(['user_intent("i", /command, /fix, "x", /none)'])
    assert "verb_persona(/fix, /mender)" in to_text(kernel.explain(route.id).why[0])
