"""Files are read and edited sign by sign: line ends, strange signs and bytes that are no text stay what they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from mayfly.core import InputError
from mayfly.policy import Kernel
from mayfly.sandbox.workbench import Workbench
from mayfly.world import History
from mayfly.world._files import _edits, file_tools
from mayfly.world._room import Room

from .places import Here, call


@pytest.fixture
def room(here: Here, tmp_path: Path) -> Iterator[Room]:
    with Workbench(here.workspace, state=tmp_path / "state") as bench:
        yield Room(
            session="s-1",
            workspace=here.workspace,
            state=tmp_path / "state",
            bench=bench,
            kernel=lambda: Kernel(workspace=here.workspace, session=["asked_by(/person)"]),
            approvals=cast("Any", None),
            history=History(here.workspace),
        )


def edited(room: Room, **given: Any) -> bytes:
    """Return what the one file of an edit becomes."""
    (data,) = _edits(room, given).values()
    assert data is not None
    return data


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a\nb\n", "     1\ta\n     2\tb"),
        (b"a\r\nb\r\n", "     1\ta\r\n     2\tb\r"),
        (b"a\nb", "     1\ta\n     2\tb\n[there is no line feed at the end of the file]"),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\n".encode(), "     1\ta\x0bb\x0cc\x1cd\x85e\u2028f"),
        (b"\x1b[31mred\x07\n", "     1\t\x1b[31mred\x07"),
        (b"\xef\xbb\xbfa\n", "     1\t\ufeffa"),
        (b"\n\n", "     1\t\n     2\t"),
        (b"", "[the file is empty]"),
        (
            b"caf\xe9\n",
            "     1\tcaf\ufffd\n"
            "[1 bytes that are no UTF-8 are shown as \ufffd; file_edit keeps them where it changes nothing]",
        ),
    ],
)
def test_a_file_is_shown_as_it_is(room: Room, here: Here, data: bytes, told: str) -> None:
    here.write("a.txt", data)
    assert call(file_tools(room), "file_read", path="a.txt") == told


def test_a_long_line_is_shown_whole_and_a_long_file_is_read_on(room: Room, here: Here) -> None:
    here.write("a.txt", "x" * 50_000 + "\n" + "y\n" * 3000)
    told = call(file_tools(room), "file_read", path="a.txt")
    assert told.startswith("     1\t" + "x" * 50_000 + "\n")
    assert told.endswith("[1001 more lines: read on from start 2001]")
    assert call(file_tools(room), "file_read", path="a.txt", start=3001).count("\n") == 0


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"caf\xe9\r\nb\n\x1c\x85c", "b\n", "B\n", b"caf\xe9\r\nB\n\x1c\x85c"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\nc\n", "b\nc", "x\ny", b"a\r\nx\ny\n"),
        (b"a\r\nb\r\n", "a\r\nb", "a\nb", b"a\nb\r\n"),
        (b"a\nb", "b", "c\\1", b"a\nc\\1"),
    ],
)
def test_an_edit_keeps_what_it_does_not_touch(
    room: Room, here: Here, data: bytes, old: str, new: str, after: bytes
) -> None:
    here.write("a.txt", data)
    assert edited(room, path="a.txt", edits=[{"old": old, "new": new}]) == after


@pytest.mark.parametrize(
    ("data", "patch", "after"),
    [
        (b"caf\xe9\r\na\r\nb\r\n", "@@ -2,2 +2,3 @@\n a\n-b\n+c\n+d\n", b"caf\xe9\r\na\r\nc\r\nd\r\n"),
        (b"a\r\nb\nc\r\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", b"a\r\nx\r\nc\r\n"),
        (b"a\nb\nc", "@@ -1,1 +1,1 @@\n-a\n+x\n", b"x\nb\nc"),
        (b"a\nb", "@@ -2,1 +2,1 @@\n-b\n\\ No newline at end of file\n+c\n", b"a\nc\n"),
        (b"a\nb\n", "@@ -2,1 +2,1 @@\n-b\n+c\n\\ No newline at end of file\n", b"a\nc"),
        (b"a\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n", b"x\nb"),
        (b"a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n", b"a\nb\r\n"),
        (b"a\r\nb\r\n", "@@ -1,0 +2,1 @@\n+x\n", b"a\r\nx\r\nb\r\n"),
    ],
)
def test_a_patch_keeps_what_it_does_not_touch(room: Room, here: Here, data: bytes, patch: str, after: bytes) -> None:
    here.write("a.txt", data)
    assert edited(room, patch=f"--- a/a.txt\n+++ b/a.txt\n{patch}") == after


@pytest.mark.parametrize(
    ("lines", "after"),
    [("+a\n+b\n", b"a\nb\n"), ("+a\r\n+b\n", b"a\r\nb\n"), ("+a\n+b\n\\ No newline at end of file\n", b"a\nb")],
)
def test_a_patch_makes_a_file_as_it_says(room: Room, lines: str, after: bytes) -> None:
    assert edited(room, patch=f"--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n{lines}") == after


def test_half_a_character_is_one_clear_error(room: Room, here: Here) -> None:
    here.write("a.txt", "a\n")
    for given in (
        {"path": "a.txt", "edits": [{"old": "a", "new": "\ud800"}]},
        {"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\udc80\n"},
    ):
        with pytest.raises(InputError, match="half a character"):
            _edits(room, given)
    with pytest.raises(InputError, match="half of a character"):
        call(file_tools(room), "file_write", path="a.txt", content="\ud800")
    assert (here.workspace / "a.txt").read_text() == "a\n"


def test_what_is_searched_is_cut_after_its_secrets_are_hidden(room: Room, here: Here) -> None:
    from mayfly.core import SecretValues

    room.secrets = SecretValues({"k9-Xw2_pQ7zLm4Rt": "X"})
    here.write("a.txt", "needle " + "x" * 480 + "k9-Xw2_pQ7zLm4Rt\n")
    told = call(file_tools(room), "file_search", pattern="needle")
    assert "k9-Xw2" not in told
    assert told.startswith("a.txt:1:needle ")
