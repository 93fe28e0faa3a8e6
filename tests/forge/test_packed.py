"""Packed files are held against their own checks: half of one is not taken for the whole."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path

import duckdb
import pytest

from mayfly.core import InputError
from mayfly.forge._given import Given
from mayfly.forge._packed import check_packed, checking
from mayfly.forge._sampling import Sample


@pytest.fixture(scope="module")
def zstd(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Text of several blocks, packed."""
    path = tmp_path_factory.mktemp("zstd") / "a.zst"
    rows = "SELECT hash(i)::VARCHAR || i AS a FROM range(60000) AS t(i)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    return path.read_bytes()


def test_whole_files_pass(tmp_path: Path, zstd: bytes) -> None:
    skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
    for name, data in (("one", zstd), ("two", zstd + zstd), ("noted", skipped + zstd), ("none", b"")):
        (tmp_path / name).write_bytes(data)
        check_packed(tmp_path / name, "zstd")
    (tmp_path / "gz").write_bytes(gzip.compress(b"a" * 10) + gzip.compress(b"b"))
    check_packed(tmp_path / "gz", "gzip")


@pytest.mark.parametrize("left", [3, 5, 1000, -1, -4, -100])
def test_zstd_that_is_cut_off_anywhere_does_not(tmp_path: Path, zstd: bytes, left: int) -> None:
    (tmp_path / "a.zst").write_bytes(zstd[:left])
    with pytest.raises(InputError, match=r"a\.zst is cut off"):
        check_packed(tmp_path / "a.zst", "zstd")


def test_what_follows_behind_zstd_is_no_part_of_it(tmp_path: Path, zstd: bytes) -> None:
    (tmp_path / "a.zst").write_bytes(zstd + b"garbage")
    with pytest.raises(InputError, match="something else behind"):
        check_packed(tmp_path / "a.zst", "zstd")


def test_what_is_done_meanwhile_counts_only_if_the_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a" * 1000)[:-1])
    given = Given(files=(path,), samples=(Sample(packing="gzip"),), names=("a.gz",))
    done = []
    with pytest.raises(InputError, match="is cut off"), checking(given):
        done.append(1)
    assert done == [1]
    # What goes wrong by itself is said as it is.
    with pytest.raises(ValueError, match="other"), checking(given):
        raise ValueError("other")


def test_a_check_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a" * 1000)[:-1])
    stop = threading.Event()
    with pytest.raises(InputError, match="is cut off"):
        check_packed(tmp_path / "a.gz", "gzip", stop)
    stop.set()
    check_packed(tmp_path / "a.gz", "gzip", stop)
