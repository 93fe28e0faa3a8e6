"""Read, hash and count."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.core import InputError, LimitError, SandboxSettings, Settings
from mayfly.library import Invocation, Registry
from mayfly.library.builtin import builtins

from .conftest import Run

Checks = Callable[[str, object, object], object]


@pytest.mark.parametrize("argument", ["a.txt", {"path": "a.txt"}, {"file": "a.txt"}, "./a.txt", "src/../a.txt"])
def test_a_file_is_read_by_its_path(run: Run, argument: object) -> None:
    assert run("read_file", argument) == "one\ntwo\nthree"


def test_an_absolute_path_of_the_workspace_is_read(run: Run, workspace: Path) -> None:
    assert run("read_file", str(workspace / "a.txt")) == "one\ntwo\nthree"


@pytest.mark.parametrize("intent", ["Read a.txt", "Show the file a.txt", "Get the contents of a.txt"])
def test_without_an_argument_the_intent_names_the_file(run: Run, intent: str) -> None:
    assert run("read_file", intent=intent) == "one\ntwo\nthree"


def test_a_file_and_its_directory_may_be_named_apart(run: Run) -> None:
    assert run("read_file", intent="Read more.py in src/deep") == "x = 1  # TODO\n"


def test_an_intent_with_two_files_is_not_guessed_at(run: Run) -> None:
    with pytest.raises(InputError, match=r"more than one path: a.txt, b.txt"):
        run("read_file", intent="Read a.txt or b.txt")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "path is missing"),
        (7, "path must be text, not int"),
        ({"path": ["a"]}, "path must be text, not list"),
        ({"path": "a.txt", "mode": "w"}, "the field 'mode' is unknown"),
        ({"path": "a.txt", "file": "b.txt"}, "given twice"),
        ("missing.txt", r"missing.txt: No such file"),
        ("src", "is a directory, not a regular file"),
        ("", "path is empty"),
        ("a\0b", "null character"),
        ("../outside.txt", "is outside the workspace"),
        ("/etc/hostname", "is outside the workspace"),
        ("a\ud800.txt", "half of a character"),
        ({"path": "a.txt", "encoding": "rot13"}, "unknown encoding"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(run: Run, argument: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("read_file", argument)


def test_a_link_that_leads_out_is_refused(run: Run, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(InputError, match="outside the workspace"):
        run("read_file", "link.txt")


def test_a_link_within_the_workspace_is_followed(run: Run, workspace: Path) -> None:
    (workspace / "link.txt").symlink_to("a.txt")
    assert run("read_file", "link.txt") == "one\ntwo\nthree"


def test_links_that_lead_to_each_other_end(run: Run, workspace: Path) -> None:
    (workspace / "x").symlink_to("y")
    (workspace / "y").symlink_to("x")
    with pytest.raises(InputError):
        run("read_file", "x")


def test_a_pipe_is_not_waited_for(run: Run, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(InputError, match="is a pipe, not a regular file"):
        run("read_file", "pipe")


def test_a_binary_file_is_no_text(run: Run, workspace: Path) -> None:
    (workspace / "b.bin").write_bytes(b"\x00\x01")
    with pytest.raises(InputError, match="null bytes"):
        run("read_file", "b.bin")
    assert run("read_file", {"path": "b.bin", "encoding": "base64"}) == "AAE="


def test_text_in_another_encoding_has_to_be_named(run: Run, workspace: Path) -> None:
    (workspace / "l.txt").write_bytes("café".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text: byte 3"):
        run("read_file", "l.txt")
    assert run("read_file", {"path": "l.txt", "encoding": "latin1"}) == "café"


def test_line_ends_and_a_byte_order_mark_come_back_as_they_are(run: Run, workspace: Path) -> None:
    (workspace / "w.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert run("read_file", "w.txt") == "\ufeffa\r\nb\r"


def test_a_file_larger_than_a_result_is_not_read(workspace: Path) -> None:
    small = Registry(builtins(Settings(sandbox=SandboxSettings(result=100))))
    (workspace / "big.txt").write_text("x" * 101)
    with pytest.raises(LimitError, match=r"bytes of big.txt: 101 is over the limit of 100"):
        small.get("read_file").call(Invocation(argument="big.txt", workspace=workspace))


def test_what_was_not_in_the_file_is_not_accepted(checks: Checks) -> None:
    assert checks("read_file", "a.txt", "one\ntwo\nthree") is True
    assert checks("read_file", "a.txt", "one\ntwo\nfour") is False
    assert checks("read_file", "a.txt", None) is False


def test_a_file_is_hashed(run: Run, checks: Checks, workspace: Path) -> None:
    wanted = hashlib.sha256((workspace / "a.txt").read_bytes()).hexdigest()
    assert run("hash_file", intent="Hash file a.txt") == wanted
    assert checks("hash_file", "a.txt", "0" * 64) is False


@pytest.mark.parametrize(
    ("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"a\r\nb\r\n", 2)]
)
def test_lines_are_counted(run: Run, workspace: Path, content: bytes, lines: int) -> None:
    (workspace / "n.txt").write_bytes(content)
    assert run("count_lines", intent="Count lines in n.txt") == lines


def test_lines_are_counted_across_blocks(run: Run, workspace: Path) -> None:
    (workspace / "n.txt").write_bytes(b"0123456\n" * 300_000 + b"end")
    assert run("count_lines", "n.txt") == 300_001


def test_a_wrong_count_is_not_accepted(checks: Checks) -> None:
    assert checks("count_lines", "a.txt", 3) is True
    assert checks("count_lines", "a.txt", 2) is False
    assert checks("count_lines", "a.txt", True) is False


@pytest.mark.parametrize("intent", ["count its lines", "how many lines are in a.txt?", "count up all our lines"])
def test_whose_lines_they_are_narrows_nothing_down(run: Run, intent: str) -> None:
    assert run("count_lines", "a.txt", intent=intent) == run("count_lines", "a.txt")


def test_an_intent_that_wants_some_lines_only_is_not_served_with_all(run: Run) -> None:
    with pytest.raises(InputError, match="wants some only: empty"):
        run("count_lines", "a.txt", intent="Count the empty lines in a.txt")


def test_an_unreadable_file_is_one_clear_error(run: Run, workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (workspace / "a.txt").chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        run("read_file", "a.txt")
