"""kill -9 at every event of the ledger and before every command of git: the next run finds old or new."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .bed import NEW, OLD, PATH, TOOL, Bed, make_bed

# The stages are the same wherever one is killed, and slow: here they have passed.
SCRIPT = """
import os, signal, sys
sys.path.insert(0, "tests")
from pathlib import Path
from mayfly.library.staging import StageResult
from mayfly.library.staging import _staging
from mayfly.sandbox.repository import Git
from mayfly.store import Ledger
from library.staging.bed import Bed, NEW, PATH, TOOL

place, what, at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
count = 0

def step(kind):
    global count
    if kind != what:
        return
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

git, append = Git.__call__, Ledger.append
def counted(self, *words, **more):
    step("git")
    return git(self, *words, **more)
def told(self, *entries, **more):
    done = append(self, *entries, **more)
    step("event")
    return done
Git.__call__, Ledger.append = counted, told
_staging.StagingTrial.run = lambda self: tuple(StageResult(stage=s, ok=True, told="", seconds=0) for s in ("smoke",))
_staging.smoke_in = lambda *a, **k: ""
with Bed(root=place / "product", state=place / "state").staging() as staging:
    count = 0
    report = staging.stage(TOOL, PATH, NEW.encode())
    if len(sys.argv) > 4:
        count = 0 if what == "git" else count
        staging.roll_back(report.id, "it crashed")
"""


def run(place: Path, what: str, at: int, *more: str) -> int:
    command = [sys.executable, "-c", SCRIPT, str(place), what, str(at), *more]
    return subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, check=False).returncode


def kills(tmp_path: Path, what: str, *more: str) -> list[Bed]:
    """Kill one run after the other, each a step later, until one comes to its end; return what each left."""
    left: list[Bed] = []
    for at in range(1, 100):
        place = tmp_path / f"{what}-{at}"
        bed = make_bed(place)
        status = run(place, what, at, *more)
        left.append(bed)
        if status != -signal.SIGKILL:
            assert status == 0
            return left
    raise AssertionError("it never came to its end")


def settle(bed: Bed) -> dict[str, str]:
    """Let the next run put things in order, and see what is there then."""
    with bed.staging() as staging, staging._alone():
        pass
    seen = bed.seen()
    assert seen["branches"] == "* main\n"
    assert seen["worktrees"] == "1"
    assert seen["status"] == ""
    assert seen["parts"] == ""
    return seen


@pytest.mark.parametrize("what", ["event", "git"])
def test_s_15_killed_at_any_step_of_a_staging_it_is_old_or_new(tmp_path: Path, what: str) -> None:
    beds = kills(tmp_path, what)
    assert len(beds) > (2 if what == "event" else 15)
    for bed in beds:
        moved = "agent:" in bed.git("log", "--format=%s")
        seen = settle(bed)
        assert seen["file"] == (NEW if moved else OLD)
        assert len(seen["log"].splitlines()) == (2 if moved else 1)


def test_s_17_killed_at_any_step_of_a_rollback_it_is_old_or_new(tmp_path: Path) -> None:
    beds = kills(tmp_path, "git", "back")
    assert len(beds) > 10
    for bed in beds:
        lines = len(bed.git("log", "--format=%s").splitlines())
        seen = settle(bed)
        assert seen["file"] == {1: OLD, 2: NEW, 3: OLD}[lines]


def test_what_a_killed_run_left_is_named_until_the_next_run_removes_it(bed: Bed) -> None:
    with bed.staging() as staging:
        commit = staging.repository.commit_file(
            PATH, NEW.encode(), parent=staging.repository.head().commit, message="agent: cut off"
        )
        place = staging.repository.add_worktree(f"agent/builtin-mod/{TOOL}-1", commit)
        bed.git("branch", "agent/builtin-mod/mine")
        (found,) = staging.repository.leftovers()
        assert found.told() == f"branch agent/builtin-mod/shout-1, worktree {place}"
        with staging._alone():
            assert staging.repository.leftovers() == []
    assert not place.parent.exists()
    assert bed.git("branch", "--format=%(refname:short)") == "agent/builtin-mod/mine\nmain\n"
    assert bed.events() == ["cleaned"]
