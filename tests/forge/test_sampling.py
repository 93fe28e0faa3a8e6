"""Samples are bounded, the same each time, and say whether they are all there is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.forge._sampling import CHUNKS, HEAD, WHOLE, sample_of

ROWS = [f"{number},Zürich,{number * 7}" for number in range(200_000)]


def write(path: Path, lines: list[str], *, end: str = "\n") -> Path:
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_small_file_is_read_whole(tmp_path: Path, end: str) -> None:
    sample = sample_of(write(tmp_path / "a.csv", ROWS[:100], end=end), "text")
    assert (sample.lines, sample.complete, sample.within) == (tuple(ROWS[:100]), True, ())


def test_the_last_line_may_have_no_end_and_a_mark_is_no_character(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffa,b\n\nlast".encode())
    assert sample_of(tmp_path / "a", "text").lines == ("a,b", "", "last")
    (tmp_path / "empty").touch()
    assert sample_of(tmp_path / "empty", "text").lines == ()


def test_of_a_large_file_lines_from_all_over_and_the_end_are_taken(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ROWS)
    sample = sample_of(path, "text")
    assert path.stat().st_size > WHOLE
    assert not sample.complete
    assert sample.lines == tuple(ROWS[: len(sample.lines)])
    assert sum(map(len, sample.lines)) < HEAD
    known = {line: place for place, line in enumerate(ROWS)}
    places = [known[line] for line in sample.within]
    assert places[-1] == len(ROWS) - 1
    assert len({place // (len(ROWS) // CHUNKS) for place in places}) > CHUNKS // 3
    assert sample_of(path, "text") == sample


def test_places_are_left_out_where_they_may_lie_in_quoted_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ['1,"two', 'lines"', *ROWS])
    assert sample_of(path, "text").within == ()


def test_packed_text_is_read_from_its_beginning(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"))
    found = sample_of(small, "gzip")
    assert (found.lines, found.complete, found.packing) == (("a,b", "1,2", "3,4"), True, "gzip")
    large.write_bytes(gzip.compress("".join(f"{row}\n" for row in ROWS).encode(), 1))
    found = sample_of(large, "gzip")
    assert not found.complete
    assert found.lines == tuple(ROWS[: len(found.lines)])
    assert set(found.within) <= set(ROWS)
    assert found.within


def test_packed_text_that_is_cut_off_is_one_line(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n1,2\n" * 1000)
    for data, said in ((whole[:-9], "is cut off"), (whole[:-6] + b"\0" + whole[-5:], "is damaged: CRC")):
        (tmp_path / "a.gz").write_bytes(data)
        with pytest.raises(InputError, match=said):
            sample_of(tmp_path / "a.gz", "gzip")


@pytest.mark.parametrize(
    ("codec", "encoding"), [("utf-16", "utf-16-le"), ("utf-16-be", "utf-16-be"), ("cp1252", "cp1252")]
)
def test_lines_are_decoded(tmp_path: Path, codec: str, encoding: str) -> None:
    (tmp_path / "a").write_bytes("name,n\nZoë “Z”,1\n".encode(codec))
    sample = sample_of(tmp_path / "a", "text")
    assert (sample.lines, sample.encoding) == (("name,n", "Zoë “Z”,1"), encoding)


def test_a_place_may_cut_a_character_in_two(tmp_path: Path) -> None:
    path = write(tmp_path / "a", [f"{number}{'é' * 300}" for number in range(8000)])
    sample = sample_of(path, "text")
    assert (sample.complete, sample.encoding) == (False, "utf-8")


def test_a_binary_file_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(InputError, match=r"is not text in UTF-8, UTF-16 or Latin-1; .*iconv"):
        sample_of(tmp_path / "a", "text")


def test_a_line_longer_than_a_sample_is_no_line_of_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (WHOLE + 1))
    sample = sample_of(tmp_path / "a", "text")
    assert (sample.lines, sample.complete) == ((), False)
