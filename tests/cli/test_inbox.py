"""`mayfly inbox` and `mayfly answer`: what waits for a person."""

import json

import pytest

from .conftest import Cli
from .trees import RUN, interrupted

ID = f"{RUN}/0.1.2"


def test_an_unknown_effect_is_listed_with_what_to_do(cli: Cli) -> None:
    interrupted()
    ran = cli("inbox")
    assert ID in ran.out
    assert "the process died while it was sent" in ran.out
    assert f"mayfly answer {ID} done|again|failed" in ran.err
    [found] = json.loads(cli("inbox", "--json").out)
    assert (found["kind"], found["id"], found["capability"]) == ("effect", ID, "find_failing_tests")


def test_nothing_waits(cli: Cli) -> None:
    assert cli("inbox") == (0, "", "nothing waits for you\n")


@pytest.mark.parametrize("verdict", ["done", "again", "failed"])
def test_a_person_settles_an_effect(cli: Cli, verdict: str) -> None:
    interrupted()
    ran = cli("answer", ID, verdict, "--by", "ada")
    assert (ran.status, ran.out) == (0, f"{ID}: {verdict}\n")
    assert f"mayfly resume {RUN}" in ran.err
    assert json.loads(cli("inbox", "--json").out) == []


def test_what_an_effect_gave_is_recorded(cli: Cli) -> None:
    interrupted()
    ran = cli("answer", ID, "done", "--value", '{"failed": 2}', "--by", "ada", "--json")
    assert json.loads(ran.out) == {"id": ID, "verdict": "done", "by": "ada", "value": {"failed": 2}}
    [event] = cli("log", "--kind", "effect.settled", "--json").out.splitlines()
    assert json.loads(event)["payload"] == {"verdict": "done", "by": "ada", "value": {"failed": 2}}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([ID, "maybe"], "'maybe' is no verdict; say one of done, again, failed"),
        ([ID, "again", "--value", "1"], "--value goes with done"),
        ([ID, "done", "--value", "{"], "--value is not JSON"),
        ([ID, "done", "--model", "x"], "--model goes with a call for help"),
        ([f"{RUN}/0.9", "done"], f"there is no unknown effect {RUN}/0.9; see: mayfly inbox"),
        (["h-1", "hint", "--value", "1"], "--value goes with an effect"),
        (["h-1", "hint"], "there is no call for help h-1"),
    ],
)
def test_a_wrong_answer_is_one_line_and_changes_nothing(cli: Cli, args: list[str], words: str) -> None:
    interrupted()
    ran = cli("answer", *args)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert len(json.loads(cli("inbox", "--json").out)) == 1


def test_m07_the_older_names_are_the_same_commands(cli: Cli) -> None:
    interrupted()
    assert cli("help", "list", "--json") == cli("inbox", "--json")
    assert cli("help", "answer", ID, "done", "--by", "ada").out == f"{ID}: done\n"
    assert cli("help", "list") == (0, "", "nothing waits for you\n")
