"""What waits for a person: held changes and actions outside, exactly that and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mayfly.core import InputError, SessionSettings, Settings
from mayfly.runtime import Session
from mayfly.sandbox.workbench import commits, undo
from mayfly.testing import chat_server

from .scenes import calls, says
from .test_executor import model

HOOK = calls(("file_write", {"path": ".github/workflows/ci.yml", "content": "on: push\n"}))


def test_held_changes_wait_and_are_committed_when_a_person_agrees(settings: Settings, workspace: Path) -> None:
    with (
        chat_server(model(HOOK, says("waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        assert one.turn("Fix the pipeline").status == "done"
        assert not (workspace / ".github").exists()
        waiting = one.approvals.list()
        assert [item.asked.action for item in waiting] == ["changes"]
        assert "+on: push" in one.approvals.diff(waiting[0])
        one.approvals.approve(waiting[0].id, by="T", reason="fine")
        assert (workspace / ".github/workflows/ci.yml").read_text() == "on: push\n"
        assert one.approvals.list() == []
        one.turn("Fix more")
        assert "approved by T" in one.log.turns[-1].text
        with pytest.raises(InputError, match="was approved"):
            one.approvals.approve(waiting[0].id, by="T", reason="again")


def test_denied_changes_are_gone_and_the_agent_is_told(settings: Settings, workspace: Path) -> None:
    with (
        chat_server(model(HOOK, says("waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix the pipeline")
        waiting = one.approvals.list()[0]
        one.approvals.deny(waiting.id, by="T", reason="not now")
        assert not (workspace / ".github").exists()
        one.turn("Fix more")
        assert "denied by T (not now)" in one.log.turns[-1].text


def test_what_is_held_must_still_be_what_was_asked_about(settings: Settings, workspace: Path) -> None:
    with (
        chat_server(model(HOOK, says("waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix the pipeline")
        waiting = one.approvals.list()[0]
        place = settings.state / "workbench" / "held" / waiting.asked.held
        for file in place.rglob("*"):
            if file.is_file() and b"on: push" in file.read_bytes():
                file.write_bytes(b"on: evil\n")
        with pytest.raises(Exception, match=r"."):
            one.approvals.approve(waiting.id, by="T", reason="fine")
        assert not (workspace / ".github").exists()


def test_c23_the_autonomous_profile_approves_within_its_number(tmp_path: Path, workspace: Path) -> None:
    chosen = SessionSettings(profile="autonomous", approvals=1)
    settings = Settings(state_dir=str(tmp_path / "state"), session=chosen)
    second = calls(("file_write", {"path": ".envrc", "content": "x\n"}))
    with (
        chat_server(model(HOOK, second, says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix the pipeline")
        assert (workspace / ".github/workflows/ci.yml").exists()
        assert not (workspace / ".envrc").exists()
        assert [item.asked.action for item in one.approvals.list()] == ["changes"]


def test_the_profile_never_agrees_to_what_git_trusts_nor_to_the_loss_of_history(
    tmp_path: Path, workspace: Path
) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), session=SessionSettings(profile="autonomous"))
    first = "git init -q -b main && touch a && git add a && git -c user.name=T -c user.email=t@e.example commit -qm a"
    subprocess.run(first, shell=True, cwd=workspace, check=True)
    commands = [
        "git config core.sshCommand 'touch /tmp/run'",
        "printf '#!/bin/sh\n' > .git/hooks/post-checkout && chmod +x .git/hooks/post-checkout",
        "git init -q --bare store && echo x > store/hooks/update",
        "rm -rf .git/logs .git/refs/heads/main",
    ]
    script = calls(*(("shell_exec", {"command": command}) for command in commands))
    with (
        chat_server(model(script, says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix the settings of the repository with commands")
        assert [item.asked.action for item in one.approvals.list()] == ["changes"] * len(commands)


def test_what_the_profile_agrees_to_is_said_to_be_changed(tmp_path: Path, workspace: Path) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), session=SessionSettings(profile="autonomous"))
    with (
        chat_server(model(HOOK, says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix the pipeline")
        assert "[changed: " in json.dumps(server.requests[-1])
        assert "not in the workspace yet" not in json.dumps(server.requests[-1])
        assert [kept.changes.summary() for kept in commits(one.executor.room.state, workspace)] == ["3 created"]


def test_undo_takes_back_what_a_turn_changed(settings: Settings, workspace: Path) -> None:
    write = calls(("file_write", {"path": "a.txt", "content": "new\n"}))
    (workspace / "a.txt").write_text("old\n")
    with (
        chat_server(model(write, says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Fix a.txt")
        state = one.executor.room.state
    assert (workspace / "a.txt").read_text() == "new\n"
    assert len(commits(state, workspace)) == 1
    taken = undo(state, workspace, None)
    assert (workspace / "a.txt").read_text() == "old\n"
    undo(state, workspace, taken.id)
    assert (workspace / "a.txt").read_text() == "new\n"
