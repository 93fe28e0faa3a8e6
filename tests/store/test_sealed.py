"""What was worked out before is handed out only if this user put exactly that there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mayfly.store import Seal, SealedFiles

NOBODY = 65534


def kept(state: Path, name: str = "worked-out", **options: int) -> SealedFiles:
    return SealedFiles(state, name, **options)


def file_of(state: Path, name: str = "worked-out") -> Path:
    [path] = (state / name).iterdir()
    return path


def test_what_was_put_is_there_for_the_next_process(tmp_path: Path) -> None:
    kept(tmp_path).put("k", b"data")
    assert kept(tmp_path).get("k") == b"data"
    assert kept(tmp_path).get("other") is None
    kept(tmp_path).put("k", b"")
    assert kept(tmp_path).get("k") == b""


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    kept(tmp_path / "state").put("k", b"data")
    path = file_of(tmp_path / "state")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert kept(tmp_path / "state").get("k") is None
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("at", [0, 31, 32, 35])
def test_one_changed_bit_makes_it_worthless(tmp_path: Path, at: int) -> None:
    kept(tmp_path).put("k", b"data")
    content = bytearray(file_of(tmp_path).read_bytes())
    content[at] ^= 1
    file_of(tmp_path).write_bytes(content)
    assert kept(tmp_path).get("k") is None


@pytest.mark.parametrize("size", [0, 5, 32, 35])
def test_half_a_file_is_worthless(tmp_path: Path, size: int) -> None:
    kept(tmp_path).put("k", b"data")
    os.truncate(file_of(tmp_path), size)
    assert kept(tmp_path).get("k") is None
    kept(tmp_path).put("k", b"again")
    assert kept(tmp_path).get("k") == b"again"


def test_a_file_in_the_place_of_another_is_worthless(tmp_path: Path) -> None:
    kept(tmp_path).put("a", b"one")
    first = file_of(tmp_path)
    content = first.read_bytes()
    kept(tmp_path).put("b", b"two")
    [second] = set(first.parent.iterdir()) - {first}
    second.write_bytes(content)
    kept(tmp_path, "elsewhere").put("a", b"three")
    file_of(tmp_path, "elsewhere").write_bytes(content)
    assert kept(tmp_path).get("a") == b"one"
    assert kept(tmp_path).get("b") is None
    assert kept(tmp_path, "elsewhere").get("a") is None


def test_a_file_sealed_with_another_key_is_worthless(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        kept(tmp_path / name).put("k", name.encode())
    file_of(tmp_path / "ours").write_bytes(file_of(tmp_path / "theirs").read_bytes())
    assert kept(tmp_path / "ours").get("k") is None


def test_a_text_sealed_for_something_else_is_no_file_of_ours(tmp_path: Path) -> None:
    kept(tmp_path).put("k", b"data")
    file_of(tmp_path).write_bytes(Seal.open(tmp_path).of_bytes(b"data") + b"data")
    assert kept(tmp_path).get("k") is None


def test_a_link_or_a_pipe_is_not_followed(tmp_path: Path) -> None:
    kept(tmp_path).put("k", b"data")
    path = file_of(tmp_path)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert kept(tmp_path).get("k") is None
    path.unlink()
    os.mkfifo(path)
    assert kept(tmp_path).get("k") is None


@pytest.mark.parametrize("whose", ["seal.key", "worked-out"])
def test_what_another_user_made_is_not_trusted(tmp_path: Path, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path).put("k", b"data")
    if os.geteuid() == 0:
        path = tmp_path / whose
        os.chown(path if path.is_file() else file_of(tmp_path), NOBODY, NOBODY)
    else:
        monkeypatch.setattr("os.geteuid", lambda: NOBODY)
    files = kept(tmp_path)
    assert files.get("k") is None
    if whose == "seal.key":
        files.put("other", b"data")
        assert len(list((tmp_path / "worked-out").iterdir())) == 1


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_directory_that_others_can_write_keeps_nothing(tmp_path: Path, mode: int) -> None:
    state = tmp_path / "state"
    kept(state).put("k", b"data")
    state.chmod(mode)
    kept(state).put("other", b"data")
    assert kept(state).get("k") is None
    state.chmod(0o700)
    assert [kept(state).get(key) for key in ("k", "other")] == [b"data", None]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "worked-out").write_text("a file")
    kept(tmp_path).put("k", b"data")
    assert kept(tmp_path).get("k") is None
    (tmp_path / "file").write_text("a file")
    kept(tmp_path / "file" / "state").put("k", b"data")


def test_only_the_last_few_are_kept(tmp_path: Path) -> None:
    files = kept(tmp_path, most=3)
    for number in range(6):
        files.put(f"{number}", b"data")
        os.utime(max((tmp_path / "worked-out").iterdir(), key=lambda path: path.stat().st_mtime_ns), (number, number))
    assert [files.get(f"{number}") for number in range(6)] == [None] * 3 + [b"data"] * 3
