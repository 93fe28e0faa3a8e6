"""Write one file: whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.core import InputError, LimitError
from mayfly.library import Invocation
from mayfly.library.builtin import _write

from .conftest import Run, get

Checks = Callable[[str, object, object], object]


def test_a_file_is_written_and_its_parents_made(run: Run, workspace: Path) -> None:
    value = run("write_file", {"path": "new/deep/b.txt", "content": "hé\n"})
    assert (workspace / "new/deep/b.txt").read_text() == "hé\n"
    assert value == {"path": "new/deep/b.txt", "bytes": 4, "sha256": hashlib.sha256("hé\n".encode()).hexdigest()}


def test_the_same_twice_is_the_same_file(run: Run, workspace: Path) -> None:
    argument = {"path": "b.txt", "content": "x"}
    assert run("write_file", argument) == run("write_file", argument)
    assert (workspace / "b.txt").read_text() == "x"
    assert not [name for name in os.listdir(workspace) if "b.txt" in name and name != "b.txt"]


def test_what_was_there_is_replaced_and_its_mode_kept(run: Run, workspace: Path) -> None:
    (workspace / "a.txt").chmod(0o640)
    run("write_file", {"file": "a.txt", "text": "new"})
    assert (workspace / "a.txt").read_text() == "new"
    assert (workspace / "a.txt").stat().st_mode & 0o777 == 0o640


def test_path_and_text_may_stand_in_the_intent(run: Run, workspace: Path) -> None:
    run("write_file", intent="Write 'hello there' to notes.md")
    assert (workspace / "notes.md").read_text() == "hello there"


def test_what_flows_in_is_the_content_and_the_intent_names_the_path(run: Run, workspace: Path) -> None:
    run("write_file", {"name": "Ada"}, intent="Save this to out.json")
    assert (workspace / "out.json").read_text() == '{\n  "name": "Ada"\n}\n'
    run("write_file", "a text", intent="Write it to out.txt")
    assert (workspace / "out.txt").read_text() == "a text"


def test_an_empty_file_can_be_written(run: Run, workspace: Path) -> None:
    run("write_file", {"path": "empty", "content": ""})
    assert (workspace / "empty").read_bytes() == b""


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "path is missing"),
        ({"path": "b.txt"}, "content is missing"),
        ({"content": "x"}, "path is missing"),
        ({"path": "b.txt", "content": "x", "mode": "a"}, "'mode' is unknown"),
        ({"path": "b.txt", "content": {1}}, "neither text nor data"),
        ({"path": "src", "content": "x"}, "not a regular file"),
        ({"path": ".", "content": "x"}, "is a directory"),
        ({"path": "new/", "content": "x"}, "is a directory"),
        ({"path": "a.txt/b", "content": "x"}, "Not a directory"),
        ({"path": "../b.txt", "content": "x"}, "outside the workspace"),
        ({"path": "/tmp/b.txt", "content": "x"}, "outside the workspace"),
        ({"path": "n" * 300, "content": "x"}, "File name too long"),
        ({"path": "b.txt", "content": "\ud800"}, "half of a character"),
    ],
)
def test_a_wrong_argument_writes_nothing(run: Run, workspace: Path, argument: object, message: str) -> None:
    before = sorted(workspace.rglob("*"))
    with pytest.raises(InputError, match=message):
        run("write_file", argument)
    assert sorted(workspace.rglob("*")) == before


def test_a_link_that_leads_out_is_not_written_through(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "file").symlink_to(tmp_path / "made.txt")
    for path in ("out/made.txt", "file"):
        with pytest.raises(InputError, match="outside the workspace"):
            run("write_file", {"path": path, "content": "x"})
    assert not (tmp_path / "made.txt").exists()


def test_a_pipe_is_not_replaced(run: Run, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        run("write_file", {"path": "pipe", "content": "x"})


def test_too_much_is_a_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_write, "LARGEST", 10)
    with pytest.raises(LimitError, match="bytes to write: 12"):
        run("write_file", {"path": "b.txt", "content": "é" * 6})


def test_a_file_that_was_not_written_so_is_not_accepted(checks: Checks, run: Run, workspace: Path) -> None:
    argument = {"path": "b.txt", "content": "x"}
    value = run("write_file", argument)
    (workspace / "b.txt").write_text("y")
    assert checks("write_file", argument, value) is False


def test_a_failure_leaves_the_old_file_and_nothing_else(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    before = sorted(workspace.rglob("*"))
    with pytest.raises(InputError, match="No space left"):
        run("write_file", {"path": "a.txt", "content": "new"})
    assert sorted(workspace.rglob("*")) == before
    assert (workspace / "a.txt").read_text() == "one\ntwo\nthree"


def test_the_rules_see_the_content_and_of_a_large_one_its_hash(workspace: Path) -> None:
    builtin = get("write_file")
    small = Invocation(argument={"path": "b", "content": "x"}, workspace=workspace)
    large = Invocation(argument={"path": "b", "content": "x" * 200_000}, workspace=workspace)
    assert builtin.payload(small) == "x"
    assert hashlib.sha256(b"x" * 200_000).hexdigest() in builtin.payload(large)
    assert len(builtin.payload(large)) < 101_000
