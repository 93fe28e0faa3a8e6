"""Rule files come into force whole and tried, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mayfly.core import InputError, Verdict
from mayfly.mangle import MangleError
from mayfly.policy import Court, Kernel, Rulebook, Watcher
from mayfly.store import Ledger

from .conftest import constitution

Write = Callable[[str, str], Path]
DENY_READING = 'policy_denies(Id, "no reading") :- pending_action(Id, /file_read, _, _, _).\n'
ALLOW_FLYING = "policy_allows(/fly, Target, Payload) :- pending_action(_, /fly, Target, Payload, _).\n"


def rulebook(*, extra: Sequence[Path] = (), policies: Sequence[Path] = (), workspace: Path | None = None) -> Rulebook:
    return Rulebook(extra=extra, policies=policies, workspace=workspace, base=constitution())


def decision(book: Rulebook, action: str, *, policies: Sequence[str] = (), target: str = "a") -> str:
    return Kernel(book.snapshot, workspace="/w", policies=policies).permitted(action, target).decision


def personas(book: Rulebook, verb: str) -> tuple[str, ...]:
    return Kernel(book.snapshot, workspace="/w").route([f'user_intent("i", /command, /{verb}, "x", /none)']).personas


def test_the_shipped_rules_load_and_decide() -> None:
    book = Rulebook()
    assert not book.snapshot.problems
    assert Kernel(book.snapshot, workspace="/w").permitted("ask_user", "May I?").decision == "permit"
    assert Kernel(book.snapshot, workspace="/w").permitted("file_write", "/etc/passwd").decision == "deny"


def test_an_extra_file_counts_for_everybody(write: Write) -> None:
    book = rulebook(extra=[write("rules/deny.mg", DENY_READING)])
    assert decision(book, "file_read") == "deny"


def test_a_policy_counts_only_for_who_names_it(write: Write) -> None:
    book = rulebook(policies=[write("policies/deny.mg", DENY_READING).parent])
    assert decision(book, "file_read", policies=["deny.mg"]) == "deny"
    assert decision(book, "file_read") == "permit"


def test_policies_are_not_joined_with_each_other(write: Write) -> None:
    write("policies/one.mg", DENY_READING)
    folder = write("policies/two.mg", ALLOW_FLYING).parent
    book = rulebook(policies=[folder])
    assert decision(book, "file_read", policies=["two.mg"]) == "permit"
    assert decision(book, "fly", policies=["one.mg"]) == "deny"
    assert decision(book, "fly", policies=["two.mg"]) == "permit"


@pytest.mark.parametrize(
    "text",
    [
        'permitted(/shell_exec, "rm -rf /", "").',
        "permitted(A, T, P) :- pending_action(_, A, T, P, _).",
        'refused("x", "y").',
        'needs_approval("x", "y").',
        'approved(/a, "b", "c", 1).',
        'grant(/net, "*").',
        "grant_allowed(/ephemeral, /net).",
        "tier(/builtin).",
        "acting(/mender).",
        'pending_action("i", /a, "b", "c", 1).',
        "action_class(/fly, /read).",
        "usual(Id) :- pending_action(Id, _, _, _, _).",
        'action_path("x", "y", /inside).',
        "Decl permitted(A, B, C).",
        'policy_tool("other.mg", /fly).',
        "policy_tool(X, /fly) :- granted_policy(X).",
    ],
)
def test_what_only_the_shipped_rules_may_say_is_refused(write: Write, text: str) -> None:
    book = rulebook(extra=[write("rules/evil.mg", text)])
    assert len(book.snapshot.problems) == 1
    assert decision(book, "shell_exec", target="rm -rf /") == "deny"
    assert decision(book, "fly") == "deny"


def test_a_policy_may_bring_a_tool_of_its_own(write: Write) -> None:
    book = rulebook(policies=[write("p/wings.mg", 'policy_tool("wings.mg", /fly).')])
    assert not book.snapshot.problems
    assert decision(book, "fly", policies=["wings.mg"]) == "permit"


def test_a_dropped_in_rule_claims_its_verb(write: Write) -> None:
    book = rulebook(extra=[write("rules/poet.mg", "persona(/poet) :- user_intent(_, _, /rhyme, _, _).")])
    assert personas(book, "rhyme") == ("poet",)
    assert personas(book, "hum") == ("mender",)


@pytest.mark.parametrize(
    "rule",
    [
        'persona(/poet) :- user_intent(_, _, /rhyme, "x", _).',
        "persona(/poet) :- user_intent(_, _, /rhyme, T, _), file_exists(T).",
        "persona(/poet) :- user_intent(_, _, Verb, _, _), verb_claimed(Verb).",
    ],
)
def test_a_rule_with_conditions_claims_nothing(write: Write, rule: str) -> None:
    assert "mender" in personas(rulebook(extra=[write("rules/poet.mg", rule)]), "rhyme")


def test_a_bad_file_is_skipped_and_named(write: Write) -> None:
    good, bad = write("rules/a.mg", ALLOW_FLYING), write("rules/b.mg", "this is not Mangle")
    book = rulebook(extra=[good.parent])
    assert decision(book, "fly") == "permit"
    assert [problem.file for problem in book.snapshot.problems] == [str(bad)]


def test_the_last_good_version_stays_in_force(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = rulebook(extra=[path])
    path.write_text("policy_allows(/fly, T, P) :- nonsense(T, P).")
    reload = book.reload()
    assert decision(book, "fly") == "permit"
    assert reload.problems[0].kept
    assert "last good version stays in force" in str(reload.problems[0])


def test_a_mended_file_comes_into_force(write: Write) -> None:
    path = write("rules/a.mg", "broken(")
    book = rulebook(extra=[path])
    path.write_text(ALLOW_FLYING)
    assert book.reload().accepted == ("a.mg",)
    assert not book.snapshot.problems
    assert decision(book, "fly") == "permit"


def test_a_removed_file_leaves(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = rulebook(extra=[path.parent])
    path.unlink()
    assert book.reload().removed == ("a.mg",)
    assert decision(book, "fly") == "deny"


def test_a_new_file_comes_into_force(write: Write, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    book = rulebook(extra=[tmp_path / "rules"])
    write("rules/a.mg", ALLOW_FLYING)
    book.reload()
    assert decision(book, "fly") == "permit"


def test_files_may_need_each_other_in_any_order(write: Write) -> None:
    write("rules/a.mg", "policy_allows(/fly, T, P) :- pending_action(_, /fly, T, P, _), weather(/fair).")
    folder = write("rules/b.mg", "Decl weather(Kind).\nweather(/fair).").parent
    book = rulebook(extra=[folder])
    assert not book.snapshot.problems
    assert decision(book, "fly") == "permit"


def test_a_file_that_needs_a_removed_one_is_skipped(write: Write) -> None:
    write("rules/a.mg", "policy_allows(/fly, T, P) :- pending_action(_, /fly, T, P, _), weather(/fair).")
    needed = write("rules/b.mg", "Decl weather(Kind).\nweather(/fair).")
    book = rulebook(extra=[needed.parent])
    needed.unlink()
    book.reload()
    assert [Path(problem.file).name for problem in book.snapshot.problems] == ["a.mg"]
    assert decision(book, "file_read") == "permit"


def test_a_running_turn_keeps_its_snapshot(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = rulebook(extra=[path])
    turn = Kernel(book.snapshot, workspace="/w")
    path.write_text("# nothing any more\n")
    book.reload()
    assert turn.permitted("fly", "a").decision == "permit"
    assert decision(book, "fly") == "deny"


def test_the_hash_is_of_the_content(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = rulebook(extra=[path])
    before = book.snapshot.hash
    assert rulebook(extra=[path]).snapshot.hash == before
    path.write_text(ALLOW_FLYING + "# more\n")
    book.reload()
    assert book.snapshot.hash != before


def test_nothing_changed_keeps_the_snapshot(write: Write) -> None:
    book = rulebook(extra=[write("rules/a.mg", ALLOW_FLYING)])
    before = book.snapshot
    book.reload()
    assert book.snapshot is before


@pytest.mark.parametrize("text", [ALLOW_FLYING, 'policy_tool("a.mg", /fly).'])
def test_a_file_that_agents_can_write_gives_nobody_more(write: Write, tmp_path: Path, text: str) -> None:
    book = rulebook(extra=[write("work/rules/a.mg", text)], workspace=tmp_path / "work")
    assert decision(book, "fly") == "deny"
    assert "may only take away" in book.snapshot.problems[0].reason


@pytest.mark.parametrize("text", ["persona_tool(/poet, /fly).", 'persona_policy(/poet, "a.mg").'])
def test_what_a_persona_has_is_not_for_rules_to_say(write: Write, text: str) -> None:
    book = rulebook(extra=[write("rules/a.mg", text)])
    assert "mayfly persona add" in book.snapshot.problems[0].reason


def test_a_file_that_agents_can_write_may_take_away(write: Write, tmp_path: Path) -> None:
    book = rulebook(extra=[write("work/rules/a.mg", DENY_READING)], workspace=tmp_path / "work")
    assert decision(book, "file_read") == "deny"


def test_a_link_into_the_workspace_does_not_help(write: Write, tmp_path: Path) -> None:
    real = write("work/a.mg", ALLOW_FLYING)
    link = write("rules/x", "").with_name("a.mg")
    link.symlink_to(real)
    assert decision(rulebook(extra=[link.parent], workspace=tmp_path / "work"), "fly") == "deny"


def test_a_directory_that_is_not_there_yet_is_no_problem(tmp_path: Path, write: Write) -> None:
    book = rulebook(extra=[tmp_path / "rules"])
    assert not book.snapshot.problems
    write("rules/a.mg", ALLOW_FLYING)
    book.reload()
    assert decision(book, "fly") == "permit"


def test_changed_rules_can_be_had_without_putting_them_into_force(write: Write) -> None:
    book = rulebook(extra=[write("rules/a.mg", ALLOW_FLYING)])
    changed = book.changed([write("draft/a.mg", "# nothing any more\n")])
    assert Kernel(changed, workspace="/w").permitted("fly", "a").decision == "deny"
    assert decision(book, "fly") == "permit"


def test_changed_rules_may_not_say_what_only_the_shipped_ones_may(write: Write) -> None:
    with pytest.raises(MangleError, match="only the shipped rules may"):
        rulebook().changed([write("draft/a.mg", "permitted(A, T, P) :- pending_action(_, A, T, P, _).")])


def test_a_file_that_anybody_may_write_is_not_read(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    path.chmod(0o666)
    assert "anybody may write it" in rulebook(extra=[path]).snapshot.problems[0].reason


@pytest.mark.parametrize("name", ["missing.mg", "folder"])
def test_a_place_that_is_no_rule_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder" / "x.mg").mkdir(parents=True)
    assert len(rulebook(extra=[tmp_path / name]).snapshot.problems) == 1


def test_an_agent_whose_policy_is_bad_may_do_nothing(write: Write) -> None:
    book = rulebook(policies=[write("p/strict.mg", "broken(")])
    with pytest.raises(InputError, match=r"strict\.mg"):
        book.snapshot.program(["strict.mg"])
    assert decision(book, "file_read", policies=["strict.mg"]) == "deny"


def test_programs_are_kept_and_forgotten(write: Write) -> None:
    write("p/one.mg", DENY_READING)
    folder = write("p/two.mg", ALLOW_FLYING).parent
    book = Rulebook(policies=[folder], base=constitution(), programs=1)
    first = book.snapshot.program(["one.mg"])
    assert book.snapshot.program(["one.mg"]) is first
    book.snapshot.program(["two.mg"])
    assert book.snapshot.program(["one.mg"]) is not first


def test_reloads_are_in_the_ledger(write: Write, ledger: Ledger) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = Rulebook(extra=[path], base=constitution(), ledger=ledger)
    path.write_text("broken(")
    book.reload()
    events = [event.payload for event in ledger.read(kind="policy.reloaded")]
    assert events[0]["accepted"] == ["a.mg"]
    assert "last good version" in str(events[1]["refused"])


def test_rules_that_passed_before_are_not_tried_again(write: Write, ledger: Ledger) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    Rulebook(extra=[path], base=constitution(), ledger=ledger)

    class Never(Court):
        def hear(self, *args: object, **keywords: object) -> Verdict:
            raise AssertionError("tried again")

    again = Rulebook(extra=[path], base=constitution(), ledger=ledger, court=Never())
    assert decision(again, "fly") == "permit"
    assert ledger.count(kind="policy.reloaded") == 1


class Ticks:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_change_is_taken_up_once_it_has_come_to_rest(write: Write) -> None:
    path = write("rules/a.mg", "# nothing\n")
    book, ticks = rulebook(extra=[path]), Ticks()
    watcher = Watcher(book, clock=ticks, debounce=0.5)
    assert not watcher.look()
    path.write_text(ALLOW_FLYING)
    assert not watcher.look()
    ticks.now = 0.4
    assert not watcher.look()
    path.write_text(ALLOW_FLYING + "# still typing\n")
    ticks.now = 0.6
    assert not watcher.look()
    ticks.now = 1.2
    assert watcher.look()
    assert decision(book, "fly") == "permit"
    assert not watcher.look()


def test_a_watcher_in_its_own_thread_takes_up_a_change(write: Write) -> None:
    path = write("rules/a.mg", "# nothing\n")
    book, loaded = rulebook(extra=[path]), threading.Event()
    with Watcher(book, debounce=0.01, report=lambda reload: loaded.set()):
        path.write_text(ALLOW_FLYING)
        assert loaded.wait(30)
    assert decision(book, "fly") == "permit"


def test_threads_may_decide_while_rules_are_reloaded(write: Write) -> None:
    path = write("rules/a.mg", ALLOW_FLYING)
    book = rulebook(extra=[path])
    seen: list[str] = []

    def ask() -> None:
        for _ in range(20):
            seen.append(decision(book, "file_read"))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(3):
        path.write_text(f"{ALLOW_FLYING}# {number}\n")
        book.reload()
    for thread in threads:
        thread.join()
    assert seen == ["permit"] * 60
