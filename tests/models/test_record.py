"""Recording and replaying: the same request has the same answer again, and anything else is an error."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.models import Model, ModelError, open_model

from .conftest import QUICK, Script


def replay(path: Path) -> Model:
    return open_model(f"replay:{path}", QUICK)


def test_a_replay_gives_what_was_recorded(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    line = {"for": "chat", "answer": "hello", "input_tokens": 4, "output_tokens": 2, "money": 0.5}
    recorded = script(line, record=path).ask("chat", "hi", system="be kind")
    with replay(path) as model:
        again = model.ask("chat", "hi", system="be kind")
    assert again.text == recorded.text
    assert (again.cost.input_tokens, again.cost.output_tokens, again.cost.money.dollars) == (4, 2, 0.5)


def test_repeated_requests_are_answered_in_order(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recording = script({"for": "chat", "answer": "one"}, {"for": "chat", "answer": "two"}, record=path)
    for _ in range(2):
        recording.ask("chat", "again")
    with replay(path) as model:
        assert [model.ask("chat", "again").text for _ in range(3)] == ["one", "two", "two"]


def test_a_recorded_error_is_an_error_again(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(ModelError):
        script({"for": "chat", "error": "no luck"}, record=path).ask("chat", "hi")
    with replay(path) as model, pytest.raises(ModelError, match="no luck"):
        model.ask("chat", "hi")


def test_a_request_that_was_not_recorded_names_the_first_difference(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script({"for": "chat", "answer": "x"}, record=path).ask("chat", "first line\nsecond line")
    with replay(path) as model, pytest.raises(ModelError) as caught:
        model.ask("chat", "first line\nsecond word")
    assert "'chat'" in str(caught.value)
    assert "prompt, line 2: recorded 'line', asked 'word'" in str(caught.value)
    assert caught.value.kind == "not-recorded"


def test_a_different_system_text_is_a_different_request(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script({"for": "chat", "answer": "x"}, record=path).ask("chat", "hi", system="old")
    with replay(path) as model, pytest.raises(ModelError, match="system text, line 1: recorded 'old', asked 'new'"):
        model.ask("chat", "hi", system="new")


def test_a_purpose_that_was_not_recorded_has_no_model(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script({"for": "chat", "answer": "x"}, record=path).ask("chat", "hi")
    with replay(path) as model:
        assert model.serves("chat")
        assert not model.serves("judge")


def test_a_recording_can_be_used_as_a_script(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script({"for": "chat", "answer": "x"}, record=path).ask("chat", "hi")
    with open_model(f"scripted:{path}", QUICK) as model:
        assert model.ask("chat", "something else").text == "x"


def test_a_script_is_not_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"for": "chat", "answer": "x"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"script\.jsonl:1: .*scripted:FILE"):
        replay(path)


def test_recording_adds_to_what_is_there(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for answer in ("one", "two"):
        script({"for": "chat", "answer": answer}, record=path).ask("chat", answer)
    assert [json.loads(line)["answer"] for line in path.read_text().splitlines()] == ["one", "two"]


def test_a_last_line_without_its_end_does_not_swallow_the_next(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"for": "chat", "prompt": "a", "system": "", "answer": "old"}', encoding="utf-8")
    script({"for": "chat", "answer": "new"}, record=path).ask("chat", "b")
    with replay(path) as model:
        assert [model.ask("chat", "a").text, model.ask("chat", "b").text] == ["old", "new"]


def test_lines_of_many_threads_stay_whole(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    models = [script({"for": "chat", "answer": "x" * 5000}, record=path) for _ in range(2)]

    def ask(number: int) -> None:
        models[number % 2].ask("chat", f"question {number}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked = {json.loads(line)["prompt"] for line in path.read_text().splitlines()}
    assert asked == {f"question {number}" for number in range(20)}


def test_a_recording_is_for_its_owner_only(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script({"for": "chat", "answer": "x"}, record=path).ask("chat", "hi")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_recording_that_cannot_be_written_is_refused_at_once(script: Script, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot record to"):
        script({"for": "chat", "answer": "x"}, record=tmp_path / "no" / "run.jsonl")


def test_an_answer_that_does_not_fit_its_schema_is_recorded_all_the_same(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(ModelError, match="does not fit"):
        script({"for": "chat", "answer": "nonsense"}, record=path).ask("chat", "hi", schema=int)
    assert json.loads(path.read_text())["answer"] == "nonsense"
