"""Agents beside the one that talks: an exact limit, histories of their own, an end for each."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import InputError, LimitError, SessionSettings, Settings
from mayfly.runtime import Session
from mayfly.session import SessionLog, SpawnRequest
from mayfly.testing import ChatReply, chat_server

from .scenes import calls, says
from .test_executor import model


def _in(session: Session, work: Any) -> Any:
    return asyncio.run_coroutine_threadsafe(work, session._loop).result()


def test_n17_of_fifty_at_once_exactly_ten_are_spawned(settings: Settings, workspace: Path) -> None:
    go = threading.Event()

    def answer(body: dict[str, Any]) -> ChatReply:
        go.wait(60)
        return model(says("done"))(body)

    async def fifty(session: Session) -> list[object]:
        asked = [session.spawner.spawn(SpawnRequest(task=f"Fix {number}")) for number in range(50)]
        made = await asyncio.gather(*asked, return_exceptions=True)
        go.set()
        return list(made)

    with chat_server(answer) as server, Session(settings, workspace=workspace, model=server.model) as session:
        made = _in(session, fifty(session))
    assert sum(isinstance(one, LimitError) for one in made) == 40
    assert sum(hasattr(one, "executor") for one in made) == 10


def test_n18_an_ephemeral_agent_is_gone_after_its_task_and_a_persistent_one_remembers(
    settings: Settings, workspace: Path
) -> None:
    seen: list[str] = []

    def answer(body: dict[str, Any]) -> ChatReply:
        seen.append(json.dumps(body["messages"]))
        return model(says("noted"))(body)

    async def work(session: Session) -> tuple[str, int]:
        brief = await session.spawner.spawn(SpawnRequest(task="Fix one thing"))
        await session.spawner.wait(brief)
        kept = await session.spawner.spawn(SpawnRequest(task="Fix the blue door", kind="persistent", name="door"))
        await session.spawner.wait(kept)
        return kept.id, len(session.spawner.agents)

    with chat_server(answer) as server:
        with Session(settings, workspace=workspace, model=server.model) as session:
            id, left = _in(session, work(session))
            assert left == 1
        with Session(settings, workspace=workspace, model=server.model) as session:
            ended = _in(session, session.spawner.tell(id, "Fix it again"))
            log = SessionLog(session.runtime.parts.ledger, id)
    assert ended.status == "done"
    assert len(log.turns) == 2
    assert "blue door" in seen[-1]


def test_n19_two_agents_do_not_see_each_others_turns(settings: Settings, workspace: Path) -> None:
    seen: list[str] = []

    def answer(body: dict[str, Any]) -> ChatReply:
        seen.append(json.dumps(body["messages"]))
        return model(says("done"))(body)

    async def two(session: Session) -> None:
        for word in ("apples", "pears"):
            agent = await session.spawner.spawn(SpawnRequest(task=f"Fix the {word}", kind="persistent"))
            await session.spawner.wait(agent)

    with chat_server(answer) as server, Session(settings, workspace=workspace, model=server.model) as session:
        _in(session, two(session))
    assert not [text for text in seen if "apples" in text and "pears" in text]


@pytest.mark.later
def test_an_agent_has_so_long_and_no_longer(tmp_path: Path, workspace: Path) -> None:
    chosen = SessionSettings(agent_seconds=2.0)
    settings = Settings(state_dir=str(tmp_path / "state"), session=chosen)
    slow = calls(("shell_exec", {"command": "sleep 60"}))

    async def one(session: Session) -> Any:
        return await session.spawner.wait(await session.spawner.spawn(SpawnRequest(task="Fix it slowly")))

    with chat_server(model(slow)) as server, Session(settings, workspace=workspace, model=server.model) as session:
        assert _in(session, one(session)).status in ("limit", "stopped")


def test_a_model_spawns_an_agent_and_is_told_what_it_said(settings: Settings, workspace: Path) -> None:
    def answer(body: dict[str, Any]) -> ChatReply:
        text = json.dumps(body["messages"])
        if "count the doors" in text and '"tool_calls"' not in text and "Fix the house" not in text:
            return model(says("there are four doors"))(body)
        return model(calls(("spawn", {"task": "count the doors"})), says("four"))(body)

    with chat_server(answer) as server, Session(settings, workspace=workspace, model=server.model) as session:
        session.turn("Fix the house")
        done = list(session.log.turns[-1].returned.values())
    assert "four doors" in done[0].text


def test_bad_requests_are_said_to_be(settings: Settings, workspace: Path) -> None:
    with Session(settings, workspace=workspace) as session:
        for bad in (
            SpawnRequest(task=" "),
            SpawnRequest(task="x", timeout=-1),
            SpawnRequest(task="x", kind="system"),
        ):
            with pytest.raises(InputError):
                _in(session, session.spawner.spawn(bad))


def test_c43_a_system_agent_is_a_schedule_of_bounded_rounds(tmp_path: Path, workspace: Path) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), session=SessionSettings(agent_turns=2))

    async def rounds(session: Session) -> Any:
        agent = await session.spawner.spawn(SpawnRequest(task="Fix it", kind="system", every=1.0))
        return await session.spawner.wait(agent), len(agent.executor.log.turns)

    with (
        chat_server(model(says("done"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        ended, turns = _in(session, rounds(session))
    assert (ended.status, turns) == ("done", 2)
