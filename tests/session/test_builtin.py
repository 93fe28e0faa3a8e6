"""An agent changes a built-in tool: by staging, with a person's word, and never one of the library's."""

from __future__ import annotations

from pathlib import Path

import pytest

from library.staging.bed import NEW, OLD, PATH, TOOL, Bed, make_bed
from mayfly.core import Capability, Settings, Tier
from mayfly.library.staging import homes_of
from mayfly.runtime import Session
from mayfly.session import Stager, _staging
from mayfly.testing import chat_server

from .scenes import calls, command, says
from .test_executor import model


@pytest.fixture
def bed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bed:
    """Return a small product, and let it be the one that this process runs from."""
    made = make_bed(tmp_path)
    package = made.root / "src" / "mayfly"
    monkeypatch.setattr(_staging, "PACKAGE", package)
    monkeypatch.setattr(Stager, "homes", lambda self: {TOOL: (made.root / PATH,)})
    return made


def test_c_37_with_builtin_modify_a_built_in_is_staged_and_a_person_decides_by_diff_report_and_note(
    settings: Settings, workspace: Path, bed: Bed
) -> None:
    before = bed.seen()
    wanted = ("builtin_modify", {"tool": TOOL, "source": NEW, "why": "shout more"})
    with (
        chat_server(model(calls(wanted), says("it waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Fix the tool shout")
        (waiting,) = session.approvals.list()
        assert bed.seen() == before
        shown = session.approvals.diff(waiting)
        for part in ("compile  ok", "tests    ok", "smoke    ok", "judge    ", "+    return f"):
            assert part in shown
        assert NEW not in waiting.asked.payload
        result = session.approvals.approve(waiting.id, by="someone", reason="good")
    assert "is changed by commit" in result
    assert bed.seen()["file"] == NEW
    assert bed.seen()["log"].splitlines()[0].endswith(" agent: shout more")


@pytest.mark.later
def test_c_37_what_fails_a_stage_is_told_to_the_agent_and_waits_for_nobody(
    settings: Settings, workspace: Path, bed: Bed
) -> None:
    before = bed.seen()
    worse = OLD.replace("upper", "lower")
    with (
        chat_server(model(calls(("builtin_modify", {"tool": TOOL, "source": worse})), says("no"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Fix the tool shout")
        (returned,) = list(session.runtime.parts.ledger.read(kind="session.tool_returned"))
        assert session.approvals.list() == []
    assert returned.payload["status"] == "error"
    assert "test_it_is_loud" in str(returned.payload["text"])
    assert bed.seen() == before


def test_s_16_a_tool_of_the_library_is_not_staged_and_no_branch_is_made(
    settings: Settings, workspace: Path, bed: Bed
) -> None:
    with (
        chat_server(model(calls(("builtin_modify", {"tool": "roman", "source": NEW})), says("no"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Fix the tool roman")
        (returned,) = list(session.runtime.parts.ledger.read(kind="session.tool_returned"))
    assert "no built-in tool is called roman" in str(returned.payload["text"])
    assert bed.git("branch") == "* main\n"
    authored = Capability(name="roman", call=lambda call: 1, tier=Tier.AUTHORED)
    assert homes_of([authored], Path(__file__).parent) == {}


def test_who_has_not_the_tool_cannot_have_it_staged(settings: Settings, workspace: Path, bed: Bed) -> None:
    wanted = ("builtin_modify", {"tool": TOOL, "source": NEW})
    with (
        chat_server(model(calls(wanted), says("no"), intents=command("review", "it"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Review the tool shout")
        (returned,) = list(session.runtime.parts.ledger.read(kind="session.tool_returned"))
    assert returned.payload["status"] == "refused"
    assert bed.events() == []
