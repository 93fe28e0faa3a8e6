"""From a string to a model: which forms there are, and what is said about every other."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import InputError, MachineError
from mayfly.models import ModelOptions, open_model

from .conftest import QUICK
from .server import Send, Server, says


@pytest.mark.parametrize(
    "spec", ["", "gpt", "openai:", ":name", "scripted:", "replay:", "http://", "http://h:99999/v1"]
)
def test_a_string_that_names_no_model_is_one_line_with_the_forms(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        open_model(spec)
    assert caught.value.fix
    assert caught.value.fix.startswith("write ")


@pytest.mark.parametrize(
    ("spec", "variable"),
    [("openai:gpt-5", "OPENAI_API_KEY"), ("anthropic:claude-opus-4-1", "ANTHROPIC_API_KEY")],
)
def test_a_missing_key_is_named_when_the_model_is_opened(spec: str, variable: str) -> None:
    with pytest.raises(InputError, match=f"{spec} needs a key; set {variable}"):
        open_model(spec)


def test_a_missing_key_of_any_other_provider_is_named_when_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    with open_model("openrouter:some/model") as model, pytest.raises(InputError, match="set OPENROUTER_API_KEY"):
        model.load()


def test_an_unknown_provider_is_an_input_error() -> None:
    with open_model("nobody:some") as model, pytest.raises(InputError, match="unknown provider 'nobody'"):
        model.load()


def test_a_provider_whose_library_is_missing_says_what_to_install() -> None:
    with open_model("groq:some") as model, pytest.raises(MachineError, match=r"pip install 'pydantic-ai-slim\[groq\]'"):
        model.load()


def test_an_address_without_a_name_asks_for_the_default(server: Server) -> None:
    server.play(says("x"))
    with open_model(server.url, QUICK) as model:
        model.ask("chat", "hi")
    assert server.requests[0]["model"] == "default"


@pytest.mark.parametrize("spec", ["tiny", "openai:tiny", "openai-chat:tiny"])
def test_a_base_url_serves_bare_names_and_those_of_openai(server: Server, spec: str) -> None:
    server.play(says("x"))
    with open_model(spec, replace(QUICK, base_url=server.url)) as model:
        assert model.ask("chat", "hi").model == spec
    assert server.requests[0]["model"] == "tiny"
    assert server.paths == ["/v1/chat/completions"]


def test_the_usual_variables_of_openai_work(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345678")
    server.play(says("x"))
    with open_model("openai:tiny", QUICK) as model:
        model.ask("chat", "hi")
    assert server.headers[0]["authorization"] == "Bearer sk-12345678"


def test_a_key_for_an_address_comes_from_the_named_variable(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_GATEWAY", "gateway-key")
    server.play(says("x"))
    with open_model(f"{server.url}#m", replace(QUICK, api_key_variable="OUR_GATEWAY")) as model:
        model.ask("chat", "hi")
    assert server.headers[0]["authorization"] == "Bearer gateway-key"


def test_ollama_is_asked_at_its_address(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", server.url)
    server.play(says("x"))
    with open_model("ollama:qwen3", QUICK) as model:
        model.ask("chat", "hi")
    assert (server.requests[0]["model"], server.requests[0]["max_tokens"]) == ("qwen3", QUICK.max_output)


def test_a_proxy_is_not_asked_about_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.play(says("x"))
    with open_model(server.url, QUICK) as model:
        assert model.ask("chat", "hi").text == "x"


@pytest.mark.later
def test_anthropic_is_asked_in_its_own_way_and_priced(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-12345678")

    def message(send: Send) -> None:
        content = [{"type": "text", "text": "hello"}]
        usage = {"input_tokens": 1_000_000, "output_tokens": 0}
        head = {"id": "m", "type": "message", "role": "assistant", "model": send.body["model"]}
        send.json(200, {**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage})

    server.play(message)
    with open_model("anthropic:claude-opus-4-6", QUICK) as model:
        answer = model.ask("chat", "hi", system="be kind")
    assert answer.text == "hello"
    assert answer.money_known
    assert answer.cost.money
    assert server.paths == ["/v1/messages"]
    assert "sk-ant-12345678" in str(server.headers[0])
    assert not [name for name in server.headers[0] if name.startswith("x-stainless")]


def run(script: str) -> str:
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=200)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


HEAVY = "{'pydantic_ai', 'pydantic', 'httpx', 'httpx2', 'openai', 'anthropic', 'genai_prices'}"
LOADED = f"print(sorted({HEAVY} & {{name.split('.')[0] for name in sys.modules}}))"


def test_importing_models_loads_no_library() -> None:
    assert run(f"import sys, mayfly.models; {LOADED}") == "[]\n"


def test_opening_a_networked_model_loads_no_library() -> None:
    opened = "mayfly.models.open_model('http://127.0.0.1:1/v1#m')"
    assert run(f"import sys, mayfly.models; {opened}; {LOADED}") == "[]\n"


def test_scripts_and_recordings_need_no_library(tmp_path: Path) -> None:
    path, record = tmp_path / "script.jsonl", tmp_path / "run.jsonl"
    path.write_text('{"for": "chat", "answer": "[1, 2]"}\n', encoding="utf-8")
    script = f"""
import sys
sys.modules["pydantic_ai"] = sys.modules["pydantic"] = None
from pathlib import Path
from mayfly.models import open_model
with open_model("scripted:{path}", record=Path("{record}")) as model:
    print(model.ask("chat", "hi", schema=list[int]).value)
with open_model("replay:{record}") as model:
    print(model.ask("chat", "hi").text)
"""
    assert run(script) == "[1, 2]\n[1, 2]\n"


def test_a_machine_without_the_library_says_what_to_install() -> None:
    script = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pydantic_ai" else found(name, *rest)
from mayfly.core import MachineError
from mayfly.models import open_model
try:
    open_model("http://127.0.0.1:1/v1#m")
except MachineError as error:
    print(error)
"""
    assert run(script) == (
        "http://127.0.0.1:1/v1#m needs pydantic-ai, which is not installed; pip install 'mayfly-agents[models]'\n"
    )


def test_options_have_the_documented_numbers() -> None:
    options = ModelOptions()
    assert (options.attempts, options.retry_delay, options.retry_factor) == (3, 0.5, 2.0)
    assert (options.timeout, options.max_answer) == (120.0, 1_000_000)
