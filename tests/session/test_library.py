"""Agents and the library: what they make they use at once, and only who may does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import GateSettings, Settings
from mayfly.runtime import Session
from mayfly.session import ToolCalled, ToolReturned
from mayfly.testing import write_script

REQUEST = "create a tool that converts roman numerals, then use it on MCMXC"
ROMAN = '''
def roman(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''.lstrip()
EXAMPLES = [{"input": "IV", "output": 4}, {"input": "XLII", "output": 42}]


@pytest.fixture
def settings(tmp_path: Path, type_cache: Path) -> Settings:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    return Settings(state_dir=str(state), gates=GateSettings(mutants=0, inputs=0))


def call(tool: str, /, **arguments: object) -> dict[str, object]:
    return {"for": "chat", "answer": {"text": "", "calls": [{"name": tool, "arguments": arguments}]}}


def says(text: str) -> dict[str, object]:
    return {"for": "chat", "answer": text}


class Talk:
    """Turns of a session with a model whose lines are written down."""

    def __init__(self, settings: Settings, workspace: Path) -> None:
        self._settings = settings
        self._workspace = workspace

    def turn(self, request: str, *lines: dict[str, object], id: str = "") -> tuple[str, list[tuple[str, str, str]]]:
        """Return what was said at the end, and of every call its tool, how it ended and what it gave."""
        model = write_script(self._workspace.parent / "script.jsonl", *lines)
        done: list[tuple[str, str, str]] = []

        def observe(happened: Any) -> None:
            one = happened[0] if isinstance(happened, tuple) else happened
            if isinstance(one, ToolReturned):
                done.append((one.tool, one.status, one.text))
            assert not isinstance(one, ToolCalled) or one.tool

        with Session(self._settings, workspace=self._workspace, model=model, id=id, observe=observe) as session:
            ended = session.turn(request)
        return ended.text, done


@pytest.fixture
def talk(settings: Settings, workspace: Path) -> Talk:
    return Talk(settings, workspace)


def test_s_01_walk_b_a_tool_is_made_and_used_in_one_conversation_and_in_the_next(talk: Talk) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    said, done = talk.turn(REQUEST, made, call("roman", numeral="MCMXC"), says("It is 1990."))
    assert said == "It is 1990."
    assert [(tool, status) for tool, status, _ in done] == [("tool_write", "ok"), ("roman", "ok")]
    assert done[1][2] == "1990"
    # After a restart, by its name and through the tool that takes any name.
    use = call("tool_use", name="roman", arguments={"numeral": "XX"})
    _, done = talk.turn("fix the roman numeral XL", call("roman", numeral="XL"), use, says("40 and 20"))
    assert [(status, text) for _, status, text in done] == [("ok", "40"), ("ok", "20")]
    # A wrong update is refused and the old version serves; then back, and gone.
    bad = call("tool_update", name="roman", source=ROMAN.replace("-value", "value"))
    _, done = talk.turn("update the roman tool", bad, call("roman", numeral="IV"), says("refused"))
    assert [(tool, status) for tool, status, _ in done] == [("tool_update", "error"), ("roman", "ok")]
    assert json.loads(done[0][2])["decision"] == "reject"
    assert done[1][2] == "4"
    better = call("tool_update", name="roman", source=ROMAN.replace("total = 0", "total = int()"))
    back, gone = call("tool_rollback", name="roman"), call("tool_delete", name="roman")
    _, done = talk.turn("update the tool", better, back, gone, call("roman", numeral="IV"), says("gone"))
    assert [status for _, status, _ in done] == ["ok", "ok", "ok", "refused"]
    assert "there is no such tool; tool_find looks for one that does it, tool_write has it made" in done[3][2]


def test_s_14_an_agent_sees_the_error_of_a_tool_mends_it_and_goes_on(talk: Talk) -> None:
    naive = ROMAN.replace("values[letter]", 'values[letter if letter != "J" else letter]')
    mended = ROMAN.replace("reversed(numeral)", "reversed(numeral.upper())")
    _, done = talk.turn(
        REQUEST,
        call("tool_write", name="roman", intent="convert a roman numeral", source=naive, examples=EXAMPLES),
        call("roman", numeral="iv"),
        call("tool_update", name="roman", source=mended, examples=[{"input": "iv", "output": 4}]),
        call("roman", numeral="iv"),
        says("4"),
    )
    assert [status for _, status, _ in done] == ["ok", "error", "ok", "ok"]
    assert "KeyError" in done[1][2]
    assert done[3][2] == "4"


def test_who_may_not_use_the_library_is_refused_by_any_name(talk: Talk) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    talk.turn(REQUEST, made, says("made"))
    use = call("tool_use", name="roman", arguments={"numeral": "X"})
    _, done = talk.turn("review the code here", call("roman", numeral="X"), use, made, says("no"))
    assert [status for _, status, _ in done] == ["refused", "refused", "refused"]
    assert all("not a tool of reviewer" in text for _, _, text in done)


def test_who_may_use_the_library_may_not_write_it(talk: Talk) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    talk.turn(REQUEST, made, says("made"))
    deleted = call("tool_delete", name="roman")
    _, done = talk.turn("run the tests", call("roman", numeral="X"), deleted, says("no"))
    assert [(tool, status) for tool, status, _ in done] == [("roman", "ok"), ("tool_delete", "refused")]


def test_a_question_makes_no_tool(talk: Talk) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    _, done = talk.turn("how would you create a tool that converts roman numerals?", made, says("so"))
    assert [status for _, status, _ in done] == ["refused"]


def test_an_agent_finds_a_tool_by_what_it_does(talk: Talk) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    _, done = talk.turn(REQUEST, made, call("tool_find", intent="converting roman numerals"), says("found"))
    assert [one["name"] for one in json.loads(done[1][2])] == ["roman"]


def test_without_a_model_a_request_that_a_tool_does_is_done(talk: Talk, settings: Settings, workspace: Path) -> None:
    made = call("tool_write", name="roman", intent="convert a roman numeral", source=ROMAN, examples=EXAMPLES)
    talk.turn(REQUEST, made, says("made"))
    with Session(settings, workspace=workspace) as session:
        assert session.turn("convert the roman numeral MCMXC").text == "1990"
