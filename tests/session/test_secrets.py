"""Tools act on what the model said; only copies hide values, and nothing is ever done from a copy."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import InputError, SessionSettings, Settings
from mayfly.models import ToolCall
from mayfly.runtime import Session
from mayfly.session import ModelSaid, SpawnRequest, TurnAsked, tag_of
from mayfly.testing import ChatReply, chat_server

from .scenes import calls, command, says
from .test_executor import model

KEY = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
PASSWORD = "k9-Xw2_pQ7zLm4Rt"
SOURCE = """\
token = client.login(user, password=password, api_key=api_key)
key = load_pem_private_key(data, password=None)
DB = "postgres://user:password@localhost/db"
headers = {"Authorization": f"Bearer {token}", "password": "hunter22"}
"""


def tell(server: Any) -> str:
    """Return all that the model was sent, as text."""
    return json.dumps([body["messages"] for body in server.requests], ensure_ascii=False)


def clear_in(settings: Settings, *secrets: str) -> list[str]:
    """Return the secrets that stand in clear in any file of the state."""
    data = b"".join(path.read_bytes() for path in settings.state.rglob("*") if path.is_file() and path.suffix != ".key")
    return [secret for secret in secrets if secret.encode() in data]


def shown(session: Session, what: str) -> str:
    """Return the placeholder of a session."""
    return f"‹secret {tag_of(session.id)}: {what}›"


@pytest.fixture
def env(workspace: Path) -> Path:
    """Lay a file of secrets into the workspace."""
    file = workspace / ".env"
    file.write_text(f"DEBUG=true\nAPP_NAME=my-application\nBASE_URL=http://localhost:8000\nDB_PASSWORD={PASSWORD}\n")
    return file


def test_source_that_names_secrets_is_written_read_and_edited_as_the_model_said(
    settings: Settings, workspace: Path
) -> None:
    edit = {"old": "password=None", "new": "password=password"}
    replies = [
        calls(("file_write", {"path": "a.py", "content": SOURCE})),
        calls(("file_read", {"path": "a.py"})),
        calls(("file_edit", {"path": "a.py", "edits": [edit]})),
        calls(("shell_exec", {"command": "cat a.py; echo password=hunter22 > b.txt"})),
        says("done"),
    ]
    with (
        chat_server(model(*replies)) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        assert session.turn("Implement the login in a.py").status == "done"
    assert (workspace / "a.py").read_text() == SOURCE.replace("password=None", "password=password")
    assert (workspace / "b.txt").read_text() == "password=hunter22\n"
    read = next(
        one for one in server.requests[-1]["messages"] if one["role"] == "tool" and "     1\t" in one["content"]
    )
    assert [line.partition("\t")[2] for line in read["content"].splitlines()] == SOURCE.splitlines()
    assert "‹secret" not in tell(server)


def test_a_known_value_is_written_as_it_is_and_shown_to_nobody(settings: Settings, workspace: Path, env: Path) -> None:
    content = f"A = '{PASSWORD}'\nB = '{KEY}'\nC = 'my-application http://localhost:8000'\n"
    replies = [
        calls(("file_write", {"path": "a.py", "content": content})),
        calls(("file_read", {"path": "a.py"}), ("shell_exec", {"command": "cat a.py >&2; false"})),
        says(f"wrote {KEY}"),
    ]
    seen: list[object] = []
    with (
        chat_server(model(*replies)) as server,
        Session(
            settings, workspace=workspace, model=server.model, observe=lambda happened: seen.append(happened)
        ) as session,
    ):
        session.turn(f"Implement a.py with {PASSWORD}")
        expected = f"A = '{shown(session, 'DB_PASSWORD from .env')}'"
        read = session.log.turns[-1].returned
        texts = [done.text for done in read.values()]
    assert (workspace / "a.py").read_text() == content
    assert expected in texts[1]
    assert expected in texts[2]
    assert "C = 'my-application http://localhost:8000'" in texts[1]
    assert PASSWORD not in tell(server)
    assert KEY not in tell(server)
    # The person's own terminal shows what the model says as it comes; calls and results are the copies.
    assert PASSWORD not in str([one for one in seen if type(one).__name__ in ("ToolCalled", "ToolReturned")])
    undo = settings.state / "workbench"
    left = [path for path in settings.state.rglob("*") if path.is_file() and undo not in path.parents]
    assert not [path for path in left if PASSWORD.encode() in path.read_bytes() or KEY.encode() in path.read_bytes()]


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("call", "status"),
    [
        (("file_write", {"path": "b.py", "content": "x = '{}'"}), "refused"),
        (("file_edit", {"path": "a.py", "edits": [{"old": "A", "new": "{}"}]}), "refused"),
        (("file_edit", {"patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-A\n+{}\n"}), "refused"),
        (("shell_exec", {"command": "echo {} > b.py"}), "refused"),
        (("git", {"operation": "commit", "arguments": ["-m", "use {}"]}), "refused"),
        (("spawn", {"task": "Fix it with {}"}), "refused"),
        (("file_write", {"path": "b.py", "content": "x = '‹secret ffffff: GitHub token›' ‹secret: x›"}), "ok"),
        (("file_search", {"pattern": "{}", "plain": True}), "ok"),
    ],
)
def test_nothing_is_done_with_a_placeholder_of_this_session(
    call: Any, status: str, settings: Settings, workspace: Path, env: Path
) -> None:
    (workspace / "a.py").write_text(f"A = '{PASSWORD}'\n")
    name, arguments = call
    stands = f"‹secret {tag_of('s-tagged')}: DB_PASSWORD from .env›"
    filled = json.loads(json.dumps(arguments, ensure_ascii=False).replace("{}", stands))
    answer = model(calls((name, filled)), says("so be it"), intents=command("implement", "it"))
    with (
        chat_server(answer) as server,
        Session(settings, workspace=workspace, model=server.model, id="s-tagged") as session,
    ):
        session.turn("Implement it")
        (done,) = session.log.turns[-1].returned.values()
    assert done.status == status
    assert (workspace / "b.py").exists() == (status == "ok" and name == "file_write")
    assert (workspace / "a.py").read_text() == f"A = '{PASSWORD}'\n"
    if status == "refused":
        assert "placeholder for DB_PASSWORD from .env" in done.text
        assert "file_edit around that line" in done.text
    if name == "file_search":
        assert "stands for a secret value" in done.text


def begun(session: Session, call: ToolCall) -> None:
    """Write what a process had written that was killed before a call of the model was made."""
    session.log.add(TurnAsked(turn=1, text="Implement it"))
    turn = session.log.turns[-1]
    session.executor._note_config(turn, session.config_for(["coder"], task="Implement it"))
    session.log.add(ModelSaid(turn=1, step=1, text="", calls=(call.to_json(),)))


@pytest.mark.parametrize("content", [f"A = '{KEY}'\n", f"A = '{PASSWORD}'\n", SOURCE])
def test_after_a_restart_a_call_that_was_recorded_with_something_hidden_is_made_again(
    content: str, settings: Settings, workspace: Path, env: Path
) -> None:
    call = ToolCall(id="c1", name="file_write", arguments={"path": "a.py", "content": content})
    again = calls(("file_write", {"path": "a.py", "content": content}))
    told: list[str] = []

    def answer(body: dict[str, Any]) -> ChatReply:
        told.append(str(body["messages"][-1].get("content")))
        lost = "Make it again" in told[-1]
        return again if lost else says("done")

    with chat_server(answer) as server:
        with Session(settings, workspace=workspace, model=server.model) as session:
            session.executor.room.look_for_secrets()
            begun(session, call)
        assert not (workspace / "a.py").exists()
        with Session(settings, workspace=workspace, model=server.model, resume="") as session:
            ended = session.go_on()
            assert ended is not None
            statuses = [done.status for done in session.log.turns[-1].returned.values()]
    assert (workspace / "a.py").read_text() == content
    assert statuses == (["ok"] if content == SOURCE else ["refused", "ok"])


def test_values_of_a_file_that_changes_are_known_from_then_on(settings: Settings, workspace: Path, env: Path) -> None:
    later = "n3w-Value_5Tq8Zx"
    (workspace / "a.py").write_text(f"A = '{later}' '{PASSWORD}'\n")
    reads = calls(("file_read", {"path": "a.py"}))
    with (
        chat_server(model(reads, says("first"), reads, says("second"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Explain a.py")
        assert later in session.log.turns[-1].returned["1.1.0"].text
        env.write_text(f"OTHER_TOKEN={later}\n")
        session.turn("Explain a.py again")
        (done,) = session.log.turns[-1].returned.values()
    assert later not in done.text
    assert PASSWORD not in done.text, "what was known once may still be in use"


def test_a_link_a_pipe_and_a_directory_called_like_secrets_hold_nobody_up(settings: Settings, workspace: Path) -> None:
    import os

    outside = workspace.parent / "outside.txt"
    outside.write_text("A_TOKEN=0ut-Side_12345x\n")
    (workspace / ".env").symlink_to(outside)
    os.mkfifo(workspace / "server.key")
    (workspace / ".env.d").mkdir()
    (workspace / "a.txt").write_text("0ut-Side_12345x\n")
    with (
        chat_server(model(calls(("file_read", {"path": "a.txt"})), says("read"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Explain a.txt")
        assert "0ut-Side_12345x" in session.log.turns[-1].returned["1.1.0"].text


def test_a_value_of_the_environment_and_of_the_settings_is_hidden(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "t0ken-of-the-shop")
    monkeypatch.setenv("DEBUG", "true")
    (workspace / "a.txt").write_text("t0ken-of-the-shop true\n")
    settings = Settings(state_dir=str(tmp_path / "state"))
    with (
        chat_server(model(calls(("file_read", {"path": "a.txt"})), says("read"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Explain a.txt")
        (done,) = session.log.turns[-1].returned.values()
        assert done.text == f"     1\t{shown(session, 'environment variable SHOP_TOKEN')} true"
    assert clear_in(settings, "t0ken-of-the-shop") == []


def test_a_value_at_the_edge_of_what_is_cut_is_hidden_whole(tmp_path: Path, workspace: Path, env: Path) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), session=SessionSettings(result=1000))
    half = (1000 - 300) // 2
    # The value begins before the place where the result is cut, and ends behind it.
    (workspace / "a.txt").write_text("x" * (half - 15) + PASSWORD + "y" * 5000 + "\n")
    with (
        chat_server(model(calls(("file_read", {"path": "a.txt"})), says("read"))) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Explain a.txt")
        (done,) = session.log.turns[-1].returned.values()
        whole = session.runtime.parts.ledger.get_blob(done.whole).decode()
    assert PASSWORD[:5] not in done.text
    assert PASSWORD not in whole
    assert shown(session, "DB_PASSWORD from .env") in whole


def test_secrets_in_names_and_errors_are_hidden(settings: Settings, workspace: Path, env: Path) -> None:
    (workspace / f"{PASSWORD}.txt").write_text("x\n")
    replies = [
        calls((f"tool_{KEY}"[:60], {}), ("file_list", {}), ("file_read", {"path": f"{PASSWORD}.md"})),
        ChatReply(calls=[("file_read", f'{{"path": "{PASSWORD}')]),
        says("done"),
    ]
    with (
        chat_server(model(*replies)) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Explain it")
        texts = [done.text for done in session.log.turns[-1].returned.values()]
    assert len(texts) == 4
    assert PASSWORD not in str(texts) + tell(server)
    assert clear_in(settings, PASSWORD) == []


def test_what_a_provider_carries_is_dropped_where_it_holds_a_secret(
    settings: Settings, workspace: Path, env: Path
) -> None:
    from mayfly.core import Cost
    from mayfly.models import Turn

    class Thinking:
        name = "thinking"

        def __init__(self) -> None:
            self.heard: list[Any] = []

        def serves(self, purpose: str) -> bool:
            return purpose == "chat"

        async def aask(self, *_: object, **__: object) -> Any:
            raise NotImplementedError

        async def aconverse(self, messages: Any, **_: object) -> Turn:
            self.heard.append(list(messages))
            number = len(self.heard)
            if number > 2:
                return Turn(text="done", cost=Cost(), model="thinking")
            call = ToolCall(id=f"c{number}", name="file_list", arguments={})
            thought = {"signed": f"I saw {PASSWORD}" if number == 1 else "nothing"}
            return Turn(text="", calls=(call,), carried=thought, cost=Cost(), model="thinking")

    with Session(settings, workspace=workspace) as session:
        talker = session.executor.parts.model = Thinking()
        session.turn("Explain the workspace")
    carried = [getattr(one, "carried", None) for one in talker.heard[-1] if hasattr(one, "calls")]
    assert carried == [None, {"signed": "nothing"}]


def test_an_approved_action_is_done_from_what_was_asked_and_never_from_its_record(
    settings: Settings, workspace: Path, env: Path
) -> None:
    from mayfly.session import ApprovalAsked, Approvals

    done: list[str] = []

    def perform(asked: ApprovalAsked) -> str:
        done.append(asked.payload)
        return "pushed"

    payload = json.dumps({"remote": "origin", "ref": PASSWORD})
    with Session(settings, workspace=workspace) as session:
        session.executor.room.look_for_secrets()
        ledger = session.log.ledger

        def opened() -> Approvals:
            return Approvals(ledger, settings.state, sign=lambda *_, **__: "o-1", perform={"git_push": perform})

        def ask(approvals: Approvals, payload: str) -> str:
            return approvals.ask_action(
                decision="d-1", session=session.id, action="git_push", target="origin", payload=payload, reasons=()
            )

        approvals = opened()
        first = ask(approvals, payload)
        assert ask(approvals, payload) == first
        assert PASSWORD not in approvals.get(first).asked.payload
        with pytest.raises(InputError, match="was asked with secret values, which are not kept"):
            opened().approve(first, by="T", reason="fine")
        assert done == []
        assert approvals.approve(first, by="T", reason="fine") == "pushed"
        assert done == [payload]
        plain = ask(approvals, '{"ref": "main"}')
        assert opened().approve(plain, by="T", reason="fine") == "pushed"
        long = ask(approvals, json.dumps({"ref": "x" * 30_000}))
        with pytest.raises(InputError, match="cut off"):
            opened().approve(long, by="T", reason="fine")


def test_agents_of_a_session_share_its_placeholders(settings: Settings, workspace: Path, env: Path) -> None:
    (workspace / "a.py").write_text(f"A = '{PASSWORD}'\n")

    async def work(session: Session) -> str:
        agent = await session.spawner.spawn(SpawnRequest(task="Explain a.py", kind="persistent"))
        ended = await session.spawner.wait(agent)
        return ended.text

    def answer(body: dict[str, Any]) -> ChatReply:
        results = [one["content"] for one in body["messages"] if one["role"] == "tool"]
        if not results:
            return calls(("file_read", {"path": "a.py"}))
        return says(f"it says {results[-1]}")

    with (
        chat_server(lambda body: first(body) if len(server.requests) == 1 else answer(body)) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        first = model(says("x"), intents=command("explain", "a.py"))
        said = asyncio.run_coroutine_threadsafe(work(session), session._loop).result()
    assert shown(session, "DB_PASSWORD from .env") in said
    assert PASSWORD not in tell(server)


def test_a_text_that_is_kept_is_told_to_the_next_session_with_its_own_placeholders(
    settings: Settings, workspace: Path, env: Path
) -> None:
    keeps = calls(("kb_ingest", {"title": "notes", "text": f"The database opens with {PASSWORD} on weekdays."}))
    finds = calls(("kb_search", {"query": "database weekdays"}))
    with (
        chat_server(model(keeps, says("kept"), intents=command("research", "it"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Research it")
    with (
        chat_server(model(finds, says("found"), intents=command("research", "it"))) as server,
        Session(settings, workspace=workspace, model=server.model) as other,
    ):
        other.turn("Research it")
        texts = [done.text for done in other.log.turns[-1].returned.values()]
    assert shown(other, "DB_PASSWORD from .env") in texts[0]
    assert tag_of(one.id) not in texts[0]
    assert clear_in(settings, PASSWORD) == []
