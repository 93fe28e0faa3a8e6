"""What a conversation is made of, what is refused before it is sent, and what a script answers in one."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError, LimitError, Stop
from mayfly.models import (
    Called,
    Message,
    ModelAnswered,
    ModelAsked,
    ModelError,
    ModelPool,
    Returned,
    SaidText,
    ToolCall,
    ToolOffer,
    message_from_json,
    open_model,
)

from .conftest import QUICK, Script

READ = ToolOffer(
    name="file_read",
    description="Read a file",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
HELLO = SaidText(role="user", text="hello")
ONE = Called(text="", calls=(ToolCall(id="a", name="file_read", arguments={"path": "x"}),))
RESULT = Returned(call_id="a", name="file_read", text="content")

words = st.text(max_size=20)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
called = st.builds(ToolCall, id=words, name=words, arguments=st.dictionaries(words, plain, max_size=3))
broken = st.builds(ToolCall, id=words, name=words, malformed=words, problem=words)
messages = st.one_of(
    st.builds(SaidText, role=st.sampled_from(["user", "assistant"]), text=words),
    st.builds(Called, text=words, calls=st.lists(called | broken, max_size=3).map(tuple)),
    st.builds(Returned, call_id=words, name=words, text=words, failed=st.booleans()),
)


@given(messages)
def test_a_message_is_the_same_after_it_was_stored(message: Message) -> None:
    assert message_from_json(json.loads(json.dumps(message.to_json()))) == message


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"kind": "shouted", "text": "x"},
        {"kind": ["said"]},
        {"kind": "said", "role": "system", "text": "x"},
        {"kind": "said", "role": "user"},
        {"kind": "said", "role": "user", "text": 1},
        {"kind": "called", "text": "x"},
        {"kind": "called", "calls": [1]},
        {"kind": "called", "calls": [{"id": "a", "name": "b", "arguments": [1]}]},
        {"kind": "returned", "call_id": "a", "name": "b"},
    ],
)
def test_what_is_no_message_is_refused(data: object) -> None:
    with pytest.raises(InputError):
        message_from_json(data)


@pytest.mark.parametrize(
    ("conversation", "problem"),
    [
        ([], "begins with what the user says"),
        ([SaidText(role="assistant", text="hi"), HELLO], "begins with what the user says"),
        ([HELLO, SaidText(role="assistant", text="hi")], "the model spoke last"),
        ([HELLO, ONE], "there is no result of 'a'"),
        ([HELLO, ONE, HELLO, RESULT], "message 3 comes before the result of 'a'"),
        ([HELLO, RESULT], "message 2 is the result of 'a', which was not just called"),
        ([HELLO, ONE, RESULT, RESULT], "message 4 is the result of 'a'"),
        ([HELLO, replace(ONE, calls=ONE.calls * 2), RESULT, RESULT], "an id of its own"),
        ([HELLO, replace(ONE, calls=())], "needs calls"),
    ],
)
def test_a_conversation_that_some_provider_refuses_is_not_sent(
    script: Script, conversation: list[Message], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        script({"for": "chat", "answer": "x"}).converse(conversation)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("offers", "problem"),
    [
        ([replace(READ, name="two words")], "a tool named 'two words'"),
        ([replace(READ, name="")], "a tool named ''"),
        ([READ, READ], "file_read is offered twice"),
        ([replace(READ, input_schema={})], "arguments of tool file_read are not an object"),
    ],
)
def test_a_tool_that_some_provider_refuses_is_not_offered(
    script: Script, offers: list[ToolOffer], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        script({"for": "chat", "answer": "x"}).converse([HELLO], tools=offers)
    assert problem in str(caught.value)


def test_results_of_parallel_calls_may_come_in_any_order(script: Script) -> None:
    two = Called(calls=(*ONE.calls, ToolCall(id="b", name="file_read", arguments={})))
    other = Returned(call_id="b", name="file_read", text="", failed=True)
    assert script({"for": "chat", "answer": "x"}).converse([HELLO, two, other, RESULT]).text == "x"


def test_a_script_says_and_calls(script: Script) -> None:
    calls = [{"name": "file_read", "arguments": {"path": path}} for path in "ab"]
    model = script({"for": "chat", "answer": {"text": "Reading.", "calls": calls}}, {"for": "chat", "answer": "Done."})
    turn = model.converse([HELLO], tools=[READ])
    assert turn.text == "Reading."
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        ("call_1", "file_read", {"path": "a"}),
        ("call_2", "file_read", {"path": "b"}),
    ]
    results = [Returned(call_id=call.id, name=call.name, text="x") for call in turn.calls]
    end = model.converse([HELLO, turn.message, *results])
    assert (end.text, end.calls, end.message) == ("Done.", (), SaidText(role="assistant", text="Done."))


def test_ids_of_later_calls_are_others(script: Script) -> None:
    model = script({"for": "chat", "answer": {"calls": [{"id": "mine", "name": "file_read", "arguments": {}}]}})
    conversation: list[Message] = [HELLO]
    for _ in range(3):
        turn = model.converse(conversation)
        conversation += [turn.message, Returned(call_id=turn.calls[0].id, name="file_read", text="x")]
    ids = [call.id for message in conversation if isinstance(message, Called) for call in message.calls]
    assert ids == ["mine", "call_2", "call_3"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"path": ', "not JSON"),
        ("[1]", "not an object"),
        ("null", ""),
        ("", ""),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "a number that JSON does not have"),
        ('{"a": "\\ud800"}', "half a character"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "deep"),
        ("[" * 100_000, "deep"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
    ],
)
def test_arguments_that_are_no_object_are_data(script: Script, arguments: str, problem: str) -> None:
    calls = [{"name": "file_read", "arguments": arguments}]
    turn = script({"for": "chat", "answer": {"calls": calls}}).converse([HELLO], tools=[READ])
    [call] = turn.calls
    assert problem in call.problem
    assert (call.arguments is None) == bool(problem) == bool(call.malformed)
    assert len(call.malformed) <= 2000
    assert message_from_json(json.loads(json.dumps(turn.message.to_json()))) == turn.message


@pytest.mark.parametrize("arguments", [None, "", '{"path": "a'])
def test_a_call_that_was_cut_off_is_none_that_takes_nothing(script: Script, arguments: str | None) -> None:
    calls = [{"name": "file_read", "arguments": "{}"}, {"name": "file_read", "arguments": arguments}]
    turn = script({"for": "chat", "answer": {"calls": calls}, "truncated": True}).converse([HELLO])
    assert turn.truncated
    assert [call.arguments for call in turn.calls] == [{}, None]
    assert turn.calls[1].problem == "it was cut off at the limit of output tokens"


def test_names_that_nobody_offered_are_data(script: Script) -> None:
    model = script({"for": "chat", "answer": {"calls": [{"name": "rm -rf\n" * 100, "arguments": {}}]}})
    assert len(model.converse([HELLO], tools=[READ]).calls[0].name) == 256


def test_an_empty_answer_is_an_error(script: Script) -> None:
    with pytest.raises(ModelError, match="the answer is empty") as caught:
        script({"for": "chat", "answer": " \n"}).converse([HELLO])
    assert caught.value.kind == "malformed"


@pytest.mark.parametrize("answer", [{"text": "plain"}, "plain"])
def test_an_answer_may_be_text_alone(script: Script, answer: object) -> None:
    assert script({"for": "chat", "answer": answer}).converse([HELLO]).text == "plain"


def test_an_object_without_calls_is_json_as_it_is_for_other_questions(script: Script) -> None:
    assert script({"for": "*", "answer": {"a": 1}}).converse([HELLO]).text == '{"a": 1}'


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"calls": [], "txt": "x"}, "unknown key 'txt' beside calls"),
        ({"calls": {}}, 'a list of "calls"'),
        ({"calls": [], "text": 1}, '"text"'),
        ({"calls": ["file_read"]}, "not a call"),
        ({"calls": [{"arguments": {}}]}, "not a call"),
        ({"calls": [{"name": "x", "args": {}}]}, "not a call"),
        ({"calls": [{"name": "x", "arguments": [1]}]}, "must be an object"),
    ],
)
def test_a_call_that_is_written_wrong_is_named_with_its_line(tmp_path: Path, answer: object, problem: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n" + json.dumps({"for": "chat", "answer": answer}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        open_model(f"scripted:{path}")
    assert str(caught.value).startswith(f"{path}:2: ")
    assert problem in str(caught.value)


def test_text_comes_in_pieces_in_the_thread_of_the_caller(script: Script) -> None:
    pieces: list[tuple[str, int]] = []
    model = script({"for": "chat", "answer": {"text": "x" * 200, "calls": [{"name": "a", "arguments": {}}]}})
    turn = model.converse([HELLO], emit=lambda piece: pieces.append((piece, threading.get_ident())))
    assert len(pieces) > 1
    assert "".join(piece for piece, _ in pieces) == turn.text == "x" * 200
    assert {thread for _, thread in pieces} == {threading.get_ident()}
    assert len(turn.calls) == 1


def test_a_coroutine_converses(script: Script) -> None:
    pieces: list[str] = []
    model = script({"for": "chat", "answer": "x" * 200})
    for emit in (None, pieces.append):
        assert asyncio.run(model.aconverse([HELLO], emit=emit)).text == "x" * 200
    assert "".join(pieces) == "x" * 200


def test_whoever_takes_the_pieces_can_end_the_call(script: Script) -> None:
    def refuse(piece: str) -> None:
        raise KeyboardInterrupt

    pool = ModelPool(output_tokens=1000)
    model = script({"for": "chat", "answer": "x" * 100_000, "output_tokens": 500})
    with pytest.raises(KeyboardInterrupt):
        model.converse([HELLO], pool=pool, emit=refuse)
    # The rest of the text would wait for ever for somebody to take it.
    while not pool.used.output_tokens:
        threading.Event().wait(0.001)
    assert pool.used.output_tokens == 500


def test_what_has_to_stop_ends_the_turn(script: Script) -> None:
    stop = Stop()
    model = script({"for": "chat", "answer": "x" * 100_000})
    with pytest.raises(ModelError) as caught:
        model.converse([HELLO], pool=ModelPool(stop=stop), emit=lambda piece: stop.cancel())
    assert caught.value.kind == "cut"


def test_errors_delays_and_purposes_are_as_for_other_questions(script: Script) -> None:
    model = script({"for": "chat", "error": "out of order"}, {"for": "chat", "answer": "mended"})
    with pytest.raises(ModelError, match="out of order"):
        model.converse([HELLO])
    assert model.converse([HELLO]).text == "mended"
    with pytest.raises(ModelError, match="no model for 'perceive'"):
        model.converse([HELLO], purpose="perceive")
    slow = script({"for": "chat", "answer": "x", "delay": 60}, options=replace(QUICK, timeout=0.01))
    with pytest.raises(ModelError, match="no answer within"):
        slow.converse([HELLO])


def test_the_pool_is_drawn_on_and_every_call_is_noted(script: Script) -> None:
    noted: list[ModelAsked | ModelAnswered] = []

    def note(event: ModelAsked | ModelAnswered) -> int:
        noted.append(event)
        return len(noted)

    pool = ModelPool(calls=1, note=note)
    model = script({"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3, "money": 0.25})
    turn = model.converse([HELLO], pool=pool)
    assert (turn.cost.input_tokens, turn.cost.output_tokens, turn.cost.money.dollars) == (5, 3, 0.25)
    assert (pool.used.model_calls, pool.used.output_tokens) == (1, 3)
    assert noted == [
        ModelAsked(model=model.name, purpose="chat", input_tokens=5, output_tokens=3, money=0.25),
        ModelAnswered(asked=1, input_tokens=5, output_tokens=3, money=0.25),
    ]
    with pytest.raises(LimitError):
        model.converse([HELLO], pool=pool)


def test_calls_count_for_the_size_of_an_answer(script: Script) -> None:
    many = [{"name": "a", "arguments": {}}] * 100
    model = script({"for": "chat", "answer": {"calls": many}}, options=replace(QUICK, max_answer=1000))
    with pytest.raises(ModelError, match="larger than 1,000 bytes") as caught:
        model.converse([HELLO])
    assert caught.value.kind == "too-large"


def turns(*answers: Any) -> list[dict[str, object]]:
    return [{"for": "chat", "answer": answer} for answer in answers]


ACTS = turns(
    {"text": "one", "calls": [{"name": "file_read", "arguments": {"path": "a"}}]},
    {"text": "two", "calls": [{"name": "file_read", "arguments": '{"pa'}]},
    "three",
)


def played(script: Script, conversation: list[Message], rounds: int) -> list[Message]:
    model = script(*ACTS)
    for _ in range(rounds):
        turn = model.converse(conversation)
        conversation = [*conversation, turn.message]
        results = [Returned(call_id=call.id, name=call.name, text="x") for call in turn.calls]
        conversation += results or [SaidText(role="user", text="and now?")]
    return conversation


@pytest.mark.parametrize("done", range(5))
def test_a_conversation_that_another_process_began_goes_on_where_its_script_stood(script: Script, done: int) -> None:
    begun = played(script, [HELLO], done)
    again = played(script, json_round(begun), 5 - done)
    assert again == played(script, [HELLO], 5)


def json_round(conversation: list[Message]) -> list[Message]:
    return [message_from_json(json.loads(json.dumps(message.to_json()))) for message in conversation]


def test_a_conversation_that_another_script_began_gets_the_first_line(script: Script) -> None:
    begun = played(script, [HELLO], 2)
    model = script(*turns("first", "second"))
    assert [model.converse(begun).text for _ in range(2)] == ["first", "second"]


def test_errors_of_a_script_are_not_repeated_after_a_restart(script: Script) -> None:
    lines = [{"for": "chat", "error": "no"}, *turns("one", "two")]
    begun = [HELLO, SaidText(role="assistant", text="one"), HELLO]
    assert script(*lines).converse(begun).text == "two"
