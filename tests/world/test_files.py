"""Read, hash and count."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from mayfly.core import InputError, Invocation, LimitError, SandboxSettings, Settings
from mayfly.library import Registry
from mayfly.world import builtins

from .conftest import Checks, Run


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "src/../a.txt"])
def test_a_file_is_read_by_its_path(run: Run, path: str) -> None:
    assert run("read_file", {"path": path}) == "one\ntwo\nthree"


def test_an_absolute_path_of_the_workspace_is_read(run: Run, workspace: Path) -> None:
    assert run("read_file", {"path": str(workspace / "a.txt")}) == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({}, "read_file: path is missing"),
        ({"path": 7}, "path must be text, not a whole number"),
        ({"path": ["a"]}, "path must be text, not a list"),
        ({"path": "a.txt", "mode": "w"}, "'mode' is not known; known are path, encoding"),
        ({"path": "missing.txt"}, r"missing.txt: No such file"),
        ({"path": "src"}, "is a directory, not a regular file"),
        ({"path": ""}, "path is empty"),
        ({"path": "a\0b"}, "null character"),
        ({"path": "../outside.txt"}, "is outside the workspace"),
        ({"path": "/etc/hostname"}, "is outside the workspace"),
        ({"path": "a\ud800.txt"}, "half of a character"),
        ({"path": "a.txt", "encoding": "rot13"}, "encoding must be one of"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(run: Run, argument: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("read_file", argument)


def test_a_link_that_leads_out_is_refused(run: Run, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(InputError, match="outside the workspace"):
        run("read_file", {"path": "link.txt"})


def test_a_link_within_the_workspace_is_followed(run: Run, workspace: Path) -> None:
    (workspace / "link.txt").symlink_to("a.txt")
    assert run("read_file", {"path": "link.txt"}) == "one\ntwo\nthree"


def test_links_that_lead_to_each_other_end(run: Run, workspace: Path) -> None:
    (workspace / "x").symlink_to("y")
    (workspace / "y").symlink_to("x")
    with pytest.raises(InputError):
        run("read_file", {"path": "x"})


def test_a_pipe_is_not_waited_for(run: Run, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(InputError, match="is a pipe, not a regular file"):
        run("read_file", {"path": "pipe"})


def test_a_binary_file_is_no_text(run: Run, workspace: Path) -> None:
    (workspace / "b.bin").write_bytes(b"\x00\x01")
    with pytest.raises(InputError, match="null bytes"):
        run("read_file", {"path": "b.bin"})
    assert run("read_file", {"path": "b.bin", "encoding": "base64"}) == "AAE="


def test_text_in_another_encoding_has_to_be_named(run: Run, workspace: Path) -> None:
    (workspace / "l.txt").write_bytes("café".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text: byte 3"):
        run("read_file", {"path": "l.txt"})
    assert run("read_file", {"path": "l.txt", "encoding": "latin-1"}) == "café"


def test_line_ends_and_a_byte_order_mark_come_back_as_they_are(run: Run, workspace: Path) -> None:
    (workspace / "w.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert run("read_file", {"path": "w.txt"}) == "\ufeffa\r\nb\r"


def test_a_file_larger_than_a_result_is_not_read(workspace: Path) -> None:
    small = Registry(builtins(Settings(sandbox=SandboxSettings(result=100))))
    (workspace / "big.txt").write_text("x" * 101)
    with pytest.raises(LimitError, match=r"bytes of big.txt: 101 is over the limit of 100"):
        small.get("read_file").call(Invocation(arguments={"path": "big.txt"}, workspace=workspace))


def test_what_was_not_in_the_file_is_not_accepted(checks: Checks) -> None:
    assert checks("read_file", {"path": "a.txt"}, "one\ntwo\nthree") is True
    assert checks("read_file", {"path": "a.txt"}, "one\ntwo\nfour") is False
    assert checks("read_file", {"path": "a.txt"}, None) is False


def test_a_file_is_hashed(run: Run, checks: Checks, workspace: Path) -> None:
    wanted = hashlib.sha256((workspace / "a.txt").read_bytes()).hexdigest()
    assert run("hash_file", {"path": "a.txt"}) == wanted
    assert run("hash_file", {"text": "one\ntwo\nthree"}) == wanted
    assert checks("hash_file", {"path": "a.txt"}, "0" * 64) is False


@pytest.mark.parametrize(
    ("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"a\r\nb\r\n", 2)]
)
def test_lines_are_counted(run: Run, workspace: Path, content: bytes, lines: int) -> None:
    (workspace / "n.txt").write_bytes(content)
    assert run("count_lines", {"path": "n.txt"}) == lines
    assert run("count_lines", {"text": content.decode()}) == lines


def test_lines_are_counted_across_blocks(run: Run, workspace: Path) -> None:
    (workspace / "n.txt").write_bytes(b"0123456\n" * 300_000 + b"end")
    assert run("count_lines", {"path": "n.txt"}) == 300_001


def test_a_wrong_count_is_not_accepted(checks: Checks) -> None:
    assert checks("count_lines", {"path": "a.txt"}, 3) is True
    assert checks("count_lines", {"path": "a.txt"}, 2) is False
    assert checks("count_lines", {"path": "a.txt"}, True) is False


def test_an_unreadable_file_is_one_clear_error(run: Run, workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (workspace / "a.txt").chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        run("read_file", {"path": "a.txt"})


def test_words_and_characters_are_counted_in_a_file_and_in_a_text(run: Run, checks: Checks, workspace: Path) -> None:
    (workspace / "w.txt").write_text("é \tb\u2003c\n")
    assert run("count_words", {"path": "w.txt"}) == run("count_words", {"text": "é b c"}) == 3
    assert run("count_characters", {"path": "w.txt"}) == 7
    assert checks("count_words", {"text": "a b"}, 3) is False


def test_the_items_of_a_list_are_counted(run: Run, checks: Checks) -> None:
    assert run("count_items", {"items": [1, [2, 3]]}) == 2
    assert checks("count_items", {"items": [1]}, True) is False


def test_what_is_counted_is_a_file_or_a_text(run: Run) -> None:
    with pytest.raises(InputError, match="path is missing or text is missing"):
        run("count_lines", {})


@pytest.mark.parametrize(
    ("texts", "joined"),
    [(("a\n", "b\n"), "a\nb\n"), (("a", "b"), "a\nb"), (("", "b"), "b"), (("a", "", "b\n"), "a\nb\n")],
)
def test_files_are_joined_each_on_a_line_of_its_own(
    run: Run, workspace: Path, texts: tuple[str, ...], joined: str
) -> None:
    for number, text in enumerate(texts):
        (workspace / f"{number}.txt").write_text(text)
    paths = [f"{number}.txt" for number in range(len(texts))]
    assert run("join_files", {"paths": paths}) == joined


def test_a_text_in_which_one_file_is_missing_is_not_accepted(checks: Checks, workspace: Path) -> None:
    (workspace / "b.txt").write_text("b")
    assert checks("join_files", {"paths": ["a.txt", "b.txt"]}, "one\ntwo\nthree\nb") is True
    assert checks("join_files", {"paths": ["a.txt", "b.txt"]}, "one\ntwo\nthree") is False
    assert checks("join_files", {"paths": ["b.txt", "a.txt"]}, "one\ntwo\nthree\nb") is False
