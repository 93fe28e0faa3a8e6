"""The first answer of a model from the shell, by a real server: only its own library is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench._model_server import ANSWER, serving

LISTED = "import sys; from mayfly.cli._app import run; run(sys.argv[1:]); print(*sys.modules)"


@pytest.mark.parametrize("provider", ["compatible", "anthropic", "openai-chat"])
def test_a_model_answers_and_only_its_library_is_loaded(tmp_path: Path, provider: str) -> None:
    with serving() as address:
        names = {"anthropic": "anthropic:claude-sonnet-4-5", "openai-chat": "openai-chat:gpt-4o"}
        model = names.get(provider, f"{address}/v1#small")
        environ = {
            **os.environ,
            "MAYFLY_STATE_DIR": str(tmp_path / "state"),
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "k",
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "k",
        }
        command = [sys.executable, "-c", LISTED, "do", "say what 2 and 2 make", "--model", model, "--json"]
        ran = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
        said, loaded = ran.stdout.splitlines()[-2:]
        assert json.loads(said)["text"] == ANSWER
        other = "openai" if provider == "anthropic" else "anthropic"
        assert other not in loaded.split()
