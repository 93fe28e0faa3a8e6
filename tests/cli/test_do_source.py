"""`mayfly do` with a model behind a real server: source that names passwords and keys is written as the model said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.testing import ChatReply, chat_server

from .conftest import Cli

SOURCE = '''\
"""Log in."""

from cryptography.hazmat.primitives.serialization import load_pem_private_key


def login(client, user, password, api_key):
    token = client.login(user, password=password, api_key=api_key)
    headers = {"Authorization": f"Bearer {token}", "x-api-key": api_key}
    return headers, "postgresql://user:password@localhost/db", {"secret": "changeit"}


def read(key):
    return load_pem_private_key(key, password=None)
'''
OLD, NEW = "load_pem_private_key(key, password=None)", "load_pem_private_key(key, password=password)"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_source_that_names_secrets_is_what_the_model_said(cli: Cli, end: str) -> None:
    content = SOURCE.replace("\n", end)
    steps: list[list[tuple[str, dict[str, object]]]] = [
        [("file_write", {"path": "login.py", "content": content})],
        [("file_read", {"path": "login.py"})],
        [("file_edit", {"path": "login.py", "edits": [{"old": OLD, "new": NEW}]})],
        [("file_read", {"path": "login.py"})],
    ]

    def answer(body: dict[str, Any]) -> ChatReply:
        messages = body["messages"]
        if "Say what the person asks for" in json.dumps(messages):
            one = {"category": "command", "verb": "implement", "target": "login.py", "constraint": "none"}
            return ChatReply(text=json.dumps({"intents": [one]}))
        spoken = sum(message["role"] == "assistant" for message in messages)
        return ChatReply(calls=steps[spoken]) if spoken < len(steps) else ChatReply(text="done")

    with chat_server(answer) as server:
        ran = cli("do", "Implement login.py", "--model", server.model)
    assert (ran.status, ran.out) == (0, "done\n"), ran.err
    assert Path("login.py").read_bytes() == content.replace(OLD, NEW).encode()
    last = server.requests[-1]["messages"]
    said = [json.loads(call["function"]["arguments"]) for one in last for call in one.get("tool_calls") or ()]
    assert said == [arguments for step in steps for _, arguments in step]
    read = [one["content"] for one in last if one["role"] == "tool" and one["content"].startswith("     1\t")]
    shown = ["\n".join(line.partition("\t")[2] for line in one.split("\n")) + "\n" for one in read]
    assert shown == [content, content.replace(OLD, NEW)]
    trace = cli("log", "--json")
    assert "‹secret" not in trace.out
