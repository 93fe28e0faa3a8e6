"""Whole pieces of work with a model over HTTP, each to its end: nothing is stood in for but the model's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.runtime import Session
from mayfly.session import ToolCalled, ToolReturned
from mayfly.testing import chat_server

from .scenes import SCENES


@pytest.mark.first(2)
@pytest.mark.parametrize("name", SCENES)
def test_a_piece_of_work_is_done_to_its_end(name: str, settings: Settings, tmp_path: Path) -> None:
    """Every call is a pair in the ledger, and what the rules said of it can be derived again."""
    scene, workspace = SCENES[name], tmp_path / "work"
    scene.lay_out(workspace)
    with chat_server(scene.answer) as server, Session(settings, workspace=workspace, model=server.model) as session:
        ended = session.turn(scene.request)
        ledger, turn = session.runtime.parts.ledger, session.log.turns[-1]
        decided = {entry.subject: entry for entry in ledger.read(kind="policy.decided")}
        told = [entry.data for entry in ledger.read(subject=session.id)]
    assert (ended.status, ended.text) == ("done", scene.replies[-1].text), ended
    for path, content in scene.ends_with.items():
        assert (workspace / path).read_text() == content, path
    called = [one.key for one in told if isinstance(one, ToolCalled)]
    returned = [one.key for one in told if isinstance(one, ToolReturned)]
    assert called == returned == list(turn.called)
    assert [one.tool for one in turn.returned.values() if one.status == "refused"] == list(scene.refused)
    assert not [one for one in turn.returned.values() if one.status == "error"], turn.returned
    assert decided
