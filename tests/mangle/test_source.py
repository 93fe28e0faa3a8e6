"""Reading a source file: what is wrong with it is one line with a place."""

from pathlib import Path

import pytest

from mayfly.mangle import _load
from mayfly.mangle._errors import MangleError
from mayfly.mangle._load import read_source


def test_the_text_comes_back_as_written(tmp_path: Path) -> None:
    file = tmp_path / "a.mg"
    file.write_bytes('p("é").\r\nq(1).\n'.encode())
    assert read_source(file) == 'p("é").\r\nq(1).\n'


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "a.mg"
    file.write_bytes(b"\xef\xbb\xbfp(1).")
    assert read_source(file) == "p(1)."


def test_a_byte_that_is_no_utf8_is_named_with_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "a.mg"
    file.write_bytes("p(1).\nq('é".encode() + b"\xff').")
    with pytest.raises(MangleError, match="byte 0xff is not UTF-8; save the file as UTF-8") as caught:
        read_source(file)
    assert caught.value.place == (str(file), 2, 5)
    assert caught.value.stage == "parse"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(MangleError, match="there is no such file") as caught:
        read_source(tmp_path / "none.mg")
    assert "\n" not in str(caught.value)


def test_a_directory_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(MangleError, match="it is a directory"):
        read_source(tmp_path)


def test_a_path_that_leads_through_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(MangleError, match="cannot read the source"):
        read_source(tmp_path / "a" / "b.mg")


def test_a_path_with_a_null_cannot_be_read() -> None:
    with pytest.raises(MangleError, match="cannot read the source"):
        read_source(Path("a\0b"))


def test_a_source_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_load, "LARGEST_SOURCE", 2**20)
    file = tmp_path / "a.mg"
    file.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(MangleError, match="larger than 1 MiB"):
        read_source(file)
