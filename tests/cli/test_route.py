"""`mayfly route` and `mayfly permit`: who takes a request on, and what may be done."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

TRANSLATOR = "# Who translates.\npersona(/translator) :- user_intent(_, _, /translate, _, _).\n"


def route(cli: Cli, text: str, *more: str) -> dict[str, Any]:
    return dict(json.loads(cli("route", text, "--json", *more).out))


def test_an_intent_is_printed_as_the_fact_it_is(cli: Cli) -> None:
    ran = cli("route", "Fix the bug in auth.go")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        'user_intent("i1", /command, /fix, "auth.go", /none)',
        "persona coder",
        "action type modify",
    ]


def test_names_in_json_have_no_slash(cli: Cli) -> None:
    told = route(cli, "implement feature X and write tests")
    assert told["intents"][0] == {
        "category": "command",
        "verb": "implement",
        "target": "feature X",
        "constraint": "none",
        "confidence": 0.95,
    }
    assert (told["personas"], told["action_types"]) == (["coder", "tester"], ["create"])


def test_a_request_that_is_not_understood_is_asked_about(cli: Cli) -> None:
    ran = cli("route", "blue", "--json")
    told = json.loads(ran.out)
    assert ran.status == 3
    assert (told["intents"], told["personas"]) == ([], [])
    assert told["ask"]


def test_an_empty_request_is_refused(cli: Cli) -> None:
    assert cli("route", "  ").status == 2


def test_a_new_persona_is_one_rule_and_the_default_stays_out(cli: Cli) -> None:
    assert route(cli, "Translate the README")["personas"] == ["coder"]
    Path("translator.mg").write_text(TRANSLATOR)
    assert route(cli, "Translate the README", "--rules", "translator.mg")["personas"] == ["translator"]
    assert route(cli, "Fix the README", "--rules", "translator.mg")["personas"] == ["coder"]


def test_a_rule_file_dropped_into_the_state_directory_is_in_force(cli: Cli) -> None:
    rules = Path("state", "rules")
    rules.mkdir(parents=True)
    (rules / "translator.mg").write_text(TRANSLATOR)
    assert route(cli, "Translate the README")["personas"] == ["translator"]


def test_a_broken_rule_file_is_named_and_the_rest_stays_in_force(cli: Cli) -> None:
    Path("broken.mg").write_text("persona(/x) :- ")
    ran = cli("route", "Fix it", "--rules", "broken.mg", "--json")
    assert json.loads(ran.out)["personas"] == ["coder"]
    assert "not in force: broken.mg" in ran.err


def test_a_rule_file_that_takes_powers_is_refused(cli: Cli) -> None:
    Path("wide.mg").write_text("permitted(/file_read, T, P) :- pending_action(_, /file_read, T, P, _).\n")
    ran = cli("permit", "file_read", "/etc/passwd", "--rules", "wide.mg")
    assert ran.status == 1
    assert "not in force: wide.mg" in ran.err


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("action", "target", "decision", "status"),
    [
        ("file_read", "src/app.py", "permit", 0),
        ("file_write", "notes.md", "permit", 0),
        ("ask_user", "May I?", "permit", 0),
        ("shell_exec", "rm -rf /", "permit", 0),
        ("run_arbitrary_command", "rm -rf /", "approval", 3),
        ("file_write", ".env", "deny", 1),
        ("file_read", "../outside", "deny", 1),
        ("no_such_action", "x", "deny", 1),
        ("git_push", "origin", "approval", 3),
        ("delete_file", "notes.md", "permit", 0),
        ("delete_file", ".", "approval", 3),
    ],
)
def test_a_decision_is_a_word_and_a_status(cli: Cli, action: str, target: str, decision: str, status: int) -> None:
    ran = cli("permit", action, target, "--json")
    told = json.loads(ran.out)
    assert (told["decision"], ran.status) == (decision, status)
    assert told["because"]


def test_what_the_payload_names_is_decided_too(cli: Cli) -> None:
    assert cli("permit", "file_write", "a.md", "--payload", '{"paths": ["b.md", ".env"]}').status == 1
    assert cli("permit", "schema_apply", "users", "--payload", '{"sql": "drop table users"}').status == 1


def test_a_personas_policies_count_for_that_persona_only(cli: Cli) -> None:
    assert cli("permit", "file_write", "notes.md", "--persona", "reviewer").status == 1
    assert cli("permit", "file_write", "notes.md", "--persona", "coder").status == 0


def test_why_of_a_decision_prints_rules_and_facts_with_their_sources(cli: Cli) -> None:
    asked = json.loads(cli("permit", "file_read", "/etc/passwd", "--json").out)
    told = cli("why", asked["id"]).out
    assert told.startswith(f"{asked['id']}: deny")
    assert "paths.mg:" in told
    assert "told" in told


def test_a_person_reads_what_would_get_it_permitted(cli: Cli) -> None:
    ran = cli("permit", "git_push", "origin", "--why")
    assert "would be permitted if a person approves exactly this action" in ran.out


def test_why_of_a_goal_uses_the_last_question_it_can_be_about(cli: Cli) -> None:
    cli("route", "Fix the bug in auth.go")
    cli("permit", "file_read", "README.md")
    assert cli("why", "persona").out.startswith("persona(/coder)  by ")
    assert cli("why", "permitted(/file_read, _, _)").out.startswith('permitted(/file_read, "README.md", "")  by ')


def test_why_not_of_a_goal_says_what_would_make_it_hold(cli: Cli) -> None:
    cli("route", "Fix the bug in auth.go")
    told = json.loads(cli("why", "persona(/tester)", "--json").out)
    assert told["holds"] is False
    assert told["trees"][0]["would_hold_if"]


def test_why_of_nothing_known_is_one_line(cli: Cli) -> None:
    assert cli("why", "r-00000000").status == 2
    assert cli("why", "no_such_predicate(X)").status == 2
