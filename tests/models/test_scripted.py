"""`scripted:FILE`: answers in order, the last one repeats, a purpose without a line has no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.models import ModelError, open_model

from .conftest import Script


def test_answers_come_in_order_and_the_last_one_repeats(script: Script) -> None:
    model = script({"for": "chat", "answer": "one"}, {"for": "chat", "answer": "two"})
    assert [model.ask("chat", "?").text for _ in range(4)] == ["one", "two", "two", "two"]


def test_each_purpose_has_its_own_order(script: Script) -> None:
    model = script({"for": "chat", "answer": "a"}, {"for": "judge", "answer": "b"}, {"for": "chat", "answer": "c"})
    assert [model.ask("chat", "?").text, model.ask("judge", "?").text, model.ask("chat", "?").text] == ["a", "b", "c"]


def test_a_star_serves_only_purposes_without_lines_of_their_own(script: Script) -> None:
    model = script({"for": "*", "answer": "any"}, {"for": "judge", "answer": "own"})
    assert [model.ask("judge", "?").text, model.ask("plan", "?").text] == ["own", "any"]


def test_a_purpose_without_a_line_has_no_model(script: Script) -> None:
    model = script({"for": "architect", "answer": "x"})
    assert model.serves("architect")
    assert not model.serves("judge")
    with pytest.raises(ModelError, match="no model for 'judge'") as caught:
        model.ask("judge", "?")
    assert caught.value.kind == "no-model"


def test_an_empty_file_serves_nothing(script: Script) -> None:
    assert not script().serves("chat")


def test_an_answer_that_is_not_text_is_written_as_json(script: Script) -> None:
    assert script({"for": "chat", "answer": {"a": [1, "é"]}}).ask("chat", "?").text == '{"a": [1, "é"]}'


def test_tokens_and_money_are_those_of_the_line(script: Script) -> None:
    model = script({"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3, "money": 0.25})
    answer = model.ask("chat", "?")
    assert (answer.cost.input_tokens, answer.cost.output_tokens, answer.cost.money.dollars) == (5, 3, 0.25)
    assert answer.cost.model_calls == 1
    assert answer.money_known


def test_an_error_line_fails(script: Script) -> None:
    model = script({"for": "chat", "error": "out of order"}, {"for": "chat", "answer": "mended"})
    with pytest.raises(ModelError, match="out of order"):
        model.ask("chat", "?")
    assert model.ask("chat", "?").text == "mended"


def test_a_delay_longer_than_the_time_limit_is_a_time_out(script: Script) -> None:
    from dataclasses import replace

    from .conftest import QUICK

    model = script({"for": "chat", "answer": "x", "delay": 60}, options=replace(QUICK, timeout=0.01))
    with pytest.raises(ModelError, match=r"no answer within 0\.01 s") as caught:
        model.ask("chat", "?")
    assert caught.value.kind == "timeout"


def test_an_unknown_purpose_is_a_mistake_of_the_caller(script: Script) -> None:
    with pytest.raises(InputError, match="unknown purpose 'poetry'"):
        script({"for": "*", "answer": "x"}).ask("poetry", "?")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "an object is needed"),
        ('{"answer": "x"}', '"for" must be one of'),
        ('{"for": "poet", "answer": "x"}', '"for" must be one of'),
        ('{"for": ["chat"], "answer": "x"}', '"for" must be one of'),
        ('{"for": "chat"}', 'exactly one of "answer" and "error"'),
        ('{"for": "chat", "answer": "x", "error": "y"}', 'exactly one of "answer" and "error"'),
        ('{"for": "chat", "error": 1}', '"error" must be text'),
        ('{"for": "chat", "answer": "x", "anser": "y"}', "unknown key 'anser'"),
        ('{"for": "chat", "answer": "x", "money": -1}', '"money" must be a number'),
        ('{"for": "chat", "answer": "x", "money": NaN}', '"money" must be a number'),
        ('{"for": "chat", "answer": "x", "input_tokens": true}', '"input_tokens" must be a number'),
        ('{"for": "chat", "answer": "x", "output_tokens": 1.5}', '"output_tokens" must be a number'),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"for": "chat", "answer": "fine"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        open_model(f"scripted:{path}")
    assert str(caught.value).startswith(f"{path}:3: ")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.jsonl: No such file"):
        open_model(f"scripted:{tmp_path / 'missing.jsonl'}")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        open_model(f"scripted:{tmp_path / 'binary'}")


def test_a_line_separator_inside_an_answer_is_text(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"for": "chat", "answer": "a\u2028b"}\n', encoding="utf-8")
    with open_model(f"scripted:{path}") as model:
        assert model.ask("chat", "?").text == "a\u2028b"
