"""Parts of a file: whole lines, every byte once, edges found without reading the file."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from mayfly.core import InputError, PromiseSettings, Settings
from mayfly.promise import Part
from mayfly.promise.split import MOST_PARTS, check_unchanged, part_as_file, parts_of

LEAST = 4096
SETTINGS = replace(Settings(), promise=PromiseSettings(part_size=LEAST))


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def content_of(part: Part) -> bytes:
    with part_as_file(part) as path:
        return path.read_bytes()


def check_parts(path: Path) -> list[Part]:
    content = path.read_bytes()
    parts = parts_of(path, SETTINGS)
    assert (parts[0].start, parts[-1].stop) == (0, len(content))
    assert all(left.stop == right.start for left, right in pairwise(parts))
    assert b"".join(content_of(part) for part in parts) == content
    assert all(content_of(part).endswith(b"\n") for part in parts[:-1])
    if len(parts) > 1:
        assert all(part.stop - part.start >= LEAST for part in parts)
    assert len(parts) <= MOST_PARTS
    return parts


def lines(number: int, *, end: bytes = b"\n", longest: int = 120) -> bytes:
    chance = random.Random(3)
    return b"".join(b"x" * chance.randrange(longest) + end for _ in range(number))


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 70, 150, 900, 9000])
def test_every_byte_is_in_one_part_and_every_line_in_one(tmp_path: Path, size: int, end: bytes) -> None:
    check_parts(written(tmp_path / "log", lines(size, end=end)))


def test_a_large_file_has_as_many_parts_as_are_allowed(tmp_path: Path) -> None:
    assert len(check_parts(written(tmp_path / "log", lines(20_000)))) == MOST_PARTS


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    parts = check_parts(written(tmp_path / "log", lines(300) + b"the end"))
    assert content_of(parts[-1]).endswith(b"the end")


def test_an_empty_file_is_one_empty_part(tmp_path: Path) -> None:
    assert [(part.start, part.stop) for part in check_parts(written(tmp_path / "log", b""))] == [(0, 0)]


def test_empty_lines_are_lines(tmp_path: Path) -> None:
    check_parts(written(tmp_path / "log", b"\n" * 20_000))


def test_lines_longer_than_a_part_make_fewer_parts(tmp_path: Path) -> None:
    parts = check_parts(written(tmp_path / "log", (b"x" * 3 * LEAST + b"\n") * 5))
    assert len(parts) <= 5


def test_one_endless_line_is_one_part(tmp_path: Path) -> None:
    assert len(check_parts(written(tmp_path / "log", b"x" * 1_000_000))) == 1


def test_only_the_edges_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "log", lines(40_000))
    read: list[int] = []
    real = os.pread

    def counted(file: int, size: int, position: int) -> bytes:
        read.append(position)
        return real(file, min(size, 1024), position)

    monkeypatch.setattr(os, "pread", counted)
    assert len(parts_of(path, SETTINGS)) == len(read) + 1


TRACE = b"10:00 failed\n\tat one\n\tat two\n\nCaused by: x\n\tat three\n"


@pytest.mark.parametrize("at_once", [1024 * 1024, 300])
def test_a_part_begins_where_a_record_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    path = written(tmp_path / "log", TRACE * 2000)
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, position: real(file, min(size, at_once), position))
    parts = check_parts(path)
    assert len(parts) > 10
    assert all(content_of(part).startswith(b"10:00") for part in parts)


def test_lines_that_all_go_on_are_not_cut(tmp_path: Path) -> None:
    assert len(check_parts(written(tmp_path / "log", b"10:00 failed\n" + b"\tat one\n" * 90_000))) == 1


def test_behind_a_long_record_the_file_is_cut_again(tmp_path: Path) -> None:
    parts = check_parts(written(tmp_path / "log", b"\tat one\n" * 60_000 + b"10:00 fine\n" * 60_000))
    assert 10 < len(parts) < MOST_PARTS
    assert all(content_of(part).startswith(b"10:00") for part in parts[1:])


def test_what_is_not_a_file_has_no_parts(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing"):
        with pytest.raises(InputError):
            parts_of(path, SETTINGS)


def test_a_file_that_grows_while_it_is_split_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "log", lines(900))
    real = os.pread

    def growing(file: int, size: int, position: int) -> bytes:
        with path.open("ab") as log:
            log.write(b"more\n")
        return real(file, size, position)

    monkeypatch.setattr(os, "pread", growing)
    with pytest.raises(InputError, match="changed while"):
        parts_of(path, SETTINGS)


def test_a_file_that_became_shorter_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "log", lines(900))
    parts = parts_of(path, SETTINGS)
    os.truncate(path, parts[-1].start + 1)
    with pytest.raises(InputError, match="became shorter"):
        content_of(parts[-1])
    with pytest.raises(InputError, match="became shorter"):
        check_unchanged(parts)


def test_a_file_that_became_longer_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "log", lines(900))
    parts = parts_of(path, SETTINGS)
    check_unchanged(parts)
    with path.open("ab") as log:
        log.write(b"more\n")
    with pytest.raises(InputError, match="became longer"):
        check_unchanged(parts)


def test_a_last_line_that_goes_on_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "log", lines(300) + b"half a li")
    parts = parts_of(path, SETTINGS)
    with path.open("ab") as log:
        log.write(b"ne\n")
    with pytest.raises(InputError, match="no line begins at byte"):
        content_of(parts[-1])


def test_a_file_that_was_written_anew_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "log", lines(900))
    parts = parts_of(path, SETTINGS)
    path.write_bytes(b"y" * parts[-1].stop)
    with pytest.raises(InputError, match="has changed"):
        content_of(parts[1])


def test_a_file_that_shrinks_while_it_is_copied_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "log", lines(900))
    part = parts_of(path, SETTINGS)[1]
    monkeypatch.setattr(os, "sendfile", lambda *given: 0)  # the end of the file
    with pytest.raises(InputError, match="became shorter"):
        content_of(part)


def test_the_whole_file_is_read_where_it_is(tmp_path: Path) -> None:
    path = written(tmp_path / "log", b"a\nb\n")
    with part_as_file(Part(path=str(path), start=0, stop=4)) as found:
        assert found == path


def test_a_whole_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "log", b"a\nb\n")
    with (
        pytest.raises(InputError, match="while it was being read"),
        part_as_file(Part(path=str(path), start=0, stop=4)),
    ):
        path.write_bytes(b"a\nb\nc\n")


def test_a_part_can_come_as_bytes(tmp_path: Path) -> None:
    part = Part(path="/on/another/machine.log", start=10, stop=14)
    with part_as_file(part, b"a\nb\n") as path:
        assert path.read_bytes() == b"a\nb\n"
    with pytest.raises(InputError, match="4 bytes came with 2"), part_as_file(part, b"a\n"):
        pass


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    path = written(tmp_path / "log", lines(900))
    before = len(os.listdir("/proc/self/fd"))
    for part in parts_of(path, SETTINGS):
        content_of(part)
    with pytest.raises(InputError):
        content_of(Part(path=str(path), start=5, stop=2))
    assert len(os.listdir("/proc/self/fd")) == before
