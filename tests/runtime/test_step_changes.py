"""What a plan changes in the workspace: judged, held, journalled and undone exactly as what a session changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.cli._app import run
from mayfly.core import ConflictError, Settings
from mayfly.persona import Desk
from mayfly.promise import Promise
from mayfly.runtime import Runtime
from mayfly.sandbox.workbench import commits, undo
from mayfly.session import open_approvals


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    place.mkdir()
    (place / "kept.txt").write_text("as it was\n")
    return place


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def runtime(settings: Settings, workspace: Path) -> Iterator[Runtime]:
    with Runtime(settings, workspace=workspace) as made:
        yield made


def step(capability: str, **arguments: Any) -> Promise[Any]:
    return Promise(f"{capability} {arguments['path']}", ground=None, capability=capability, argument=arguments)


def plan(*steps: Promise[Any]) -> Promise[Any]:
    root: Promise[Any] = Promise("do all of it", ground=None, combine="list")
    for one in steps:
        root.add(one)
    return root


def three_files() -> Promise[Any]:
    return plan(
        step("write_file", path="kept.txt", content="another text\n"),
        step("write_file", path="new/a.txt", content="a"),
        step("write_file", path="new/deep/b.json", content={"b": 1}),
    )


def test_a_plan_that_writes_three_files_is_undone(
    runtime: Runtime, settings: Settings, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = runtime.resolve(three_files())
    assert outcome.status == "resolved", outcome.reason
    assert (workspace / "kept.txt").read_text() == "another text\n"
    assert (workspace / "new/a.txt").read_text() == "a"
    assert (workspace / "new/deep/b.json").read_text() == '{\n  "b": 1\n}\n'
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "state"))
    assert run(["undo", "--workspace", str(workspace)]) == 0
    assert (workspace / "kept.txt").read_text() == "as it was\n"
    assert sorted(path.name for path in workspace.iterdir()) == ["kept.txt"]
    again = undo(settings.workbench_state, workspace, commits(settings.workbench_state, workspace)[0].id)
    assert len(again.changes) > 0
    assert (workspace / "new/deep/b.json").exists()


def test_what_undo_would_take_back_of_a_plan_is_shown_whole(
    runtime: Runtime,
    settings: Settings,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = runtime.resolve(three_files())
    one = next(made for made in commits(settings.workbench_state, workspace) if "kept.txt" in made.note)
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "state"))

    def shown(*id: str) -> list[bool]:
        capsys.readouterr()
        assert run(["undo", "--show", *id, "--workspace", str(workspace)]) == 0
        told = capsys.readouterr().out
        return [line in told for line in ("+another text", "+++ b/new/a.txt", "+++ b/new/deep/b.json")]

    assert shown() == shown(done.id) == [True, True, True]
    assert shown(one.id) == [True, False, False]
    assert (workspace / "kept.txt").read_text() == "another text\n"


def test_a_run_is_undone_by_its_id_and_whole_or_not_at_all(
    runtime: Runtime, settings: Settings, workspace: Path
) -> None:
    first = runtime.resolve(three_files())
    runtime.resolve(plan(step("write_file", path="other.txt", content="x")))
    (workspace / "new/a.txt").write_text("changed by hand")
    with pytest.raises(ConflictError, match=r"new/a\.txt"):
        undo(settings.workbench_state, workspace, first.id)
    assert (workspace / "kept.txt").read_text() == "another text\n"
    (workspace / "new/a.txt").write_text("a")
    undo(settings.workbench_state, workspace, first.id)
    assert (workspace / "kept.txt").read_text() == "as it was\n"
    assert not (workspace / "new").exists()
    assert (workspace / "other.txt").exists()


def test_what_was_written_moved_and_deleted_is_undone_as_one(
    runtime: Runtime, settings: Settings, workspace: Path
) -> None:
    (workspace / "run.sh").write_text("#!/bin/sh\n")
    (workspace / "run.sh").chmod(0o755)
    runtime.resolve(step("write_file", path="kept.txt", content="one"))
    assert runtime.resolve(step("move_file", path="run.sh", target="bin/go.sh")).status == "resolved"
    assert (workspace / "bin/go.sh").stat().st_mode & 0o777 == 0o755
    assert runtime.resolve(step("delete_file", path="kept.txt")).status == "resolved"
    for _ in range(3):
        undo(settings.workbench_state, workspace)
    assert (workspace / "kept.txt").read_text() == "as it was\n"
    assert (workspace / "run.sh").stat().st_mode & 0o777 == 0o755
    assert not (workspace / "bin").exists()


def test_a_change_that_needs_a_person_is_held_and_committed_by_the_inbox(
    runtime: Runtime, settings: Settings, workspace: Path
) -> None:
    path = ".github/workflows/ci.yml"
    outcome = runtime.resolve(step("write_file", path=path, content="on: push\n"))
    assert outcome.status != "resolved"
    ledger = runtime.parts.ledger
    approvals = open_approvals(settings, Desk(settings, ledger=ledger), ledger)
    (waiting,) = approvals.list()
    assert waiting.id in outcome.reason
    assert not (workspace / path).exists()
    assert "+on: push" in approvals.diff(waiting)
    approvals.approve(waiting.id, by="T", reason="fine")
    assert (workspace / path).read_text() == "on: push\n"
    assert runtime.resume(outcome.id).status == "resolved"
    undo(settings.workbench_state, workspace)
    assert not (workspace / path).exists()


def test_what_the_rules_refuse_is_not_written(runtime: Runtime, settings: Settings, workspace: Path) -> None:
    outcome = runtime.resolve(step("write_file", path="/etc/cron.d/x", content="x"))
    assert outcome.status != "resolved"
    assert commits(settings.workbench_state, workspace) == []
