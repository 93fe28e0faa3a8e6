"""Write one file: whole or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from mayfly.core import InputError, Invocation, LimitError, NotSent
from mayfly.sandbox.workbench import Entry
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.world import _write

from .conftest import Checks, Run, get


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
    run("write_file", {"path": "a.txt", "content": "new"})
    assert (workspace / "a.txt").read_text() == "new"
    assert (workspace / "a.txt").stat().st_mode & 0o777 == 0o640


def test_data_is_written_as_json(run: Run, workspace: Path) -> None:
    run("write_file", {"path": "out.json", "content": {"name": "Ada"}})
    assert (workspace / "out.json").read_text() == '{\n  "name": "Ada"\n}\n'


def test_an_empty_file_can_be_written(run: Run, workspace: Path) -> None:
    run("write_file", {"path": "empty", "content": ""})
    assert (workspace / "empty").read_bytes() == b""


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({}, "path is missing"),
        ({"path": "b.txt"}, "content is missing"),
        ({"content": "x"}, "path is missing"),
        ({"path": "b.txt", "content": "x", "mode": "a"}, "'mode' is not known"),
        ({"path": "b.txt", "content": {1}}, "neither text nor data"),
        ({"path": "src", "content": "x"}, "not a regular file"),
        ({"path": ".", "content": "x"}, "is a directory"),
        ({"path": "new/", "content": "x"}, "is a directory"),
        ({"path": "a.txt/b", "content": "x"}, "is no directory"),
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
    put_file = Beneath.put_file

    def fail(self: Beneath, path: str, source: str, entry: Entry) -> None:
        if "/new/" in source:
            raise OSError(28, "No space left on device")
        put_file(self, path, source, entry)

    monkeypatch.setattr("mayfly.sandbox.workbench._beneath.Beneath.put_file", fail)
    before = sorted(workspace.rglob("*"))
    with pytest.raises(NotSent, match="No space left"):
        run("write_file", {"path": "a.txt", "content": "new"})
    assert sorted(workspace.rglob("*")) == before
    assert (workspace / "a.txt").read_text() == "one\ntwo\nthree"


def test_the_rules_see_the_content_and_of_a_large_one_its_hash(workspace: Path) -> None:
    capability = get("write_file")
    small = Invocation(arguments={"path": "b", "content": "x"}, workspace=workspace)
    large = Invocation(arguments={"path": "b", "content": "x" * 200_000}, workspace=workspace)
    assert capability.asks(small)[0].payload == "x"
    (asked,) = capability.asks(large)
    assert hashlib.sha256(b"x" * 200_000).hexdigest() in asked.payload
    assert len(asked.payload) < 101_000


@pytest.mark.parametrize(("before", "after"), [("", "x"), ("a\n", "a\nx"), ("a", "a\nx"), (None, "x")])
def test_a_text_is_appended_on_a_line_of_its_own(run: Run, workspace: Path, before: str | None, after: str) -> None:
    if before is not None:
        (workspace / "n.txt").write_text(before)
    run("append_file", {"path": "n.txt", "content": "x"})
    assert (workspace / "n.txt").read_text() == after


def test_a_file_is_copied_and_the_first_stays(run: Run, checks: Checks, workspace: Path) -> None:
    value = run("copy_file", {"path": "a.txt", "target": "new/b.txt"})
    assert (workspace / "new/b.txt").read_text() == (workspace / "a.txt").read_text()
    (workspace / "new/b.txt").write_text("other")
    assert checks("copy_file", {"path": "a.txt", "target": "new/b.txt"}, value) is False


def test_a_file_is_moved_and_nothing_is_overwritten(run: Run, workspace: Path) -> None:
    run("move_file", {"path": "a.txt", "target": "new/b.txt"})
    assert (workspace / "new/b.txt").read_text() == "one\ntwo\nthree"
    assert not (workspace / "a.txt").exists()
    with pytest.raises(NotSent, match=r"data.json is there already"):
        run("move_file", {"path": "new/b.txt", "target": "data.json"})


def test_a_file_is_deleted_and_what_is_not_there_was_not(run: Run, workspace: Path) -> None:
    run("delete_file", {"path": "a.txt"})
    assert not (workspace / "a.txt").exists()
    for path in ("a.txt", "src"):
        with pytest.raises(NotSent, match=r"No such file|not a regular file"):
            run("delete_file", {"path": path})


def test_a_directory_is_made_with_those_above_it(run: Run, workspace: Path) -> None:
    assert run("make_directory", {"path": "x/y"}) == run("make_directory", {"path": "x/y"}) == {"path": "x/y"}
    assert (workspace / "x/y").is_dir()
