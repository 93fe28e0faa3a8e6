"""Files are read and written on the overlay without running anything."""

import os
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox.workbench import Workbench


def test_what_is_written_is_what_commands_see(each: Workbench, workspace: Path) -> None:
    changes = each.write({"a.txt": b"new\n", "deep/er/c.txt": b"c\n", "b.txt": None, "src/main.py": b""})
    assert [
        (change.kind, change.path) for change in changes if change.after is None or change.after.kind == "file"
    ] == [
        ("changed", "a.txt"),
        ("deleted", "b.txt"),
        ("created", "deep/er/c.txt"),
        ("changed", "src/main.py"),
    ]
    assert each.run("cat a.txt deep/er/c.txt; ls b.txt; wc -c < src/main.py").output.startswith("new\nc\n")
    assert each.read("deep/er/c.txt") == b"c\n"
    assert (workspace / "a.txt").read_text() == "one\n"
    each.commit()
    assert (workspace / "deep" / "er" / "c.txt").read_text() == "c\n"


def test_links_are_followed_beneath_the_workspace(bench: Workbench, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    (workspace / "sub" / "up").symlink_to("../a.txt")
    (workspace / "abs").symlink_to(workspace / "src")
    assert bench.read("link") == b"one\n"
    bench.write({"sub/up": b"through\n", "abs/main.py": b"main\n"})
    assert bench.read("a.txt") == b"through\n"
    assert bench.read("src/main.py") == b"main\n"
    assert os.readlink(workspace / "sub" / "up") == "../a.txt"
    bench.write({"link": None})
    assert [change.path for change in bench.changes()] == ["a.txt", "link", "src/main.py"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd/../../..", "out/x", "loop", "a.txt/x", ".", "src", "x/../../y"])
def test_what_cannot_be_written(bench: Workbench, workspace: Path, path: str) -> None:
    (workspace / "out").symlink_to("/etc")
    (workspace / "loop").symlink_to("loop")
    with pytest.raises(InputError):
        bench.write({"fine.txt": b"x", path: b"x"})
    assert len(bench.changes()) == 0


def test_reading_what_is_no_file(bench: Workbench, workspace: Path) -> None:
    (workspace / "out").symlink_to("/etc/passwd")
    for path in ("src", "nowhere", "out", "../state"):
        with pytest.raises(InputError):
            bench.read(path)


def test_a_directory_is_listed_as_it_is_on_the_overlay(bench: Workbench) -> None:
    bench.run("rm b.txt; mkdir new; mv src lib")
    assert bench.list() == [".env", "a.txt", "lib/", "link", "new/"]
    assert bench.list("lib") == ["main.py"]


def test_modes_are_kept_and_new_files_are_plain(bench: Workbench, workspace: Path) -> None:
    (workspace / "a.txt").chmod(0o755)
    changes = bench.write({"a.txt": b"x", "n.txt": b"y"})
    assert [change.after.mode for change in changes if change.after] == [0o755, 0o644]


def test_drop_forgets_all(each: Workbench, workspace: Path) -> None:
    each.run("rm -r src; echo x > a.txt; mkdir d; echo y > d/y")
    each.drop()
    assert len(each.changes()) == 0
    assert each.run("cat a.txt src/main.py; ls").output == "one\nprint('hello')\na.txt\nb.txt\nlink\nsrc\n"


def test_many_files_are_listed_and_committed(bench: Workbench, workspace: Path) -> None:
    script = """
import os
for directory in range(10):
    os.makedirs(f'm/{directory}')
    for name in range(100):
        open(f'm/{directory}/{name}', 'w').write(f'{directory} {name}')
"""
    ran = bench.run(["python3", "-c", script])
    assert len(ran.changes) == 1011
    bench.commit()
    assert sum(len(files) for _, _, files in os.walk(workspace / "m")) == 1000


def test_a_very_long_path(bench: Workbench, workspace: Path) -> None:
    long = "/".join(["d" * 200] * 8) + "/f"
    bench.write({long: b"deep"})
    bench.run(f"echo more >> {long}")
    bench.commit()
    assert (workspace / long).read_text() == "deepmore\n"


def test_what_is_in_a_directory_that_takes_the_place_of_a_link_is_new(bench: Workbench, workspace: Path) -> None:
    """The path of a file in it leads, in the workspace, through the link to another file with the same contents."""
    (workspace / "src/deep").mkdir(parents=True)
    (workspace / "src/a").write_text("a\n")
    (workspace / "src/deep/b").write_text("b\n")
    (workspace / "alias").symlink_to("src")
    ran = bench.run("rm alias && cp -r src alias && echo more >> alias/a")
    bench.commit(ran.changes)
    assert not (workspace / "alias").is_symlink()
    assert (workspace / "alias/a").read_text() == "a\nmore\n"
    assert (workspace / "alias/deep/b").read_text() == "b\n"
    assert (workspace / "src/a").read_text() == "a\n"
