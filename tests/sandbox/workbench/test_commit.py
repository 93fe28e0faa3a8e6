"""Changes reach the workspace as one, or not at all, and can be taken back."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError
from mayfly.sandbox.workbench import Workbench, commits, held, undo

from .conftest import Make
from .trees import tree

EVERYTHING = """
echo more >> a.txt; rm b.txt; mkdir -p deep/er; echo new > deep/er/c.txt; mv src lib; chmod 755 lib/main.py
ln -s a.txt other; rm link; mkdir link; echo in > link/x
"""


def test_a_commit_makes_the_workspace_what_the_overlay_was(each: Workbench, workspace: Path) -> None:
    look = "find . -name .env -prune -o -printf '%P %m %y\\n' | sort"
    inside = each.run(EVERYTHING + look).output
    each.commit()
    assert subprocess.run(look, shell=True, cwd=workspace, capture_output=True, text=True).stdout == inside
    assert (workspace / "lib" / "main.py").read_text() == "print('hello')\n"
    assert len(each.changes()) == 0


def test_undo_and_redo(each: Workbench, workspace: Path, state: Path) -> None:
    before = tree(workspace)
    each.run(EVERYTHING)
    done = each.commit(note="all at once")
    after = tree(workspace)
    assert after != before
    back = undo(state, workspace)
    assert back.undoes == done.id
    assert tree(workspace) == before
    undo(state, workspace, back.id)
    assert tree(workspace) == after
    undo(state, workspace)
    assert tree(workspace) == before
    assert [commit.note for commit in commits(state, workspace)][-1] == "all at once"
    with pytest.raises(InputError):
        undo(state, workspace)


def test_a_file_that_was_changed_meanwhile_is_a_conflict_and_nothing_is_done(each: Workbench, workspace: Path) -> None:
    each.run("echo mine >> a.txt; echo mine >> b.txt")
    (workspace / "b.txt").write_text("theirs\n")
    with pytest.raises(ConflictError, match=r"b\.txt"):
        each.commit()
    assert (workspace / "a.txt").read_text() == "one\n"
    assert each.read("a.txt") == b"one\nmine\n"


def test_what_was_written_again_with_the_same_contents_is_no_conflict(each: Workbench, workspace: Path) -> None:
    each.run("echo mine >> a.txt")
    (workspace / "a.txt").unlink()
    (workspace / "a.txt").write_text("one\n")
    each.commit()
    assert (workspace / "a.txt").read_text() == "one\nmine\n"


def test_a_file_that_was_changed_while_the_command_ran_is_a_conflict(bench: Workbench, workspace: Path) -> None:
    def meddle(text: str) -> None:
        (workspace / "a.txt").write_text("theirs\n")

    bench.run("echo mine >> a.txt; echo now; sleep 0.3", show=meddle)
    with pytest.raises(ConflictError):
        bench.commit()


@pytest.mark.parametrize("script", ["rm -r src", "echo x > new.txt", "mv a.txt c.txt"])
def test_new_files_in_the_way_are_conflicts(each: Workbench, workspace: Path, script: str) -> None:
    each.run(script)
    for name in ("src/new.py", "new.txt", "c.txt"):
        (workspace / name).write_text("theirs")
    before = tree(workspace)
    with pytest.raises(ConflictError):
        each.commit()
    assert tree(workspace) == before


def test_the_second_of_two_commits_to_one_file_is_a_conflict(make: Make, workspace: Path) -> None:
    first, second = make(), make()
    first.run("echo first >> a.txt; echo 1 > c.txt")
    second.run("echo second >> a.txt; echo 2 > d.txt")
    first.commit()
    with pytest.raises(ConflictError):
        second.commit()
    assert (workspace / "a.txt").read_text() == "one\nfirst\n"
    assert not (workspace / "d.txt").exists()
    second.commit(second.changes()[1:])
    assert (workspace / "d.txt").read_text() == "2\n"


def test_a_part_can_be_committed_and_the_rest_stays(each: Workbench, workspace: Path) -> None:
    each.run(EVERYTHING)
    whole = each.changes()
    each.commit(whole[:2])
    assert set(each.changes()) == set(whole[2:])
    seen = each.run("cat lib/main.py link/x; readlink other; test ! -e src").output
    assert seen == "print('hello')\nin\na.txt\n"
    each.commit()
    assert (workspace / "lib" / "main.py").exists()
    assert not (workspace / "src").exists()


def test_changes_that_are_no_longer_there_cannot_be_committed(bench: Workbench) -> None:
    listed = bench.run("echo 1 > c.txt").changes
    bench.run("echo 2 > c.txt")
    with pytest.raises(ConflictError):
        bench.commit(listed)


def test_special_files_are_refused_and_set_ids_taken_off(bench: Workbench, workspace: Path) -> None:
    bench.run("mkfifo pipe; cp /bin/true tool; chmod 6755 tool")
    with pytest.raises(InputError, match="pipe"):
        bench.commit()
    bench.run("rm pipe")
    bench.commit()
    assert (workspace / "tool").stat().st_mode & 0o7777 == 0o755


def test_a_directory_swapped_for_a_link_leads_nowhere(bench: Workbench, workspace: Path, tmp_path: Path) -> None:
    bench.run("echo evil > src/main.py")
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(workspace / "src")
    (workspace / "src").symlink_to(outside)
    with pytest.raises(ConflictError):
        bench.commit()
    assert list(outside.iterdir()) == []


def test_held_changes_wait_by_themselves(each: Workbench, workspace: Path, state: Path) -> None:
    each.run("echo more >> a.txt; mv src lib")
    kept = each.hold(note="look at this")
    assert len(each.changes()) == 0
    each.close()
    found = held(state, kept.id)
    assert found.note == "look at this"
    assert found.changes.digest == kept.changes.digest
    assert "+more" in found.changes.diff()
    found.commit()
    assert (workspace / "a.txt").read_text() == "one\nmore\n"
    assert (workspace / "lib" / "main.py").exists()
    with pytest.raises(InputError):
        held(state, kept.id)


def test_held_changes_conflict_with_what_happened_since(bench: Workbench, workspace: Path, state: Path) -> None:
    bench.run("echo more >> a.txt")
    kept = bench.hold()
    (workspace / "a.txt").write_text("other\n")
    with pytest.raises(ConflictError):
        kept.commit()
    kept.drop()
    assert not list((state / "held").iterdir())


def test_only_so_many_commits_are_kept(make: Make, workspace: Path, state: Path) -> None:
    bench = make(undo_commits=2)
    for number in range(4):
        bench.write({"a.txt": f"{number}\n".encode()})
        bench.commit(note=str(number))
    assert [commit.note for commit in commits(state, workspace)] == ["3", "2"]


def test_a_commit_remembers_its_changes(bench: Workbench, workspace: Path, state: Path) -> None:
    bench.run("echo more >> a.txt; rm b.txt")
    bench.commit()
    found = commits(state, workspace)[0].changes
    assert "+more" in found.diff()
    assert "-two" in found.diff()
