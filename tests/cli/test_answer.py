"""`mayfly answer`: a question about one input is settled in the words that people use."""

import io
import json
from pathlib import Path

import pytest

from mayfly.cli import _run
from mayfly.core import InputError
from mayfly.runtime import answer_in

from .conftest import Cli


@pytest.fixture
def initials(tmp_path: Path) -> list[str]:
    """Give one example, which several programs fit."""
    (tmp_path / "examples.json").write_text(json.dumps([{"input": "Ada Lovelace", "output": "A.L."}]))
    (tmp_path / "name.json").write_text(json.dumps("Barbara Liskov"))
    return ["run", "initials", "--examples", "examples.json", "--input", "name.json"]


@pytest.mark.first(3)
@pytest.mark.parametrize("said", ["1", "yes", "B.L.", '"B.L."'])
@pytest.mark.parametrize("of_run", [False, True], ids=["by the call", "by the run"])
def test_one_answer_settles_it(cli: Cli, initials: list[str], said: str, of_run: bool) -> None:
    asked = cli(*initials, "--json")
    assert asked.status == 3
    [call] = json.loads(cli("inbox", "--json").out)
    assert json.loads(asked.out)["question"].startswith('what should "Barbara Liskov" give: "B.L." or ')
    ran = cli("answer", json.loads(asked.out)["id"] if of_run else call["id"], said)
    assert (ran.status, ran.out) == (0, '"B.L."\n'), ran.err
    assert "foretold without being shown" in ran.err
    assert json.loads(cli("inbox", "--json").out) == []


def test_another_output_than_those_offered_counts(cli: Cli, initials: list[str]) -> None:
    id = json.loads(cli(*initials, "--json").out)["id"]
    found = json.loads(cli("answer", id, "Barbara.Liskov", "--json").out)
    assert found["value"] in (None, "Barbara.Liskov")
    assert not (found["question"] or "").startswith('what should "Barbara Liskov" give')


def test_what_cannot_occur_is_not_asked_about_again(cli: Cli, initials: list[str]) -> None:
    id = json.loads(cli(*initials, "--json").out)["id"]
    found = json.loads(cli("answer", id, "cannot occur", "--json").out)
    assert not (found["question"] or "").startswith('what should "Barbara Liskov" give')


def test_no_needs_what_it_should_be_instead(cli: Cli, initials: list[str]) -> None:
    id = json.loads(cli(*initials, "--json").out)["id"]
    ran = cli("answer", id, "no")
    assert (ran.status, ran.out) == (2, "")
    assert "what should it give instead?" in ran.err
    assert len(json.loads(cli("inbox", "--json").out)) == 1


def test_on_a_terminal_one_answer_ends_the_run(cli: Cli, initials: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "can_ask", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    ran = cli(*initials)
    assert (ran.status, ran.out) == (0, '"B.L."\n')
    assert ran.err.count("what should") == 1


@pytest.mark.parametrize(
    ("said", "offered", "meant"),
    [
        ("yes", ["a", "b"], "a"),
        ("2", ["a", "b"], "b"),
        ("3", ["a", "b"], 3),
        ("2", [5, 7], 2),
        (" 2 ", ["a", "b"], "b"),
        ("plain text", ["a"], "plain text"),
        ("[1, 2]", ["a"], [1, 2]),
        ("null", ["a"], None),
        ("yes", [], "yes"),
    ],
)
def test_what_is_typed_is_a_place_an_output_or_a_text(said: str, offered: list[object], meant: object) -> None:
    assert answer_in(said, offered) == meant


def test_no_is_no_output() -> None:
    with pytest.raises(InputError, match="instead"):
        answer_in("No", ["a"])
