"""A change of a built-in tool: taken in when all stages pass, and else the repository is as it was."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, MachineError, StagingSettings
from mayfly.library.staging import Repository, StageResult

from .bed import NEW, OLD, PATH, TOOL, Bed


def test_s_15_a_change_that_passes_is_one_commit_further_and_leaves_no_branch(bed: Bed) -> None:
    before = bed.seen()
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, NEW.encode(), why="shout more")
    after = bed.seen()
    assert report.status == "promoted", report.reason
    assert [one.stage for one in report.stages] == ["compile", "tests", "smoke"]
    assert report.branch.startswith("agent/builtin-mod/shout-")
    assert after["log"].splitlines()[0] == f"{report.commit} agent: shout more"
    assert after["log"].splitlines()[1:] == before["log"].splitlines()
    assert after["file"] == NEW
    assert "+    return f" in report.diff
    assert "judge" in report.told()
    for same in ("status", "branches", "worktrees", "parts"):
        assert after[same] == before[same], same
    assert bed.events() == ["proposed", "tested", "tested", "tested", "merging", "promoted"]


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("source", "stage", "said"),
    [
        ("def shout(:\n", "compile", "Syntax error"),
        (OLD.replace("upper()", "upper"), "compile", "types: line 3"),
        (OLD.replace("text.upper()", "text.upper()  # type: ignore[misc]"), "compile", "hides more"),
        (OLD.replace("upper", "lower"), "tests", "test_it_is_loud"),
        (f"import os\n\nos._exit(0)\n{OLD}", "tests", "without a result"),
        (f"import pytest\n\npytest.skip('no', allow_module_level=True)\n{OLD}", "tests", "(missing)"),
        (f"import sys\n\nif 'pytest' not in sys.modules:\n    raise OSError('no')\n\n\n{OLD}", "smoke", "OSError"),
    ],
    ids=["syntax", "types", "hides", "test", "exits", "skips", "smoke"],
)
def test_s_15_whatever_fails_leaves_all_as_it_was(bed: Bed, source: str, stage: str, said: str) -> None:
    before = bed.seen()
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, source.encode())
    assert report.status == "failed"
    assert report.stages[-1].stage == stage
    assert said in report.reason
    assert bed.seen() == before
    assert bed.events()[-1] == "failed"


@pytest.mark.later
def test_s_15_a_branch_that_moved_meanwhile_is_not_merged_over(bed: Bed) -> None:
    def move(result: StageResult) -> None:
        if result.stage == "smoke":
            bed.git("commit", "-q", "--allow-empty", "-m", "somebody was quicker")

    with bed.staging(tell=move) as staging, pytest.raises(ConflictError, match="main moved meanwhile"):
        staging.stage(TOOL, PATH, NEW.encode())
    after = bed.seen()
    assert [line.split(" ", 1)[1] for line in after["log"].splitlines()] == ["somebody was quicker", "first"]
    assert after["branches"] == "* main\n"
    assert after["worktrees"] == "1"
    assert (after["status"], after["file"]) == ("", OLD)


@pytest.mark.later
def test_s_15_a_stage_has_its_seconds_and_no_more(bed: Bed) -> None:
    before = bed.seen()
    endless = "import time\n\ntime.sleep(600)\n" + OLD
    with bed.staging(staging=StagingSettings(tests=2.0)) as staging:
        report = staging.stage(TOOL, PATH, endless.encode())
    assert "tests: it took more than 2 s" in report.reason
    assert bed.seen() == before


@pytest.mark.parametrize("how", ["edited", "added", "deleted", "link"])
def test_s_p6_a_dirty_target_is_refused_and_nothing_is_begun(bed: Bed, how: str) -> None:
    target = bed.root / PATH
    if how == "deleted":
        target.unlink()
    elif how == "link":
        shutil.copy(target, bed.root / "elsewhere.py")
        target.unlink()
        target.symlink_to(bed.root / "elsewhere.py")
    else:
        target.write_text(OLD + "# mine\n")
    if how == "added":
        bed.git("add", PATH)
    status = bed.git("status", "--porcelain=v1", "-uall")
    with bed.staging() as staging, pytest.raises(ConflictError, match="is not staged over"):
        staging.stage(TOOL, PATH, NEW.encode())
    assert bed.git("status", "--porcelain=v1", "-uall") == status
    assert bed.git("branch") == "* main\n"
    assert bed.events() == []


@pytest.mark.later
def test_s_p6_other_dirty_files_stay_as_they_are(bed: Bed) -> None:
    (bed.root / "other.txt").write_text("two\n")
    (bed.root / "staged.txt").write_text("new\n")
    bed.git("add", "staged.txt")
    (bed.root / "untracked.txt").write_text("loose\n")
    before = bed.seen()
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, NEW.encode())
    assert report.status == "promoted", report.reason
    after = bed.seen()
    assert after["status"] == before["status"] == " M other.txt\nA  staged.txt\n?? untracked.txt\n"
    assert after["file"] == NEW


@pytest.mark.later
def test_c_36_the_running_tree_is_never_checked_out_and_no_program_of_a_repository_runs(
    bed: Bed, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    hooks = bed.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change"):
        (hooks / hook).write_text(f"#!/bin/sh\necho {hook} >> {ran}\n")
        (hooks / hook).chmod(0o755)
    bed.git("config", "filter.spy.smudge", f"sh -c 'echo smudge >> {ran}; cat'")
    bed.git("config", "filter.spy.clean", f"sh -c 'echo clean >> {ran}; cat'")
    bed.git("config", "core.fsmonitor", f"sh -c 'echo fsmonitor >> {ran}'")
    (bed.root / ".git" / "info" / "attributes").write_text("* filter=spy\n")
    inode = (bed.root / "other.txt").stat().st_ino
    changed = (bed.root / "other.txt").stat().st_ctime_ns
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, NEW.encode(), merge=True)
    assert report.status == "promoted", report.reason
    assert not ran.exists()
    assert (bed.root / "other.txt").stat().st_ino == inode
    assert (bed.root / "other.txt").stat().st_ctime_ns == changed


@pytest.mark.later
def test_tried_only_means_nothing_is_taken_in(bed: Bed) -> None:
    before = bed.seen()
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, NEW.encode(), merge=False)
    assert report.status == "passed"
    assert bed.seen() == before


def test_what_stands_in_the_way_is_said_before_anything_is_tried(bed: Bed) -> None:
    with bed.staging() as staging:
        with pytest.raises(InputError, match="exactly that already"):
            staging.stage(TOOL, PATH, OLD.encode())
        with pytest.raises(InputError, match="is not a file of the branch main"):
            staging.stage(TOOL, "src/mayfly/none.py", NEW.encode())
        with pytest.raises(InputError, match="bytes, the limit is"):
            staging.stage(TOOL, PATH, b"#" * 200_000)
        with staging.repository.lock(), pytest.raises(ConflictError, match="being staged"):
            Repository(bed.root).lock().__enter__()
        bed.git("checkout", "-q", "--detach")
        with pytest.raises(ConflictError, match="on no branch"):
            staging.stage(TOOL, PATH, NEW.encode())
    assert bed.events() == []


def test_without_a_repository_one_line_says_that_staging_needs_it(tmp_path: Path, bed: Bed) -> None:
    package = tmp_path / "installed" / "mayfly"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    with pytest.raises(MachineError, match="staging needs the git repository"):
        Repository.of(package)
    # An environment inside somebody's repository is not part of it either.
    inside = bed.root / ".venv" / "mayfly"
    shutil.copytree(package, inside)
    with pytest.raises(MachineError, match="staging needs the git repository"):
        Repository.of(inside)
    assert Repository.of(bed.root / "src" / "mayfly").root == bed.root


def test_two_at_once_one_goes_on_and_the_other_is_told(bed: Bed) -> None:
    with bed.staging() as staging, Repository(bed.root).lock(), pytest.raises(ConflictError, match="being staged"):
        staging.stage(TOOL, PATH, NEW.encode())
    assert subprocess.run(["git", "fsck", "--no-dangling"], cwd=bed.root, check=False).returncode == 0
