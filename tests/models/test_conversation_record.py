"""Conversations are recorded and replayed with their calls, and their key covers messages and tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import InputError
from mayfly.models import Message, Model, ModelError, Returned, SaidText, Turn, open_model
from mayfly.testing import ChatReply, chat_server

from .conftest import QUICK, Script
from .test_conversation import ACTS, HELLO, READ, turns

KEY = "sk-very-secret-0123456789"


def hold(model: Model, rounds: int = 3, text: str = "content") -> list[Turn]:
    """Let *model* have its turns, each call with a result."""
    conversation: list[Message] = [HELLO]
    taken = []
    for _ in range(rounds):
        turn = model.converse(conversation, system="be kind", tools=[READ])
        taken.append(replace(turn, cost=replace(turn.cost, seconds=0.0), model=""))
        conversation.append(turn.message)
        conversation += [Returned(call_id=call.id, name=call.name, text=text) for call in turn.calls] or [HELLO]
    return taken


def replay(path: Path) -> Model:
    return open_model(f"replay:{path}", QUICK)


def test_a_replay_says_and_calls_what_was_recorded(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorded = hold(script(*ACTS, record=path))
    with replay(path) as model:
        assert hold(model) == recorded
    assert [bool(turn.calls) for turn in recorded] == [True, True, False]


def test_a_served_conversation_is_replayed_with_the_ids_and_costs_it_had(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    def answer(body: dict[str, Any]) -> ChatReply:
        return ChatReply(text="so", calls=[("file_read", '{"path"')], finish="length")

    with chat_server(answer) as server, open_model(server.model, QUICK, record=path) as model:
        recorded = hold(model)
    with replay(path) as model:
        again = hold(model)
    assert again == recorded
    assert all(turn.truncated and turn.calls[0].malformed for turn in again)


@pytest.mark.parametrize(
    ("ask", "difference"),
    [
        (
            lambda model: model.converse([SaidText(role="user", text="help")], system="a", tools=[READ]),
            "messages, line 1",
        ),
        (
            lambda model: model.converse([HELLO], system="b", tools=[READ]),
            "system text, line 1: recorded 'a', asked 'b'",
        ),
        (lambda model: model.converse([HELLO], system="a"), "tools, line 1"),
        (lambda model: model.converse([HELLO], system="a", tools=[replace(READ, description="x")]), "tools, line 1"),
        (lambda model: model.ask("chat", "hello", system="a"), "prompt, line 1"),
    ],
    ids=["messages", "system", "no tools", "tools", "question"],
)
def test_a_request_that_was_not_recorded_names_the_first_difference(
    script: Script, tmp_path: Path, ask: Callable[[Model], object], difference: str
) -> None:
    path = tmp_path / "run.jsonl"
    script(*turns("x"), record=path).converse([HELLO], system="a", tools=[READ])
    with replay(path) as model, pytest.raises(ModelError) as caught:
        ask(model)
    assert caught.value.kind == "not-recorded"
    assert difference in str(caught.value)


def test_a_recorded_conversation_can_be_used_as_a_script(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorded = hold(script(*ACTS, record=path))
    with open_model(f"scripted:{path}", QUICK) as model:
        assert [(turn.text, turn.calls) for turn in hold(model)] == [(turn.text, turn.calls) for turn in recorded]


def test_no_key_is_recorded_and_the_replay_fits_all_the_same(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    path = tmp_path / "run.jsonl"
    spoken = turns({"text": KEY, "calls": [{"name": "file_read", "arguments": {"path": KEY}}]}, "end")
    hold(script(*spoken, record=path), rounds=2, text=KEY)
    assert KEY not in path.read_text()
    with replay(path) as model:
        assert [turn.text for turn in hold(model, rounds=2, text=KEY)][1] == "end"


def test_a_recorded_error_of_a_conversation_is_an_error_again(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(ModelError):
        script({"for": "chat", "error": "no luck"}, record=path).converse([HELLO])
    with replay(path) as model, pytest.raises(ModelError, match="no luck"):
        model.converse([HELLO])


@pytest.mark.parametrize(
    "damage",
    [
        {"messages": [{"kind": "said"}]},
        {"messages": [3]},
        {"messages": []},
        {"tools": [{"name": "x"}]},
        {"tools": 3},
        {"answer": {"calls": [{"name": "x"}]}},
        {"system": 3},
    ],
)
def test_a_damaged_recording_is_named_with_its_line(script: Script, tmp_path: Path, damage: dict[str, Any]) -> None:
    path = tmp_path / "run.jsonl"
    script(*ACTS, record=path).converse([HELLO], tools=[READ])
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        replay(path)
    assert str(caught.value).startswith(f"{path}:1: ")
