"""`mayfly persona` and `mayfly prompt`: who there is, what each has, and what it is told."""

import json
from pathlib import Path

import pytest

from .conftest import Cli


def test_n22_persona_show_prints_the_tables_of_document_004(cli: Cli) -> None:
    told = json.loads(cli("persona", "show", "reviewer", "--json").out)
    assert {"file_read", "hypothesis_gen", "impact_analysis", "preflight"} <= set(told["tools"])
    assert told["policies"] == ["review_policy.mg", "hypothesis_rules.mg", "base.mg"]
    assert told["priority"] == 80
    assert told["because"]["preflight"] == "reviewer.yaml:1"
    assert "tool  preflight        by reviewer.yaml:1" in cli("persona", "show", "reviewer").out.splitlines()


def test_the_list_has_every_persona_the_most_important_first(cli: Cli) -> None:
    names = [row["name"] for row in json.loads(cli("persona", "list", "--json").out)]
    assert names == ["coder", "tester", "adversary", "reviewer", "toolgen", "researcher", "general"]
    assert cli("persona", "list").out.startswith("PERSONA ")


@pytest.mark.parametrize(
    "command", [("persona", "show", "stranger"), ("permit", "file_read", "a", "--persona", "stranger")]
)
def test_n08_an_unknown_persona_is_bad_input(cli: Cli, command: tuple[str, ...]) -> None:
    ran = cli(*command)
    assert ran.status == 2
    assert "there is no persona 'stranger'; see: mayfly persona list" in ran.err


def test_n24_a_persona_is_added_routed_to_and_limited(cli: Cli, tmp_path: Path, state: Path) -> None:
    Path("who.txt").write_text("You translate.")
    ran = cli("persona", "add", "translator", "--tool", "file_write", "--verb", "translate", "--prompt", "who.txt")
    assert ran.status == 0, ran.err
    assert (state / "agents" / "custom_configs.yaml").exists()
    assert json.loads(cli("route", "Translate the README", "--json").out)["personas"] == ["translator"]
    assert cli("permit", "file_write", "a.txt", "--persona", "translator").status == 0
    assert cli("permit", "shell_exec", "ls", "--persona", "translator").status == 1
    assert "You translate." in cli("prompt", "show", "Translate the README").out
    ran = cli("persona", "add", "boss", "--tool", "config_write")
    assert (ran.status, "above the tier authored" in ran.err) == (2, True)


def test_n24_a_verb_that_others_have_is_said(cli: Cli) -> None:
    assert "fix is also the work of coder" in cli("persona", "add", "mender", "--verb", "fix").err


def test_a_bad_file_is_named_and_passed_over(cli: Cli, state: Path) -> None:
    (state / "agents").mkdir()
    (state / "agents" / "bad.yaml").write_text("persona: poet\ntols: [x]\n")
    ran = cli("persona", "list")
    assert ran.status == 0
    assert "bad.yaml: line 2: tols: unknown key; did you mean tools?" in ran.err


def test_n10_the_manifest_says_why_each_atom_is_in_or_out(cli: Cli) -> None:
    Path("conftest.py").write_text("")
    ran = cli("prompt", "show", "Fix the failing test", "--manifest")
    rows = {line.split()[1]: line for line in ran.out.splitlines()[1:]}
    assert rows["language/python"].startswith("in ")
    assert rows["framework/go-test"].startswith("out ")
    assert "frameworks: wants go_test, and here is pytest" in rows["framework/go-test"]
    told = json.loads(cli("prompt", "show", "--persona", "tester", "--json").out)
    assert told["tokens"] <= told["budget"] == 8192 - 500
    assert {"id", "included", "why", "variant", "category"} <= told["manifest"][0].keys()


def test_a_prompt_for_nobody_is_bad_input(cli: Cli) -> None:
    assert cli("prompt", "show").status == 2
    ran = cli("prompt", "show", "hmm")
    assert (ran.status, "nobody takes that on" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "personas"),
    [
        ("Can you help me understand this code?", {"reviewer", "researcher"}),
        ("I need somebody to look over my change", {"reviewer"}),
        ("walk me through the parser", {"researcher"}),
    ],
)
def test_n25_plain_language_finds_a_persona_with_a_confidence(cli: Cli, text: str, personas: set[str]) -> None:
    told = json.loads(cli("route", text, "--json").out)
    assert told["personas"]
    assert set(told["personas"]) <= personas
    assert told["intents"][0]["confidence"] >= 0.5


@pytest.mark.parametrize("text", ["this code confuses me", "hmm"])
def test_n25_it_asks_where_it_is_not_sure(cli: Cli, text: str) -> None:
    ran = cli("route", text, "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["personas"]) == (3, [])
    assert told["ask"]


def test_n27_why_this_persona_and_why_this_permit(cli: Cli) -> None:
    cli("route", "Fix the bug in auth.go")
    told = cli("why", "persona").out
    assert told.startswith("persona(/coder)  by ")
    assert "verb_persona(/fix, /coder)" in told
    assert "routing.mg:" in told
    asked = json.loads(cli("permit", "file_write", "a.md", "--persona", "reviewer", "--json").out)
    assert "who reviews writes nothing" in asked["because"]
    assert "review_policy.mg" in cli("why", asked["id"]).out


def test_yaml_is_loaded_only_where_a_file_is_read() -> None:
    import subprocess
    import sys

    script = "import sys, mayfly, mayfly.persona, mayfly.cli._app; print('yaml' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
