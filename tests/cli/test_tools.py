"""`mayfly tools`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli

ROMAN = '''
def roman(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''.lstrip()


@pytest.fixture(autouse=True)
def quick(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MUTANTS", "INPUTS"):
        monkeypatch.setenv(f"MAYFLY_GATES_{name}", "0")
    Path("roman.py").write_text(ROMAN)
    Path("wrong.py").write_text(ROMAN.replace("-value", "value"))
    Path("better.py").write_text(ROMAN.replace("total = 0", "total = int()"))
    Path("examples.json").write_text(json.dumps([{"input": "IV", "output": 4}, {"input": "XL", "output": 40}]))


def write(cli: Cli, *more: str, source: str = "roman.py") -> int:
    return cli("tools", "write", "convert a roman numeral", "--source", source, *more).status


@pytest.mark.later
def test_walk_b_by_script(cli: Cli) -> None:
    ran = cli("tools", "write", "convert a roman numeral", "--source", "roman.py", "--examples", "examples.json")
    assert ran.status == 0, ran.err
    assert "roman, version 1, serves" in ran.out
    assert cli("tools", "call", "roman", "MCMXC").out == "1990\n"
    assert cli("tools", "call", "roman", '{"numeral": "MCMXC"}').out == "1990\n"
    wrong = cli("tools", "write", "--update", "--name", "roman", "--source", "wrong.py")
    assert wrong.status == 1
    assert "refused: proof:" in wrong.out
    assert cli("tools", "call", "roman", "IV").out == "4\n"
    assert write(cli, "--update", "--name", "roman", source="better.py") == 0
    assert cli("tools", "list").out.splitlines()[1].split()[:3] == ["roman", "2", "weak"]
    assert "+    total = int()" in cli("tools", "diff", "roman", "1", "2").out
    assert cli("tools", "rollback", "roman").out == "version 1 of roman serves\n"
    history = cli("tools", "log", "roman").out
    assert [word in history for word in ("written", "refused", "serves again")] == [True] * 3
    verified = cli("tools", "verify", "roman")
    assert (verified.status, verified.out.splitlines()[-1]) == (0, "2 of 2 tests of roman, version 1, pass")
    assert cli("tools", "delete", "roman").status == 0
    gone = cli("tools", "call", "roman", "IV")
    assert gone.status == 2
    assert gone.err == "mayfly: the tool roman was deleted; mayfly tools rollback roman --to 2 brings it back\n"
    assert cli("tools", "rollback", "roman", "--to", "1").status == 0
    assert cli("tools", "call", "roman", "IV").out == "4\n"
    assert "library  1 tool, clean" in cli("doctor").out


def test_the_card_is_readable(cli: Cli) -> None:
    assert write(cli, "--examples", "examples.json", "--by", "ada") == 0
    shown = cli("tools", "show", "roman", "--source").out
    for said in ("takes     numeral: string", "gives     integer", "by one hand", "written   by ada", "def roman("):
        assert said in shown


def test_every_command_speaks_json(cli: Cli) -> None:
    made = cli("tools", "write", "roman", "--source", "roman.py", "--examples", "examples.json", "--json")
    assert json.loads(made.out)["decision"] == "accept"
    assert write(cli, "--update", "--name", "roman", source="better.py") == 0
    data = {
        name: json.loads(cli("tools", *args, "--json").out)
        for name, args in {
            "list": ["list"],
            "show": ["show", "roman"],
            "log": ["log", "roman"],
            "diff": ["diff", "roman", "1", "2"],
            "verify": ["verify", "roman"],
            "call": ["call", "roman", "X"],
            "find": ["find", "roman numerals"],
            "rollback": ["rollback", "roman"],
            "delete": ["delete", "roman"],
        }.items()
    }
    assert data["list"]["tools"][0]["name"] == "roman"
    assert data["show"]["version"] == 2
    assert [one["kind"] for one in data["log"]] == ["tool.written", "tool.written"]
    assert "int()" in data["diff"]["diff"]
    assert data["verify"]["holds"] is True
    assert (data["call"]["status"], data["call"]["value"]) == ("ok", 10)
    assert data["find"][0]["name"] == "roman"
    assert data["rollback"] == {"name": "roman", "version": 1, "serves": 1}
    assert data["delete"] == {"name": "roman", "deleted": "roman", "version": 1}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "nobody"], "there is no tool 'nobody' in the library; see: mayfly tools list"),
        (["call", "nobody"], "there is no tool 'nobody' in the library; see: mayfly tools list"),
        (["delete", "file_read"], "file_read is the name of a built-in tool"),
        (["delete", "nobody"], "there is no tool 'nobody'"),
        (["rollback", "nobody"], "there is no tool 'nobody'"),
        (["restore", "nobody"], "there is no tool 'nobody'"),
        (["diff", "nobody", "1", "2"], "there is no tool 'nobody'"),
        (["log", "nobody"], "there is no tool 'nobody'"),
        (["verify", "nobody"], "there is no tool 'nobody'"),
        (["write"], "say what the tool does"),
        (["write", "--update", "--source", "roman.py"], "--update needs the tool"),
        (["write", "x", "--name", "No-Name", "--source", "roman.py"], "cannot be the name of a tool"),
        (["write", "x", "--source", "missing.py"], "missing.py"),
        (["write", "x", "--name", "shell", "--source", "roman.py"], "call yours agent_shell"),
        (["write", "x", "--source", "roman.py", "--grant", "everything"], "unknown grant 'everything'"),
        (["write", "convert roman numerals"], "give examples"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(cli: Cli, args: list[str], said: str) -> None:
    ran = cli("tools", *args)
    assert ran.status == 2, ran
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_tool_that_fails_is_status_1_with_what_it_said(cli: Cli) -> None:
    assert write(cli, "--examples", "examples.json") == 0
    ran = cli("tools", "call", "roman", "ABC")
    assert ran.status == 1
    assert "KeyError" in ran.err
    wrong = cli("tools", "call", "roman", '{"number": 1}')
    assert wrong.status == 1
    assert "numeral is missing" in wrong.err


def test_a_bad_file_in_the_checkout_is_named_by_list(cli: Cli, state: Path) -> None:
    assert write(cli, "--examples", "examples.json") == 0
    (state / "library" / "roman" / "current" / "tool.py").write_text(Path("wrong.py").read_text())
    listed = cli("tools", "list")
    assert listed.status == 0
    assert "is left out: proof:" in listed.err
    assert "version 1 serves" in listed.err
    assert listed.out.splitlines()[1].startswith("roman")
