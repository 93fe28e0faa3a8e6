"""A file is known by its first bytes, and text by its encoding; whatever is no input is refused in one line."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from mayfly.core import InputError, byte_encoding, file_kind, split_table, wide_encoding

TEXT = "city,qty\nZürich,1\nMálaga,2\n" * 20


@pytest.mark.parametrize(
    ("name", "start", "kind"),
    [
        ("a.csv", b"city,qty\n", "text"),
        ("empty", b"", "text"),
        ("log", b"\x1f\x8b\x08", "gzip"),
        ("log", b"\x28\xb5\x2f\xfd", "zstd"),
        ("rows", b"PAR1\x15", "parquet"),
        ("shop", b"SQLite format 3\0", "sqlite"),
        ("rows", b"ARROW1\0\0", "arrow"),
        ("rows.arrows", b"\xff\xff\xff\xff\x10", "arrow"),
        ("book.XLSX", b"PK\x03\x04", "excel"),
    ],
)
def test_a_file_is_known_by_its_first_bytes(tmp_path: Path, name: str, start: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(start)
    assert file_kind(tmp_path / name) == kind


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"BZh91AY", "is packed with bzip2; bzip2 -dc .*x"),
        (b"\xfd7zXZ\0", "is packed with xz; xz -dc"),
        (b"PK\x03\x04", "is a zip archive; unzip -p"),
        (b"%PDF-1.7", "is a PDF"),
    ],
)
def test_what_is_not_read_is_refused_with_what_makes_text_of_it(tmp_path: Path, start: bytes, said: str) -> None:
    (tmp_path / "x").write_bytes(start)
    with pytest.raises(InputError, match=said):
        file_kind(tmp_path / "x")


def test_what_is_no_regular_file_is_neither_opened_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a pipe"):
        file_kind(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"--input .* is a directory; name its files, in quotes: --input '.*/\*'"):
        file_kind(tmp_path, "--input")
    with pytest.raises(InputError, match="is a device"):
        file_kind(Path("/dev/zero"))
    with pytest.raises(InputError, match=r"cannot read .*nowhere: No such file"):
        file_kind(tmp_path / "nowhere")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine").touch(mode=0)
    with pytest.raises(InputError, match="Permission denied"):
        file_kind(tmp_path / "mine")


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("utf-8", None),
        ("latin-1", None),
    ],
)
def test_wide_text_is_known_by_its_mark_or_its_zero_bytes(codec: str, encoding: str | None) -> None:
    assert wide_encoding(TEXT.encode(codec)) == encoding


def test_numbers_of_two_bytes_are_no_text() -> None:
    assert wide_encoding(struct.pack("<2000h", *(number % 30 for number in range(2000)))) is None
    assert wide_encoding(b"") is None


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (TEXT.encode("latin-1"), "cp1252"),
        ("“quoted” for 5 €".encode("cp1252"), "cp1252"),
        (b"plain\n" * 50 + b"caf\xe9\n", "cp1252"),
        (TEXT.encode() + b"caf\xe9\n", "damaged utf-8"),
        (b"a log\n" * 100 + b"\0" * 50, "utf-8"),
        (b"\x81\x8d\x8f", None),
        (bytes(range(256)), None),
        (b"\0" * 100, None),
    ],
)
def test_text_of_single_bytes_is_what_most_of_its_characters_are(data: bytes, encoding: str | None) -> None:
    assert byte_encoding(data) == encoding


def test_a_table_is_named_behind_its_file(tmp_path: Path) -> None:
    shop, odd = tmp_path / "shop.db", tmp_path / "at 10:30.csv"
    shop.touch()
    odd.touch()
    assert split_table(Path(f"{shop}:orders")) == (shop, "orders")
    assert split_table(shop) == (shop, "")
    assert split_table(odd) == (odd, "")
    assert split_table(tmp_path / "none.db:orders") == (tmp_path / "none.db:orders", "")
