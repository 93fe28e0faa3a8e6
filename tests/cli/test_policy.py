"""`mayfly policy`: rules evaluated, checked, tested, tried out and overruled from the command line."""

import json
from pathlib import Path

import pytest

from .conftest import Cli

FAMILY = (
    "parent(/ada, /byron).\nparent(/byron, /john).\nold(X, Y) :- parent(X, Y).\nold(X, Z) :- parent(X, Y), old(Y, Z).\n"
)
SEED = """\
persona(/coder) :- user_intent(_, _, /fix, _, _).
persona(/tester) :- user_intent(_, _, /test, _, _).
persona(/coder) :- user_intent(_, _, V, _, _), not persona_matched(V).
persona_matched(V) :- persona(P), P != /coder, user_intent(_, _, V, _, _).
"""


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_eval_prints_every_fact_sorted(cli: Cli) -> None:
    ran = cli("policy", "eval", write("family.mg", FAMILY))
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "old(/ada, /byron)",
        "old(/ada, /john)",
        "old(/byron, /john)",
        "parent(/ada, /byron)",
        "parent(/byron, /john)",
    ]


def test_eval_as_json_has_stage_error_and_facts(cli: Cli) -> None:
    ran = cli("policy", "eval", write("one.mg", 'p("a\\n", 1.5, [1, 2]). q() :- p(_, _, _).'), "--json")
    assert json.loads(ran.out) == {"stage": "ok", "error": None, "facts": ['p("a\\n", 1.5, [1, 2])', "q()"]}


def test_several_files_are_one_program(cli: Cli) -> None:
    ran = cli("policy", "eval", write("a.mg", "p(1)."), write("b.mg", "q(X) :- p(X)."))
    assert ran.out.splitlines() == ["p(1)", "q(1)"]


def test_a_goal_restricts_the_answer(cli: Cli) -> None:
    ran = cli("policy", "eval", write("family.mg", FAMILY), "--goal", "old(/ada, X)")
    assert ran.out.splitlines() == ["old(/ada, /byron)", "old(/ada, /john)"]


def test_why_prints_rule_place_and_facts(cli: Cli) -> None:
    ran = cli("policy", "eval", write("family.mg", FAMILY), "--why", "old(/ada, /john)")
    assert "family.mg:4" in ran.out
    assert "parent(/byron, /john)  given  family.mg:2" in ran.out


def test_why_of_what_does_not_hold_says_what_is_missing(cli: Cli) -> None:
    ran = cli("policy", "eval", write("family.mg", FAMILY), "--why", "old(/john, /ada)")
    assert "does not hold" in ran.out
    assert "would hold if" in ran.out


@pytest.mark.parametrize(
    ("text", "stage", "line", "column"),
    [
        ("p(1).\nq(X :- p(X).", "parse", 2, 5),
        ("p(1).\nq(X) :- nosuch(X).", "analyze", 2, 9),
        ("p(1).\nq(Y) :- p(X), Y = fn:div(X, 0).", "eval", 2, 1),
    ],
)
def test_an_error_has_stage_and_place(cli: Cli, text: str, stage: str, line: int, column: int) -> None:
    ran = cli("policy", "eval", write("bad.mg", text), "--json")
    told = json.loads(ran.out)
    assert ran.status == 2
    assert (told["stage"], told["facts"]) == (stage, [])
    assert (told["error"]["file"], told["error"]["line"]) == ("bad.mg", line)
    assert stage == "eval" or told["error"]["column"] == column


def test_without_json_an_error_is_one_line_on_stderr(cli: Cli) -> None:
    ran = cli("policy", "eval", write("bad.mg", "p(1)"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("mayfly: bad.mg:1:")
    assert ran.err.count("\n") == 1


def test_an_endless_program_ends_at_the_limit(cli: Cli) -> None:
    ran = cli(
        "policy", "eval", write("loop.mg", "p(0). p(Y) :- p(X), Y = fn:plus(X, 1)."), "--max-facts", "500", "--json"
    )
    told = json.loads(ran.out)
    assert told["stage"] == "eval"
    assert "500" in told["error"]["message"]


def test_a_missing_file_is_one_line(cli: Cli) -> None:
    ran = cli("policy", "eval", "missing.mg")
    assert (ran.status, ran.out) == (2, "")
    assert "missing.mg" in ran.err


def test_the_documents_first_rules_get_both_errors_they_deserve(cli: Cli) -> None:
    ran = cli("policy", "check", write("seed.mg", "Decl user_intent(A, B, C, D, E).\n" + SEED))
    first, second = ran.err.splitlines()
    assert ran.status == 2
    assert "seed.mg:4:48: 'not' is no part of the language; write !persona_matched(…)" in first
    assert "negation cycle: persona/1 -> !persona_matched/1 (seed.mg:4) -> persona/1 (seed.mg:5)" in second
    assert "verb_claimed" in second


def test_the_same_error_in_many_places_is_said_once(cli: Cli) -> None:
    ran = cli("policy", "check", write("seed.mg", "p(X) :- user_intent(X).\nq(X) :- user_intent(X).\n"))
    assert ran.err.splitlines() == [
        "mayfly: seed.mg:1:9: nothing declares or defines user_intent/1 (and in 1 more place);"
        " declare it: Decl user_intent(A)."
    ]


def test_check_counts_what_it_found_good(cli: Cli) -> None:
    ran = cli("policy", "check", write("family.mg", FAMILY), "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["stage"], told["rules"], told["facts"]) == (0, "ok", 2, 2)


@pytest.mark.later
def test_the_shipped_rules_pass_their_own_tests(cli: Cli) -> None:
    ran = cli("policy", "test", "--json")
    told = json.loads(ran.out)
    assert ran.status == 0
    assert told["failed"] == 0
    assert told["passed"] > 300


def test_a_failing_case_shows_why(cli: Cli) -> None:
    write("family.mg", FAMILY)
    write(
        "family.test.toml", '[[case]]\nname = "nobody is old"\nnever = ["old(/ada, _)"]\nexpect = ["old(/john, _)"]\n'
    )
    ran = cli("policy", "test", "family.mg")
    assert ran.status == 1
    assert "failed: family.mg: nobody is old" in ran.out
    assert "old(/ada, /byron)" in ran.out
    assert "does not hold" in ran.out


def test_a_case_about_a_predicate_that_is_not_there_fails_by_name(cli: Cli) -> None:
    write("family.mg", FAMILY)
    write("family.test.toml", '[[case]]\nname = "a typo"\nexpect = ["odl(/ada, _)"]\n')
    ran = cli("policy", "test", "family.mg")
    assert ran.status == 1
    assert "failed: family.mg: a typo" in ran.out
    assert "odl/2" in ran.out


@pytest.mark.parametrize("text", ["x = 1", "[[case]]\nname = 1", '[[case]]\nname = "a"\nexpect = ["p(X"]', "[[case"])
def test_a_bad_test_file_is_one_line_naming_it(cli: Cli, text: str) -> None:
    write("family.mg", FAMILY)
    write("family.test.toml", text)
    ran = cli("policy", "test", "family.mg")
    assert ran.status == 2
    assert "family.test.toml" in ran.err


def test_simulate_says_what_would_differ_and_changes_nothing(cli: Cli) -> None:
    cli("route", "Translate the README")
    cli("permit", "file_read", "README.md")
    denies = 'policy_denies(Id, "not today") :- pending_action(Id, /file_read, _, _, _).'
    changed = write("changed.mg", f"verb_persona(/translate, /translator).\n{denies}\n")
    told = json.loads(cli("policy", "simulate", changed, "--json").out)
    assert told["tried"] == 2
    assert [(one["before"].split()[0], one["after"].split()[0]) for one in told["differences"]] == [
        ("permit", "deny"),
        ("coder", "translator"),
    ]
    assert all(one["rule"] for one in told["differences"])
    assert cli("permit", "file_read", "README.md").status == 0


def test_an_approval_permits_exactly_that_action(cli: Cli) -> None:
    asked = json.loads(cli("permit", "git_push", "origin", "--json").out)
    assert cli("policy", "approve", asked["id"], "--by", "an operator", "--reason", "release").status == 0
    assert cli("permit", "git_push", "origin").status == 0
    assert cli("permit", "git_push", "elsewhere").status == 3


def test_a_refusal_cannot_be_approved(cli: Cli) -> None:
    asked = json.loads(cli("permit", "file_read", "/etc/shadow", "--json").out)
    ran = cli("policy", "approve", asked["id"], "--by", "x", "--reason", "y")
    assert ran.status == 2
    assert "no approval changes" in ran.err
