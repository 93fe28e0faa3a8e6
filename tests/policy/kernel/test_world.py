"""Rules see the files of the workspace and nothing beyond it."""

from pathlib import Path

import pytest

from mayfly.mangle import MangleError
from mayfly.policy import World
from mayfly.policy.kernel._world import LARGEST


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = tmp_path / "work"
    (home / "sub").mkdir(parents=True)
    (home / "a.txt").write_text("hello pytest")
    (home / "sub" / "b.txt").write_text("deep")
    (tmp_path / "secret.txt").write_text("secret")
    (home / "leak").symlink_to(tmp_path / "secret.txt")
    (home / "up").symlink_to(tmp_path)
    (home / "same").symlink_to("a.txt")
    return World(str(home))


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "sub/b.txt", "sub", "same", "sub/../a.txt"])
def test_a_file_of_the_workspace_exists(world: World, path: str) -> None:
    assert list(world.file_exists((path,))) == [(path,)]


@pytest.mark.parametrize("path", ["none", "leak", "up/secret.txt", "../secret.txt", "/etc/passwd", "~/x", "a\0b", ""])
def test_what_is_not_in_the_workspace_does_not_exist(world: World, path: str) -> None:
    assert not list(world.file_exists((path,))) or path == ""
    assert not list(world.file_contains((path, "secret")))


def test_a_text_is_found(world: World) -> None:
    assert list(world.file_contains(("a.txt", "pytest"))) == [("a.txt", "pytest")]
    assert not list(world.file_contains(("a.txt", "unittest")))


def test_a_directory_contains_no_text(world: World) -> None:
    assert not list(world.file_contains(("sub", "")))


def test_a_file_too_large_to_look_into_is_an_error(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "big").write_bytes(b"x" * (LARGEST + 1))
    with pytest.raises(MangleError, match="too large"):
        list(world.file_contains(("big", "y")))


def test_what_is_not_bound_or_no_text_has_no_answer(world: World) -> None:
    assert not list(world.file_exists((None,)))
    assert not list(world.file_exists((7,)))
    assert not list(world.file_contains(("a.txt", None)))
