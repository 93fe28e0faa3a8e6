"""`mayfly plan`: the tree is printed, and nothing is run."""

import json
import sys
from pathlib import Path

import pytest

from mayfly.cli._trace import show_plan
from mayfly.promise import Promise

from .conftest import Cli
from .trees import promise, sample

INTENT = "Fix the bug in auth module"


def test_in_a_pipe_a_plan_is_a_line_for_each_promise(capsys: pytest.CaptureFixture[str]) -> None:
    show_plan(sample())
    ran = capsys.readouterr()
    assert ran.out.splitlines() == [
        "Fix the bug in auth module                  budget 1.00  probabilistic 0.7  children",
        "├─ Diagnose the bug                         budget 0.50  probabilistic 0.7  children",
        "│  ├─ Read auth.py                          budget 0.33  probabilistic 0.7  read_file",
        "│  └─ Find failing test                     budget 0.33  probabilistic 0.7  find_failing_tests",
        "└─ Apply the fix  (after Diagnose the bug)  budget 0.50  probabilistic 0.7  children",
        "   └─ Modify code + run tests               budget 0.33  probabilistic 0.7  nothing: needs a model (--model)",
    ]
    assert ran.err == "6 promises, 1 of them ground · nothing was run; to run it: mayfly run INTENT\n"


def test_on_a_terminal_what_collapsed_is_grey(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show_plan(sample())
    grey = [line for line in capsys.readouterr().out.splitlines() if line.startswith("\x1b[2m")]
    assert len(grey) >= 1
    assert "Modify code" in grey[0]


def test_a_collapsed_promise_shows_its_own_reason(capsys: pytest.CaptureFixture[str]) -> None:
    root = promise("Do everything", "children")
    root.collapse("500 children are more than 64", "LIMIT")
    show_plan(root)
    assert "nothing: 500 children are more than 64" in capsys.readouterr().out


def test_text_from_elsewhere_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    root = promise("wipe \x1b[2J\nthe screen", "capability", "\x1b]0;title\x07")
    root.add(Promise("reason", ground=None)).collapse("\x1b[31mred\r", "CHAOTIC")
    show_plan(root)
    out = capsys.readouterr().out
    assert not set("\x1b\x07\r") & set(out)
    assert len(out.splitlines()) == 2


def test_a_plan_is_printed_with_budgets_and_reality(cli: Cli) -> None:
    ran = cli("plan", INTENT)
    assert ran.status == 0
    assert ran.out.splitlines()[0].startswith(INTENT)
    assert "budget 1.00" in ran.out
    assert "probabilistic" in ran.out
    assert "nothing was run" in ran.err


def test_json_has_the_keys_that_scripts_rely_on(cli: Cli) -> None:
    ran = cli("plan", INTENT, "--json")
    found = json.loads(ran.out)
    assert {"intent", "reality", "confidence", "depth", "budget", "served_by", "children"} <= set(found)
    assert (ran.status, ran.err, found["intent"], found["budget"]) == (0, "", INTENT, 1.0)


def test_planning_runs_nothing(cli: Cli) -> None:
    cli("plan", INTENT)
    assert cli("log", "--kind", "sandbox.ran").out == ""
    assert cli("log", "--kind", "promise.began").out == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["plan", " "], "the intent is empty"),
        (["plan", "x", "--input", "missing.log"], "cannot read missing.log"),
        (["plan", "x", "--examples", "missing.json"], "cannot read missing.json"),
        (["plan", "x", "--ground", "{"], "--ground is not JSON"),
        (["plan", "x", "--context", "nonsense"], "is not KEY=VALUE"),
        (["plan"], "Missing argument 'INTENT'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli: Cli, tmp_path: Path, args: list[str], words: str) -> None:
    ran = cli(*args)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
