"""`mayfly kill`: one switch, with the name of whoever turned it."""

import json

import pytest

from .conftest import Cli


def test_nobody_has_turned_it_so_it_is_off(cli: Cli) -> None:
    assert cli("kill", "status") == (0, "off\n", "")
    assert json.loads(cli("kill", "status", "--json").out) == {"on": False, "by": None, "reason": "", "at": None}


def test_looking_at_it_makes_no_ledger(cli: Cli) -> None:
    cli("kill", "status")
    assert "nothing is recorded yet" in cli("log").err


def test_on_and_off_are_remembered_with_name_and_reason(cli: Cli) -> None:
    on = cli("kill", "on", "--by", "ada", "--reason", "it costs too much")
    assert (on.status, on.out) == (0, "on\n")
    assert "to go on: mayfly kill off" in on.err
    found = json.loads(cli("kill", "status", "--json").out)
    assert (found["on"], found["by"], found["reason"]) == (True, "ada", "it costs too much")
    assert "on by ada at " in cli("kill", "status").err
    assert cli("kill", "off").out == "off\n"
    assert json.loads(cli("kill", "status", "--json").out)["on"] is False


def test_json_alone_is_on_stdout(cli: Cli) -> None:
    assert json.loads(cli("kill", "on", "--json").out)["on"] is True


def test_a_name_from_elsewhere_is_shown_and_not_obeyed(cli: Cli) -> None:
    ran = cli("kill", "on", "--by", "\x1b[2Jada", "--reason", "\x1b]0;t\x07")
    assert "\x1b" not in ran.err + ran.out


@pytest.mark.parametrize(
    ("args", "words"), [(["maybe"], "there is no command 'maybe'"), (["on", "--by", " "], "--by is empty")]
)
def test_wrong_usage_is_one_line_and_status_2(cli: Cli, args: list[str], words: str) -> None:
    ran = cli("kill", *args)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
