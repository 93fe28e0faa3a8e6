"""`mayfly run` over data, as a person sees it: the reading, the lines, the proof, and what to choose from."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from mayfly.cli import _progress, _run

from .conftest import Cli

TABLE = "name,amount\nann,10\nbob,20\nann,5\n"


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "t.csv").write_text(TABLE)
    return "t.csv"


def labels(err: str) -> dict[str, str]:
    """Return the lines of a picture by their labels."""
    return {line[:9].strip(): line[10:] for line in err.splitlines()}


def test_the_picture_has_reading_lines_proof_and_end(cli: Cli, table: str) -> None:
    ran = cli("run", "sum of amount by name", "--input", table)
    assert (ran.status, json.loads(ran.out)) == (0, {"ann": 15, "bob": 20})
    said = labels(ran.err)
    assert list(said) == ["read as", "lines", "proof", "resolved"]
    assert said["read as"] == "sum of amount, by name"
    assert said["lines"] == "4: 3 used, 1 header"
    assert said["proof"] == "strong: an independent reading of all 4 lines agrees; 6 tests"
    assert said["resolved"].endswith(f", 0 model calls; why: mayfly why {said['resolved'].split()[0]}")


def test_a_cached_answer_is_told_as_fully(cli: Cli, table: str) -> None:
    first = labels(cli("run", "sum of amount", "--input", table).err)
    again = labels(cli("run", "sum of amount", "--input", table).err)
    assert (again["read as"], again["lines"]) == (first["read as"], first["lines"])
    assert again["proof"] == first["proof"].replace("strong:", "strong when it was written:")
    assert ", cached, 0 model calls" in again["resolved"]


def test_quiet_shows_nothing_of_it(cli: Cli, table: str) -> None:
    assert cli("run", "sum of amount", "--input", table, "-q") == (0, "35\n", "")


def test_gate_numbers_are_for_those_who_ask(cli: Cli, table: str) -> None:
    shown = cli("run", "sum of amount", "--input", table, "-v").err
    for words in ("budget 1.00", "stability ", "arms ", "risk ", "types ok", "\nran ", "\nproof "):
        assert words in shown


def test_a_long_reading_is_shown_whole(cli: Cli, table: str) -> None:
    names = " or ".join(f"name is {letter}{letter}{letter}" for letter in "abcdefghijk")
    ran = cli("run", "sum", "--input", table, "--reading", f"sum of amount where {names.replace(' is ', ' = ')}")
    assert labels(ran.err)["read as"].endswith("name = kkk")


def test_what_was_filtered_and_not_understood_is_said(cli: Cli, tmp_path: Path) -> None:
    rows = [f'{{"kind": "{"ab"[n % 2]}", "n": {n}}}' for n in range(200)]
    rows[150] = "{broken"
    (tmp_path / "rows.jsonl").write_text("\n".join(rows) + "\n")
    ran = cli("run", "sum of n where kind = a", "--input", "rows.jsonl", "--json", "--quiet")
    found = json.loads(ran.out)
    assert found["account"]["not_understood"] == 1
    assert found["account"]["lines"] == 200
    again = cli("run", "sum of n where kind = a", "--input", "rows.jsonl")
    said = labels(again.err)["lines"]
    assert said == "200: 99 used, 100 filtered out, 1 not understood (first: line 151)"


def test_json_has_the_reading_the_account_and_the_evidence(cli: Cli, table: str) -> None:
    found = json.loads(cli("run", "sum of amount", "--input", table, "--json", "-q").out)
    assert found["reading"] == "sum of amount"
    assert found["readings"] == []
    assert found["candidate"] is None
    assert {"lines": 4, "used": 3, "filtered": 0, "not_understood": 0}.items() <= found["account"].items()
    assert set(found["proof"]) >= {"strength", "evidence", "open", "tests", "mutants_killed", "mutants"}
    [witness] = found["proof"]["evidence"]
    assert (witness["kind"], witness["what"]) == ("reading", "an independent reading of all 4 lines agrees")
    assert found["proof"]["open"] == []


def test_readings_come_with_the_command_that_takes_each(cli: Cli, table: str) -> None:
    ran = cli("run", "newest per name", "--input", table, "--ground", "0")
    assert (ran.status, ran.out) == (3, "0\n")
    assert "asked     r-" in ran.err
    assert "nothing was made of 'newest'" in ran.err
    lines = ran.err.splitlines()
    place = lines.index("  1  count, by name")
    assert lines[place + 1] == '     gives {"ann": 2, "bob": 1}'
    typed = shlex.split(lines[place + 2])
    assert typed[0] == "mayfly"
    taken = cli(*typed[1:])
    assert (taken.status, json.loads(taken.out)) == (0, {"ann": 2, "bob": 1})


def test_readings_are_in_the_json(cli: Cli, table: str) -> None:
    ran = cli("run", "newest per name", "--input", table, "--json")
    assert ran.status == 3
    assert json.loads(ran.out)["readings"][0] == {"reading": "count, by name", "gives": {"ann": 2, "bob": 1}}


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(_run, "can_ask", lambda: True)
    monkeypatch.setattr(_progress, "_read_key", lambda: key)


def test_on_a_terminal_one_key_takes_a_reading(cli: Cli, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "1")
    ran = cli("run", "newest per name", "--input", table)
    assert (ran.status, json.loads(ran.out)) == (0, {"ann": 2, "bob": 1})
    assert "which one? (1, any other key to stop) 1\n" in ran.err
    assert "--reading" not in ran.err
    assert "read as   count, by name" in ran.err


def test_any_other_key_gives_the_fallback(cli: Cli, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "q")
    ran = cli("run", "newest per name", "--input", table)
    assert (ran.status, ran.out) == (3, "null\n")
    assert ran.err.count("what would help") == 1


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ("count, bye name", "at character 8: found 'bye'"),
        ("sum of amonut", "there is no column 'amonut' (columns are name, amount) at character 8"),
        ("what do you mean", "the reading is not understood"),
    ],
)
def test_a_reading_with_an_error_is_one_line_that_names_the_place(
    cli: Cli, table: str, reading: str, words: str
) -> None:
    ran = cli("run", "count", "--input", table, "--reading", reading)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """Have one line in ten not understood."""
    rows = ["{broken" if n % 10 == 3 else json.dumps({"n": n}) for n in range(40)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows) + "\n")
    return "rows.jsonl"


def test_many_bad_lines_are_asked_about_with_what_it_would_give(cli: Cli, broken: str) -> None:
    ran = cli("run", "count records", "--input", broken)
    assert (ran.status, ran.out) == (3, "null\n")
    assert labels(ran.err)["lines"] == "40: 36 used, 4 not understood (first: line 4)"
    assert "     gives 36" in ran.err
    typed = shlex.split(ran.err.splitlines()[-1])
    assert typed[-2:] == ["--bad-lines", "skip"]
    assert cli(*typed[1:])[:2] == (0, "36\n")


def test_what_is_left_out_each_time_does_not_make_a_known_agent_strange(cli: Cli, broken: str) -> None:
    options = ("run", "count records", "--input", broken, "--bad-lines", "skip", "--json", "-q")
    assert [json.loads(cli(*options).out)["cached"] for _ in range(2)] == [False, True]


def test_bad_lines_can_stop_a_run(cli: Cli, broken: str) -> None:
    ran = cli("run", "count records", "--input", broken, "--bad-lines", "stop")
    assert (ran.status, ran.out) == (1, "null\n")
    assert "gave the fallback r-" in ran.err
    assert "4 of 40 lines were not understood (first: line 4: '{broken')" in ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bad-lines", "drop"], "--bad-lines drop: it is one of ask, skip, stop"),
        (["--as", "xml"], "--as xml: there is no such form; one of json, csv, tsv, lines, table"),
        (["--as", "csv", "--json"], "choose one"),
        (["--input", "t.csv", "--examples", "e.json"], "two inputs: this needs a question that joins them"),
        (["--input", "t.csv", "--input", "t.csv"], "3 inputs were given"),
        (["--input", "none.csv"], "cannot read none.csv"),
        (["--reading", "count", "--examples", "e.json"], "--reading goes without --examples"),
    ],
)
def test_options_that_cannot_be_meant_are_one_line(
    cli: Cli, table: str, tmp_path: Path, options: list[str], words: str
) -> None:
    (tmp_path / "e.json").write_text('[{"input": 1, "output": 1}]')
    ran = cli("run", "count", "--input", table, *options)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_a_reading_needs_data(cli: Cli) -> None:
    assert cli("run", "count", "--reading", "count").err.startswith("mayfly: --reading needs --input")


def test_a_request_as_long_as_a_book_is_one_line(cli: Cli, table: str) -> None:
    ran = cli("run", "count " * 17_000, "--input", table)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "mayfly: the intent is 102,000 characters long; at most 20,000 are read; give data with --input FILE\n"
    )


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("json", '{"ann": 15, "bob": 20}\n'),
        ("csv", "name,sum of amount\nann,15\nbob,20\n"),
        ("tsv", "name\tsum of amount\nann\t15\nbob\t20\n"),
        ("lines", "ann\t15\nbob\t20\n"),
        ("table", "name  sum of amount\n----  -------------\nann              15\nbob              20\n"),
    ],
)
def test_the_answer_comes_in_the_form_that_was_asked_for(cli: Cli, table: str, form: str, expected: str) -> None:
    ran = cli("run", "sum of amount by name", "--input", table, "--as", form)
    assert (ran.status, ran.out) == (0, expected)


def test_two_inputs_are_joined_and_both_accounted_for(cli: Cli, table: str, tmp_path: Path) -> None:
    (tmp_path / "cities.csv").write_text("name,city\nann,Rome\nbob,Oslo\nzoe,Bern\n")
    ran = cli("run", "sum of amount by city", "--input", table, "--input", "cities.csv")
    assert (ran.status, json.loads(ran.out)) == (0, {"Oslo": 20, "Rome": 15})
    said = labels(ran.err)
    assert said["read as"] == "sum of amount, joined on name = name, by city"
    assert said["lines"] == "4: 3 used, 1 header; in the second input 4: 3 used, 1 header"
    assert said["proof"] == "strong: an independent reading of all 8 lines agrees; 4 tests"


def test_stdin_is_read_as_lines(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(TABLE.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert cli("run", "sum of amount", "--input", "-").out == "35\n"


def test_why_log_and_trace_show_the_reading_and_the_lines(cli: Cli, table: str) -> None:
    id: Any = json.loads(cli("run", "sum of amount", "--input", table, "--json", "-q").out)["id"]
    for told in (cli("why", id).out, cli("trace", id).out):
        assert "\n  read as: sum of amount\n" in told
        assert "\n  lines: 4: 3 used, 1 header\n" in told
    logged = cli("log", "--id", id, "--kind", "run.resolved").out
    assert '  reading="sum of amount" lines="4: 3 used, 1 header" cached=false ' in logged
    asked: Any = json.loads(cli("run", "newest per name", "--input", table, "--json", "-q").out)["id"]
    assert "\n  could mean: count, by name" in cli("why", asked).out


def test_a_question_about_many_files_that_no_cluster_helps_with_is_said_in_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(TABLE)
    monkeypatch.setenv("MAYFLY_ENGINE", "ray")
    monkeypatch.setenv("MAYFLY_PROMISE_SPLIT_FROM", "1")
    ran = cli("run", "median amount", "--input", "*.csv")
    assert (ran.status, json.loads(ran.out)) == (0, 10)
    reason = "all files are asked about on this machine: median cannot be computed from partial results"
    assert labels(ran.err)["input"] == reason
    # What could be spread needs the cluster.
    alone = cli("run", "sum of amount", "--input", "*.csv")
    assert (alone.status, alone.out) != (0, "70\n")
    assert "the ray engine needs a shared store" in alone.err


def test_over_how_many_tasks_files_are_spread_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    told = _progress.Progress()
    told("spread", (8, 2))
    told("spread", (8, 1))
    assert capsys.readouterr().err.splitlines() == [
        "input     8 files, asked by 2 tasks on the nodes",
        "input     8 files, asked by 1 task on the nodes",
    ]
