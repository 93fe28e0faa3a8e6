"""Kill -9 at any instant of a session: resumed, it ends as if nothing had happened, and no effect happens twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.session import SessionLog, sessions
from mayfly.store import Ledger
from mayfly.testing import chat_server

from .scenes import SCENES

_PROGRAM = """
import sys
from pathlib import Path
from mayfly.core import Settings
from mayfly.runtime import Session
state, workspace, model, request = sys.argv[1:5]
resume = "" if len(sys.argv) > 5 else None
with Session(Settings(state_dir=state), workspace=Path(workspace), model=model, resume=resume) as session:
    ended = session.go_on() if resume is not None else session.turn(request)
    if ended is None and not session.log.turns:
        ended = session.turn(request)
    print("ENDED", ended.status if ended else session.log.turns[-1].ended.status, flush=True)
"""


def _run(state: Path, workspace: Path, model: str, request: str, *, resume: bool, kill_after: float | None) -> str:
    words = [sys.executable, "-c", _PROGRAM, str(state), str(workspace), model, request, *(["again"] if resume else [])]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as job:
        if kill_after is not None:
            time.sleep(kill_after)
            os.killpg(job.pid, signal.SIGKILL)
        out, err = job.communicate()
    assert kill_after is not None or job.returncode == 0, err
    return out


@pytest.mark.parametrize("name", ["feature", "rename"])
def test_a_session_that_is_killed_goes_on_and_does_nothing_twice(name: str, tmp_path: Path) -> None:
    """Every commit of a call is made once, however often its process is killed around it."""
    scene, chance = SCENES[name], random.Random(name)
    workspace, state = tmp_path / "work", tmp_path / "state"
    scene.lay_out(workspace)
    with chat_server(scene.answer) as server:
        out, kills = "", 0
        while "ENDED" not in out and kills < 10:
            began = _began(state)
            out = _run(state, workspace, server.model, scene.request, resume=began, kill_after=chance.uniform(1.0, 3.0))
            kills += 1
        if "ENDED" not in out:
            out = _run(state, workspace, server.model, scene.request, resume=_began(state), kill_after=None)
    assert "ENDED done" in out
    for path, content in scene.ends_with.items():
        assert (workspace / path).read_text() == content, path
    with Ledger.open(Settings(state_dir=str(state))) as ledger:
        log = next(log for log in sessions(ledger) if log.turns)
        done = [one.commit for one in log.turns[-1].returned.values() if one.commit]
    assert len(done) == len(set(done))


def _began(state: Path) -> bool:
    if not state.exists():
        return False
    ledger = Ledger.find(Settings(state_dir=str(state)))
    if ledger is None:
        return False
    with ledger:
        return any(log.turns for log in sessions(ledger))


def test_a_session_is_read_back_as_it_was(tmp_path: Path) -> None:
    scene = SCENES["fix"]
    workspace, state = tmp_path / "work", tmp_path / "state"
    scene.lay_out(workspace)
    with chat_server(scene.answer) as server:
        _run(state, workspace, server.model, scene.request, resume=False, kill_after=None)
    with Ledger.open(Settings(state_dir=str(state))) as ledger:
        log = sessions(ledger)[0]
        again = SessionLog(ledger, log.id)
        assert [message.to_json() for message in log.messages()] == [message.to_json() for message in again.messages()]
        assert json.dumps([message.to_json() for message in log.messages()])
