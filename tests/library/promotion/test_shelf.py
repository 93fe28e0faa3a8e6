"""`promoted/`: what is committed, what is found again, and what somebody changed behind our back."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, content_hash
from mayfly.library.promotion import Ballot, Promoted, PromotedShelf, Vote, powers_of


def program(name: str = "plus", source: str = "def plus(a: int) -> int:\n    return a + 1\n") -> Promoted:
    tests, about = '{"tests": []}', {"card": {"name": name, "grants": []}}
    return Promoted(
        ballot=Ballot(
            kind="tool",
            asked=name,
            source_hash=content_hash(source),
            tests_hash=content_hash(tests),
            powers=powers_of(about),
        ),
        name=name,
        source=source,
        tests=tests,
        readable='"""Nothing."""\n',
        about=about,
        votes=(Vote(voter="ab", choice="for", signature="cd", at="now"),),
        provenance={"runs": 101},
    )


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_what_is_put_is_committed_and_found_again(tmp_path: Path) -> None:
    shelf = PromotedShelf(tmp_path / "promoted", own=True)
    assert shelf.entries() == ()
    one = program()
    commit = shelf.put(one, "promote plus\n")
    assert shelf.entries() == PromotedShelf(tmp_path / "promoted", own=True).entries() == (one,)
    assert git(shelf.folder, "rev-parse", "HEAD") == commit
    assert git(shelf.folder, "status", "--short") == ""
    assert sorted(git(shelf.folder, "ls-files").splitlines()) == [
        f"{one.place}/{name}" for name in ("provenance.json", "test_tool.py", "tests.json", "tool.py")
    ]
    with pytest.raises(ConflictError, match="promoted already"):
        shelf.put(one, "again\n")


def test_what_is_removed_stays_in_the_history(tmp_path: Path) -> None:
    shelf = PromotedShelf(tmp_path / "promoted", own=True)
    kept, gone = program("kept", "x = 1\n"), program("gone", "x = 2\n")
    for one in (kept, gone):
        shelf.put(one, f"promote {one.name}\n")
    shelf.remove(gone, "demote gone\n")
    assert shelf.entries() == (kept,)
    assert git(shelf.folder, "status", "--short") == ""
    assert git(shelf.folder, "log", "--format=%s").splitlines() == ["demote gone", "promote gone", "promote kept"]
    assert git(shelf.folder, "show", f"HEAD^:{gone.place}/tool.py") == "x = 2"
    with pytest.raises(ConflictError, match="is not promoted"):
        shelf.remove(gone, "again\n")


def test_in_a_repository_of_somebody_nothing_else_is_touched(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "work")
    (tmp_path / "mine.txt").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "mine")
    (tmp_path / "mine.txt").write_text("two\n")
    (tmp_path / "staged.txt").write_text("staged\n")
    git(tmp_path, "add", "staged.txt")
    before = git(tmp_path, "status", "--short")
    shelf = PromotedShelf(tmp_path / "deep" / "promoted", own=False)
    one = program()
    shelf.put(one, "promote plus\n")
    assert git(tmp_path, "status", "--short") == before
    assert git(tmp_path, "show", "--stat", "--format=", "HEAD").splitlines()[-1].startswith(" 4 files changed")
    assert git(tmp_path, "branch", "--show-current") == "work"
    shelf.remove(one, "demote plus\n")
    assert git(tmp_path, "status", "--short") == before
    assert git(tmp_path, "diff", "--stat", "HEAD~2", "HEAD") == ""


def test_a_hook_of_the_repository_is_not_run(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        hook = tmp_path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    PromotedShelf(tmp_path / "promoted", own=False).put(program(), "promote\n")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("tool.py", "def plus(a):\n    return 666\n", "tool.py was changed"),
        ("tests.json", "{}", "tests.json was changed"),
        ("provenance.json", "{}", "cannot be read"),
        ("provenance.json", "[" * 100_000, "cannot be read"),
        ("provenance.json", "nonsense", "Expecting value"),
    ],
)
def test_what_was_changed_is_left_out_and_named(tmp_path: Path, file: str, text: str, said: str) -> None:
    shelf = PromotedShelf(tmp_path / "promoted", own=True)
    one, other = program(), program("other", "x = 1\n")
    for each in (one, other):
        shelf.put(each, "promote\n")
    (shelf.folder / one.place / file).write_text(text)
    again = PromotedShelf(tmp_path / "promoted", own=True)
    assert again.entries() == (other,)
    assert said in again.problems()[0]


def test_a_link_or_a_pipe_is_not_followed(tmp_path: Path) -> None:
    import os

    shelf = PromotedShelf(tmp_path / "promoted", own=True)
    one = program()
    shelf.put(one, "promote\n")
    place = shelf.folder / one.place / "tool.py"
    place.unlink()
    (tmp_path / "elsewhere.py").write_text(one.source)
    place.symlink_to(tmp_path / "elsewhere.py")
    assert PromotedShelf(shelf.folder, own=True).entries() == ()
    place.unlink()
    os.mkfifo(place)
    assert PromotedShelf(shelf.folder, own=True).entries() == ()


def test_what_lies_there_and_is_nobodys_is_not_overwritten(tmp_path: Path) -> None:
    shelf = PromotedShelf(tmp_path / "promoted", own=True)
    one = program()
    (shelf.folder / one.place).mkdir(parents=True)
    (shelf.folder / one.place / "notes.txt").write_text("mine")
    with pytest.raises(ConflictError, match="not in git"):
        shelf.put(one, "promote\n")
    assert (shelf.folder / one.place / "notes.txt").read_text() == "mine"
    assert shelf.put(replace(program("two", "x = 3\n")), "promote\n")
