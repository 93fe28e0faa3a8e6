"""Fixtures for the tests of models: a server that misbehaves, and options that wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.models import Model, ModelOptions, open_model
from mayfly.testing import write_script

from .server import Server, serving

Script = Callable[..., Model]
QUICK = ModelOptions(retry_delay=0.001, retry_after=0.01, timeout=100.0)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_BASE_URL", "MAYFLY_MODELS_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Script]:
    """Open a scripted model from lines given as objects."""
    opened: list[Model] = []

    def write(*lines: dict[str, object], options: ModelOptions = QUICK, record: Path | None = None) -> Model:
        path = tmp_path / f"script-{len(opened)}.jsonl"
        opened.append(open_model(write_script(path, *lines), options, record=record))
        return opened[-1]

    yield write
    for model in opened:
        model.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def remote(server: Server) -> Iterator[Model]:
    """Open the model that the server plays."""
    with open_model(f"{server.url}#small", QUICK) as model:
        yield model
