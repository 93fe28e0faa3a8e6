"""`mayfly do`, `chat`, `undo`, `approve`, `deny` and `agents`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli


def _script(*answers: object) -> str:
    lines = [json.dumps({"for": "chat", "answer": answer}) for answer in answers]
    Path("../script.jsonl").write_text("\n".join(lines) + "\n")
    return "scripted:../script.jsonl"


def _call(name: str, **arguments: object) -> dict[str, object]:
    return {"text": "", "calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory of its own: scripts and state lie beside it."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_do_does_one_request_and_says_what_changed(cli: Cli) -> None:
    Path("a.txt").write_text("old\n")
    model = _script(_call("file_write", path="a.txt", content="new\n"), "it says new now")
    ran = cli("do", "Fix a.txt", "--model", model)
    assert (ran.status, ran.out) == (0, "it says new now\n"), ran.err
    assert "+new" in ran.err
    assert Path("a.txt").read_text() == "new\n"


def test_do_as_json_has_every_call(cli: Cli) -> None:
    model = _script(_call("file_write", path="a.txt", content="x"), "done")
    told = json.loads(cli("do", "Create a.txt", "--model", model, "--json").out)
    assert (told["status"], told["text"]) == ("done", "done")
    assert [(call["tool"], call["status"]) for call in told["calls"]] == [("file_write", "ok")]
    assert told["calls"][0]["commit"].startswith("w-")


def test_what_is_held_is_shown_approved_denied_and_told_by_the_status(cli: Cli) -> None:
    model = _script(_call("file_write", path=".envrc", content="x\n"), "it waits")
    assert cli("do", "Create .envrc", "--model", model).status == 3
    id = json.loads(cli("inbox", "--json").out)[0]["id"]
    assert "+x" in cli("approve", id, "--show").out
    assert not Path(".envrc").exists()
    assert cli("approve", id, "--by", "T", "--reason", "fine").status == 0
    assert Path(".envrc").read_text() == "x\n"
    assert cli("approve", id).status == 2
    cli("do", "Create .envrc", "--model", _script(_call("file_write", path=".envrc", content="y\n"), "it waits"))
    id = json.loads(cli("inbox", "--json").out)[0]["id"]
    assert cli("deny", id).status == 0
    assert Path(".envrc").read_text() == "x\n"
    assert json.loads(cli("inbox", "--json").out) == []


def test_undo_lists_shows_takes_back_and_does_again(cli: Cli) -> None:
    Path("a.txt").write_text("old\n")
    cli("do", "Fix a.txt", "--model", _script(_call("file_write", path="a.txt", content="new\n"), "done"))
    [made] = json.loads(cli("undo", "--list", "--json").out)
    assert made["changes"] == [{"kind": "changed", "path": "a.txt"}]
    assert made["size"] == len("old\n")
    listed = cli("undo", "--list").out
    assert "kept: 1 changes with 4 bytes" in listed
    assert "workbench.undo_commits 100, workbench.undo_size 2,147,483,648 bytes" in listed
    assert "-old" in cli("undo", "--show").out
    taken = json.loads(cli("undo", "--json").out)
    assert Path("a.txt").read_text() == "old\n"
    assert cli("undo", taken["id"]).status == 0
    assert Path("a.txt").read_text() == "new\n"


def test_undo_of_what_was_changed_since_is_a_conflict(cli: Cli) -> None:
    Path("a.txt").write_text("old\n")
    cli("do", "Fix a.txt", "--model", _script(_call("file_write", path="a.txt", content="new\n"), "done"))
    Path("a.txt").write_text("mine\n")
    ran = cli("undo")
    assert ran.status != 0
    assert "a.txt" in ran.err
    assert Path("a.txt").read_text() == "mine\n"


def test_nothing_to_undo_is_said(cli: Cli) -> None:
    assert "nothing was changed" in cli("undo").err
    assert cli("undo", "--list").status == 0


def test_without_a_model_one_tool_is_used_and_the_rest_needs_one(cli: Cli) -> None:
    Path("a.py").write_text("# TODO: more\n")
    ran = cli("do", "find TODO in .")
    assert ran.status == 0, ran.err
    assert "a.py" in ran.out
    assert "needs a model" in cli("do", "Fix the bug in a.py").out


def test_agents_lists_sessions(cli: Cli) -> None:
    assert "no session yet" in cli("agents").err
    cli("do", "Create a.txt", "--model", _script("fine"))
    [told] = json.loads(cli("agents", "--json").out)
    assert (told["kind"], told["turns"], told["last"]) == ("session", 1, "Create a.txt")


def test_bad_requests_are_one_line(cli: Cli) -> None:
    for words in (["do", " "], ["do", "x", "--workspace", "gone"], ["approve", "a-0"], ["chat", "--resume", "s-0"]):
        ran = cli(*words)
        assert ran.status == 2, words
        assert ran.err.count("\n") == 1, ran.err


def test_what_a_tool_gave_is_drawn_without_what_a_terminal_obeys(cli: Cli) -> None:
    Path("a.txt").write_bytes(b"\x1b[31mred\x07\r\n")
    model = _script(_call("file_read", path="a.txt"), _call("file_read", path="a\x1b[2J.txt"), "done")
    ran = cli("do", "Explain a.txt", "--model", model, "--verbose")
    assert ran.status == 0, ran.err
    assert "\\x1b[31mred" in ran.err
    for shown in (ran, cli("log"), cli("trace", json.loads(cli("agents", "--json").out)[0]["id"])):
        assert not {"\x1b", "\x07", "\r"} & set(shown.out + shown.err)
