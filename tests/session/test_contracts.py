"""What holds of every tool, every call and the house of sessions."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from mayfly.core import SessionSettings, Settings
from mayfly.mangle import parse_fact
from mayfly.persona import Personas
from mayfly.policy import Kernel, Rulebook
from mayfly.runtime import Session
from mayfly.session import SessionLog, SpawnRequest
from mayfly.testing import chat_server

from .scenes import calls, says
from .test_executor import model

SOURCE = Path(__file__).parents[2] / "src" / "mayfly"


def test_n12_one_executor_and_no_persona_by_name_in_the_code() -> None:
    named = re.compile(r"\b(coder|tester|reviewer|researcher)\b")
    found = [str(path) for path in SOURCE.rglob("*.py") if named.search(path.read_text(encoding="utf-8"))]
    assert found == []
    assert len((SOURCE / "session" / "_executor.py").read_text().splitlines()) < 300


def test_n28_tools_touch_the_world_through_the_room_alone() -> None:
    """Files and processes are the workbench's; beside it git is asked what it tracks, and MCP servers are spoken to."""
    touching = re.compile(
        r"\bsubprocess\b|(?<![\w.])open\(|os\.(remove|unlink|rename|mkdir|system)\(|write_text|write_bytes"
    )
    found = {
        path.name for path in (SOURCE / "session").rglob("*.py") if touching.search(path.read_text(encoding="utf-8"))
    }
    assert found <= {"_mcp_servers.py", "_mcp_link.py"}, found


def test_s40_every_tool_has_a_name_a_summary_a_schema_and_a_limit(settings: Settings, workspace: Path) -> None:
    with Session(settings, workspace=workspace) as session:
        tools = list(session.executor.tools)
    assert len(tools) > 25
    for tool in tools:
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool.name), tool.name
        assert 0 < len(tool.summary) <= 500, tool.name
        assert tool.input_schema["type"] == "object", tool.name
        assert set(tool.input_schema.get("required", ())) <= set(tool.input_schema.get("properties", {})), tool.name
        assert tool.seconds > 0, tool.name


def test_c24_the_rules_are_asked_before_the_effect_for_exactly_that(settings: Settings, workspace: Path) -> None:
    command = "echo made > made.txt"
    with (
        chat_server(model(calls(("shell_exec", {"command": command})), says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Fix it")
        ledger = session.runtime.parts.ledger
        order = [
            (entry.id, entry.kind, str(entry.payload.get("action", "")), str(entry.payload.get("target", "")))
            for kind in ("session.tool_called", "policy.decided", "session.tool_returned")
            for entry in ledger.read(kind=kind)
        ]
    kinds = [(kind, action.removeprefix("/")) for _, kind, action, _ in sorted(order)]
    assert kinds.index(("session.tool_called", "")) < kinds.index(("policy.decided", "shell_exec"))
    assert kinds.index(("policy.decided", "shell_exec")) < kinds.index(("policy.decided", "changes"))
    assert kinds.index(("policy.decided", "changes")) < kinds.index(("session.tool_returned", ""))
    assert command in [target for *_, target in order]


def _personas() -> Personas:
    return Personas.load(None, Rulebook().snapshot)


def test_c26_a_verb_that_somebody_claims_never_reaches_the_default_as_well(tmp_path: Path) -> None:
    wanted = 'user_intent("i1", /command, /frobnicate, "x", /none)'
    assert Kernel().route([parse_fact(wanted)], said="frobnicate x").personas == ("coder",)
    (tmp_path / "mine.mg").write_text("verb_persona(/frobnicate, /mender).\n")
    rules = Rulebook(extra=(tmp_path,)).snapshot
    assert Kernel(rules).route([parse_fact(wanted)], said="frobnicate x").personas == ("mender",)


def test_c29_each_persona_has_what_both_tables_give_it() -> None:
    personas = _personas()
    assert {"file_read", "file_write", "shell_exec", "git", "build_check"} <= set(personas.atom(["coder"]).tools)
    assert {"file_read", "hypothesis_gen", "impact_analysis", "preflight"} <= set(personas.atom(["reviewer"]).tools)
    order = ("coder", "tester", "adversary", "reviewer", "toolgen", "researcher", "general")
    assert [personas.atom([name]).priority for name in order] == [100, 90, 85, 80, 75, 70, 50]


def test_c31_a_persistent_agent_is_parked_when_idle_and_comes_back(tmp_path: Path, workspace: Path) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), session=SessionSettings(agent_idle=0.0))

    async def work(session: Session) -> Any:
        agent = await session.spawner.spawn(SpawnRequest(task="Fix one", kind="persistent"))
        await session.spawner.wait(agent)
        while session.spawner.agents:
            await asyncio.sleep(0)
        parked = SessionLog(session.runtime.parts.ledger, agent.id).ended
        return parked, await session.spawner.tell(agent.id, "Fix two")

    with (
        chat_server(model(says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        parked, ended = asyncio.run_coroutine_threadsafe(work(session), session._loop).result()
    assert parked.status == "parked"
    assert ended.status == "done"
