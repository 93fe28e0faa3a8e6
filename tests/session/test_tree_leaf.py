"""A leaf of a tree that is a session: proven by the tests, taken back where they do not prove it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.runtime import Runtime
from mayfly.testing import ChatReply, chat_server

from .scenes import FIX, calls, says


def _answer(scene: Any, body: dict[str, Any]) -> ChatReply:
    """Be the model for the session only: what else is asked, such as a plan, it cannot do."""
    if body.get("tools") or "Say what the person asks for" in json.dumps(body["messages"]):
        return scene(body)  # type: ignore[no-any-return]
    return ChatReply(text="I do not know")


def test_a_tree_fixes_the_failing_test_and_its_proof_is_that_the_tests_pass(
    settings: Settings, workspace: Path
) -> None:
    FIX.lay_out(workspace)
    with (
        chat_server(lambda body: _answer(FIX.answer, body)) as server,
        Runtime(settings, workspace=workspace) as runtime,
    ):
        outcome = runtime.run("fix the failing test in this repository", model=server.model)
    assert outcome.status == "resolved", outcome
    assert "a + b" in (workspace / "calc.py").read_text()


@pytest.mark.later
def test_a_change_that_the_tests_do_not_prove_is_taken_back(settings: Settings, workspace: Path) -> None:
    """The test is deleted instead of being made to pass: nothing of that stays."""
    FIX.lay_out(workspace)

    def cheat(body: dict[str, Any]) -> ChatReply:
        spoken = sum(1 for message in body["messages"] if message["role"] == "assistant")
        if "Say what the person asks for" in json.dumps(body["messages"]):
            return FIX.answer(body)
        weaker = "import unittest\n\n\nclass Calc(unittest.TestCase):\n    def test_nothing(self) -> None: ...\n"
        steps = [calls(("file_write", {"path": "test_calc.py", "content": weaker})), says("all tests pass")]
        return steps[min(spoken, 1)]

    with (
        chat_server(lambda body: _answer(cheat, body)) as server,
        Runtime(settings, workspace=workspace) as runtime,
    ):
        outcome = runtime.run("fix the failing test in this repository", model=server.model)
    assert outcome.status != "resolved"
    assert (workspace / "test_calc.py").read_text() == FIX.files["test_calc.py"]
