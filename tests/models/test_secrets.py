"""Keys enter no prompt, no recording and no message."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.models import Model, ModelError, open_model

from .conftest import QUICK, Script
from .server import Server, fails, says

KEY = "sk-very-secret-0123456789"
TOKEN = "hf_abcdefghijklmnopqrstuvwxyzabcdefgh"


def test_a_key_in_a_prompt_is_not_sent(server: Server, remote: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    server.play(says("x"))
    remote.ask("chat", f"my key is {KEY}", system=f"key: {KEY}")
    assert KEY not in str(server.requests)
    assert "my key is ‹secret: environment variable SOME_API_KEY›" in str(server.requests)


def test_a_word_that_happens_to_be_a_password_stays_in_the_prompt(
    server: Server, remote: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "postgres")
    server.play(says("x"))
    remote.ask("chat", "a query for postgres")
    assert "a query for postgres" in str(server.requests)


def test_a_key_is_in_no_recording(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_MODELS_API_KEY", KEY)
    server.play(says(f"you are {KEY}"), fails(400, f"bad key {KEY}"))
    path = tmp_path / "run.jsonl"
    with open_model(f"{server.url}#small", QUICK, record=path) as model:
        model.ask("chat", KEY)
        with pytest.raises(ModelError):
            model.ask("chat", KEY)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert len(path.read_text().splitlines()) == 2
    assert KEY not in path.read_text()
    assert "Bearer" not in path.read_text()


@pytest.mark.parametrize("key", [KEY, "short"])
def test_a_key_that_the_provider_repeats_is_in_no_message(
    server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("MAYFLY_MODELS_API_KEY", key)
    server.play(fails(401, f"wrong key {key}, header Authorization: Bearer {key}"))
    with open_model(f"{server.url}#small", QUICK) as model, pytest.raises(ModelError) as caught:
        model.ask("chat", "hi")
    assert key not in str(caught.value)
    assert "check MAYFLY_MODELS_API_KEY" in str(caught.value)


def test_an_openai_key_is_not_sent_to_another_server(
    server: Server, remote: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.play(says("x"))
    remote.ask("chat", "hi")
    assert KEY not in str(server.headers)


def test_nothing_about_this_machine_is_sent(server: Server, remote: Model) -> None:
    server.play(says("x"))
    remote.ask("chat", "hi")
    assert not [name for name in server.headers[0] if name.startswith("x-stainless")]


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        open_model("http://me:hunter22@localhost/v1#small")
    assert "hunter22" not in str(caught.value)


def test_a_scripted_error_shows_no_key(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", KEY)
    with pytest.raises(ModelError) as caught:
        script({"for": "chat", "error": f"refused {KEY}"}).ask("chat", "hi")
    assert KEY not in str(caught.value)


def test_a_token_that_is_in_no_variable_is_not_sent_either(server: Server, remote: Model) -> None:
    server.play(says("x"))
    remote.ask("chat", f"log in with {TOKEN}")
    assert TOKEN not in str(server.requests)
