"""`mayfly sandbox exec`: the real wall, and every way to call it wrong."""

import io
import json
import sys
from pathlib import Path
from typing import NoReturn

import pytest

import mayfly.sandbox
from mayfly.core import MachineError

from .conftest import Cli, Ran

KEYS = {"status", "value", "error", "level", "milliseconds", "output", "traceback"}


def program(text: str) -> str:
    Path("job.py").write_text(text, encoding="utf-8")
    return "job.py"


def execute(cli: Cli, source: str, *args: str) -> Ran:
    return cli("sandbox", "exec", program(source), "--entry", "f", *args)


def test_the_value_is_the_answer_and_what_was_printed_is_not(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    print('hello')\n    return {'twice': x * 2}\n", "--input", "21")
    assert ran == (0, '{"twice": 42}\n', "hello\n")


def test_json_has_every_key(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    print('hello')\n    return x\n", "--input", '["é"]', "--json")
    found = json.loads(ran.out)
    assert set(found) >= KEYS
    assert (found["status"], found["value"], found["output"]) == ("ok", ["é"], "hello\n")
    assert found["level"] in ("namespaces", "landlock")
    assert found["milliseconds"] > 0
    assert ran.err == ""


def test_a_failing_program_is_one_line_and_status_1(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    return 1 / x\n", "--input", "0")
    assert ran.status == 1
    assert ran.out == ""
    assert ran.err.startswith("mayfly: error: ZeroDivisionError")
    assert ran.err.count("\n") == 1


def test_the_traceback_of_the_program_is_shown_when_asked_for(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    return 1 / x\n", "--input", "0", "--traceback")
    assert "line 2" in ran.err


def test_a_program_that_does_not_come_back_is_stopped(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    while True: pass\n", "--timeout", "0.3", "--json")
    assert ran.status == 1
    assert json.loads(ran.out)["status"] == "timeout"


def test_the_source_may_come_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"def f(x):\n    return x\n")))
    assert cli("sandbox", "exec", "-", "--entry", "f", "--input", "7").out == "7\n"


def test_the_input_may_come_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1, 2]")))
    assert execute(cli, "def f(x):\n    return sum(x)\n", "--input", "-").out == "3\n"


def test_numbers_longer_than_pythons_limit_are_printed(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    return 10 ** 5000\n", "--json")
    assert ran.out.count("0") >= 5000


def test_lone_surrogates_do_not_break_the_answer(cli: Cli) -> None:
    ran = execute(cli, "def f(x):\n    return '\\ud800'\n", "--json")
    assert json.loads(ran.out)["value"] == "\ud800"


def test_guarded_imports_permit_what_is_named(cli: Cli) -> None:
    source = "def f(x):\n    import os, math\n    return math.floor(2.5)\n"
    assert execute(cli, source).status == 0
    assert execute(cli, source, "--tier", "ephemeral").status == 1
    assert execute(cli, source, "--imports", "math").status == 1
    assert execute(cli, source, "--imports", "math, os").status == 0


def test_the_pinned_lane_runs_too(cli: Cli) -> None:
    assert execute(cli, "def f(x):\n    return x\n", "--lane", "pinned", "--input", "3").out == "3\n"


def test_lines_of_a_file_are_handed_in(cli: Cli) -> None:
    Path("log.txt").write_text("a\nbb\n")
    ran = execute(cli, "def f(lines):\n    return [len(line.rstrip()) for line in lines]\n", "--lines", "log.txt")
    assert ran.out == "[1, 2]\n", ran.err


def test_a_workspace_opens_one_directory(cli: Cli) -> None:
    Path("shared").mkdir()
    Path("shared/note").write_text("hello")
    source = "from pathlib import Path\n\ndef f(x):\n    return [p.name for p in Path('/workspace').iterdir()]\n"
    ran = execute(cli, source, "--grant", "fs:workspace", "--workspace", "shared")
    assert ran.out == '["note"]\n', ran.err


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--input", "{bad"], "mayfly: --input is not JSON: {bad ("),
        (["--input", "NaN"], "mayfly: --input is not JSON: NaN (NaN is not a JSON number)"),
        (["--input", "[" * 100_000], "mayfly: --input is not JSON: [[["),
        (["--timeout", "0"], "mayfly: --timeout must be a number of seconds above 0, not 0; "),
        (["--timeout", "-1"], "mayfly: --timeout must be a number of seconds above 0, not -1; "),
        (["--timeout", "nan"], "mayfly: --timeout must be a number of seconds above 0, not nan; "),
        (["--timeout", "inf"], "mayfly: --timeout must be a number of seconds above 0, not inf; "),
        (["--timeout", "soon"], "mayfly: Invalid value for '--timeout'"),
        (["--lane", "fast"], "mayfly: Invalid value for '--lane'"),
        (["--level", "none"], "mayfly: Invalid value for '--level'"),
        (["--tier", "authored"], "mayfly: Invalid value for '--tier'"),
        (["--imports", "re", "--tier", "ephemeral"], "mayfly: --imports and --tier exclude each other; "),
        (["--workspace", "nowhere"], "mayfly: --workspace nowhere is not a directory; "),
        (["--grant", "nonsense"], "mayfly: "),
        (["--lines", "nowhere"], "mayfly: cannot read nowhere: No such file or directory; "),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(cli: Cli, args: list[str], line: str) -> None:
    ran = execute(cli, "def f(x):\n    return x\n", *args)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith(line)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["nowhere.py", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_named(cli: Cli, name: str) -> None:
    ran = cli("sandbox", "exec", name, "--entry", "f")
    assert ran.status == 2
    assert ran.err.startswith("mayfly: cannot read ")


def test_both_from_standard_input_is_wrong(cli: Cli) -> None:
    assert cli("sandbox", "exec", "-", "--entry", "f", "--input", "-").status == 2


@pytest.mark.parametrize("source", [b"\0", b"\xff\xfe", b"def f(:\n", b"x = 1\n"])
def test_a_program_that_cannot_be_called_is_an_error_of_its_own(cli: Cli, source: bytes) -> None:
    Path("job.py").write_bytes(source)
    ran = cli("sandbox", "exec", "job.py", "--entry", "f", "--json")
    assert ran.status == 1
    assert json.loads(ran.out)["status"] in ("error", "refused")


def test_a_machine_without_a_wall_is_status_4(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise MachineError("no level of the sandbox works here", fix="see: mayfly doctor")

    monkeypatch.setattr(mayfly.sandbox, "Sandbox", refuse)
    plain = execute(cli, "def f(x):\n    return x\n")
    assert plain == (4, "", "mayfly: no level of the sandbox works here; see: mayfly doctor\n")
    as_json = execute(cli, "def f(x):\n    return x\n", "--json")
    assert as_json.status == 4
    assert json.loads(as_json.out)["status"] == "refused"


def test_every_run_is_in_the_ledger(cli: Cli) -> None:
    execute(cli, "def f(x):\n    return 1 / x\n", "--input", "0")
    events = [json.loads(line) for line in cli("log", "--kind", "sandbox.ran", "--json").out.splitlines()]
    assert [event["payload"]["status"] for event in events] == ["error"]


def test_a_ledger_that_cannot_be_written_costs_a_line_and_not_the_answer(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAYFLY_STATE_DIR", "/dev/null/state")
    ran = execute(cli, "def f(x):\n    return x\n", "--input", "3")
    assert (ran.status, ran.out) == (0, "3\n")
    assert ran.err.startswith("mayfly: not recorded in the ledger: ")


def each(cli: Cli, lines: str, *args: str) -> Ran:
    Path("items.jsonl").write_text(lines, encoding="utf-8")
    return execute(
        cli, "kept = []\ndef f(x):\n    kept.append(10 / x)\n    return kept\n", "--each", "items.jsonl", *args
    )


def values(ran: Ran) -> list[object]:
    return [json.loads(line)["value"] for line in ran.out.splitlines()]


def test_each_line_has_a_fresh_worker_and_an_answer_in_its_place(cli: Cli) -> None:
    ran = each(cli, "1\n2\n\n5\n")
    assert (ran.status, values(ran), ran.err) == (0, [[10.0], [5.0], [2.0]], "")
    assert set(json.loads(ran.out.splitlines()[0])) >= KEYS


def test_pinned_workers_are_shared_by_the_lines(cli: Cli) -> None:
    ran = each(cli, "1\n" * 50, "--lane", "pinned")
    assert ran.status == 0
    assert max(len(value) for value in values(ran) if isinstance(value, list)) > 1


def test_a_line_that_fails_is_one_answer_and_the_others_go_on(cli: Cli) -> None:
    ran = each(cli, "1\n0\n2\n")
    assert (ran.status, values(ran)) == (1, [[10.0], None, [5.0]])
    assert ran.err == "mayfly: 1 of 3 did not end well\n"


def test_what_is_before_a_line_that_is_not_json_is_answered(cli: Cli) -> None:
    ran = each(cli, "1\n2\nnope\n3\n")
    assert (ran.status, values(ran)) == (2, [[10.0], [5.0]])
    assert ran.err.startswith("mayfly: line 3 of items.jsonl is not JSON")


def test_each_line_that_ran_is_recorded(cli: Cli) -> None:
    each(cli, "1\n0\n2\n")
    events = [json.loads(line) for line in cli("log", "--kind", "sandbox.ran", "--json").out.splitlines()]
    assert len(events) == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--each", "-", "--input", "1"], "--each says what it is called with"),
        (["--each", "-", "--lines", "job.py"], "--each says what it is called with"),
        (["--each", "-", "--input", "-"], "cannot share standard input"),
        (["--each", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (["--each", "/dev/null"], "--each has no line to call it with"),
    ],
)
def test_each_that_makes_no_sense_is_one_line(cli: Cli, args: list[str], said: str) -> None:
    ran = execute(cli, "def f(x): return x", *args)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
