"""A process killed at any step of a commit leaves the old workspace or the new one."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mayfly.core import ConflictError
from mayfly.sandbox.workbench import Change, Changes, Entry, Workbench, commits, recover, undo
from mayfly.sandbox.workbench._beneath import Beneath
from mayfly.sandbox.workbench._compare import Comparison
from mayfly.sandbox.workbench._journal import commit_changes
from mayfly.sandbox.workbench._overlay import OverlayTree

from .trees import tree

# Everything a commit does to a disk goes through these.
STEPS = ("rename", "link", "unlink", "mkdir", "rmdir", "symlink", "chmod", "open", "fsync", "truncate")


def make_workspace(place: Path) -> None:
    (place / "d" / "e").mkdir(parents=True)
    for name in ("a", "b", "d/c", "d/e/f", "keep"):
        (place / name).write_text(f"old {name}\n")
    (place / "l").symlink_to("a")
    os.link(place / "keep", place / "keep2")


def change_it(tree_: OverlayTree) -> None:
    """Put changes of all kinds on a layer that nobody mounted."""
    tree_.put_bytes("a", b"new a\n", 0o644)
    tree_.remove("b")
    tree_.remove("d")
    tree_.put_bytes("d", b"a file now\n", 0o600)
    tree_.put_bytes("x/y/z", b"deep\n", 0o755)
    tree_.remove("l")
    tree_.put_bytes("l/in", b"in\n", 0o644)
    tree_.put_bytes("keep2", b"split\n", 0o644)
    tree_.put_bytes("empty", b"", 0o644)


def prepared(place: Path) -> tuple[Path, Path, Changes]:
    workspace, state = place / "work", place / "state"
    make_workspace(workspace)
    layer = state / "layer"
    layer.mkdir(parents=True)
    overlay = OverlayTree(str(workspace), layer)
    change_it(overlay)
    return workspace, state, Comparison(str(workspace)).compare(overlay.differences(), since=2**63)


def killed_at(step: int, action: Callable[[], object]) -> bool:
    """Run *action* in a child that is killed at its n-th step; say whether it was."""
    child = os.fork()
    if child == 0:
        left = [step]

        def counting(function: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **options: object) -> object:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*arguments, **options)

            return call

        for name in STEPS:
            setattr(os, name, counting(getattr(os, name)))
        try:
            action()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_kill_at_every_step_of_a_commit_leaves_old_or_new(tmp_path: Path) -> None:
    workspace, state, changes = prepared(tmp_path / "model")
    old = tree(workspace)
    commit_changes(state, str(workspace), changes)
    new = tree(workspace)
    seen = set()
    step = 0
    while True:
        place = tmp_path / str(step)
        workspace, state, changes = prepared(place)
        killed = killed_at(step, partial(commit_changes, state, str(workspace), changes))
        again = killed_at(random.Random(step).randrange(1, 40), partial(recover, state))
        recover(state)
        found = tree(workspace)
        assert found in (old, new), f"killed at step {step}, and {again} while recovering"
        assert len(commits(state, workspace)) == (found == new)
        assert not [path for key in (state / "journal").glob("*") for path in key.iterdir()]
        seen.add(found == new)
        shutil.rmtree(place)
        if not killed:
            break
        step += 3 if step > 12 else 1
    assert seen == {True, False}
    assert step > 30


def test_kill_at_steps_of_an_undo(tmp_path: Path) -> None:
    for step in range(2, 120, 17):
        workspace, state, changes = prepared(tmp_path / str(step))
        old = tree(workspace)
        commit_changes(state, str(workspace), changes)
        new = tree(workspace)
        killed_at(step, partial(undo, state, workspace))
        recover(state)
        assert tree(workspace) in (old, new)


def test_a_step_that_cannot_be_done_takes_all_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, state, changes = prepared(tmp_path)
    old = tree(workspace)
    real = Beneath.put_file

    def full(self: Beneath, path: str, source: str, entry: Entry) -> None:
        if path == "x/y/z" and "/new/" in source:
            raise OSError(28, "No space left on device")
        real(self, path, source, entry)

    monkeypatch.setattr(Beneath, "put_file", full)
    with pytest.raises(ConflictError, match="No space left"):
        commit_changes(state, str(workspace), changes)
    assert tree(workspace) == old
    assert commits(state, workspace) == []


@pytest.mark.parametrize("path", ["../evil", "d/../../evil", "/etc/evil", "a/../../x", "", ".", "d/./x/.."])
def test_paths_that_leave_the_workspace_are_refused(tmp_path: Path, path: str) -> None:
    workspace, state, _ = prepared(tmp_path)
    source = tmp_path / "evil-source"
    source.write_text("evil")
    entry = Entry(kind="file", mode=0o644, size=4)
    change = Change(kind="created", path=path, after=entry, now=str(source))
    before = tree(tmp_path / "work")
    with pytest.raises((ConflictError, OSError)):
        commit_changes(state, str(workspace), Changes([change]))
    assert not (tmp_path / "evil").exists()
    assert tree(workspace) == before


def test_an_overlay_of_a_dead_process_is_removed(workspace: Path, state: Path) -> None:
    def die() -> None:
        bench = Workbench(workspace, state=state)
        bench.write({"a.txt": b"lost\n"})
        os.kill(os.getpid(), signal.SIGKILL)

    killed_at(10**9, die)
    assert list((state / "overlays").glob("mayfly-*"))
    # Whoever dies while a thread of theirs starts a process (that looks for control groups) leaves a child that holds
    # the lock until its exec: it counts as in use until then, and the next look removes it.
    deadline = time.monotonic() + 20
    while list((state / "overlays").iterdir()) and time.monotonic() < deadline:
        recover(state)
    assert not list((state / "overlays").iterdir())
    assert (workspace / "a.txt").read_text() == "one\n"


def test_an_overlay_in_use_is_left_alone(bench: Workbench, state: Path) -> None:
    bench.write({"a.txt": b"mine\n"})
    recover(state)
    assert bench.read("a.txt") == b"mine\n"
    assert [path for path in (state / "overlays").iterdir() if path.is_dir()]
