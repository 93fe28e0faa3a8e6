"""Conversations with tools over real HTTP: a server that behaves well, badly, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mayfly.models import (
    Called,
    Message,
    Model,
    ModelError,
    ModelPool,
    Returned,
    SaidText,
    ToolCall,
    ToolOffer,
    open_model,
)
from mayfly.testing import ChatReply, chat_server

from .conftest import QUICK
from .server import (
    DONE,
    Send,
    Server,
    call_chunk,
    calls_tools,
    chunk,
    fails,
    says,
    streams,
    streams_until_close,
    usage_chunk,
)
from .test_conversation import HELLO, READ

KEY = "sk-very-secret-0123456789"
STOP = chunk(None, finish="stop")
CALLS = chunk(None, finish="tool_calls")
TAKE = {"path": "a"}


def begin(index: int, id: str | None = None, name: str | None = "file_read", arguments: str = "") -> dict[str, Any]:
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def more(index: int, arguments: str) -> dict[str, Any]:
    return {"index": index, "function": {"arguments": arguments}}


@pytest.fixture(params=["whole", "streamed"])
def emit(request: pytest.FixtureRequest) -> Callable[[str], None] | None:
    """Ask once for the whole answer and once for pieces."""
    return None if request.param == "whole" else lambda piece: None


def test_a_loop_of_calls_and_results_comes_to_its_end(emit: Callable[[str], None] | None) -> None:
    def answer(body: dict[str, Any]) -> str | ChatReply:
        results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        if not results:
            return ChatReply(text="Looking.", calls=[("file_read", {"path": "a"}), ("file_read", {"path": "b"})])
        return f"They hold {' and '.join(results)}."

    with chat_server(answer) as server, open_model(server.model, QUICK) as model:
        turn = model.converse([HELLO], system="be kind", tools=[READ], emit=emit)
        assert turn.text == "Looking."
        assert [call.arguments for call in turn.calls] == [{"path": "a"}, {"path": "b"}]
        results = [Returned(call_id=call.id, name=call.name, text=f"{call.arguments}") for call in turn.calls]
        end = model.converse([HELLO, turn.message, *results], system="be kind", tools=[READ], emit=emit)
    assert end.text == "They hold {'path': 'a'} and {'path': 'b'}."
    assert not end.calls
    assert end.cost.input_tokens > turn.cost.input_tokens > 0
    assert [body.get("stream") for body in server.requests] == [emit is not None] * 2


@pytest.mark.parametrize("name", ["small", "openai:small", "ollama:small"])
def test_every_way_to_name_a_server_of_this_protocol_holds_conversations(
    emit: Callable[[str], None] | None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    reply = ChatReply(text="so", calls=[("file_read", TAKE), ("file_read", '{"')])
    with (
        chat_server(lambda body: reply) as server,
        open_model(name, replace(QUICK, base_url=server.url)) as model,
    ):
        turn = model.converse([HELLO], tools=[READ], emit=emit)
        results = [Returned(call_id=call.id, name=call.name, text="x") for call in turn.calls]
        again = model.converse([HELLO, turn.message, *results], tools=[READ], emit=emit)
    assert [call.arguments for call in turn.calls] == [TAKE, None]
    assert [call.id for call in (*turn.calls, *again.calls)] == ["call_1", "call_2", "call_3", "call_4"]
    assert all(body["tools"][0]["function"]["name"] == "file_read" for body in server.requests)


def test_half_a_character_is_neither_shown_nor_kept(server: Server, remote: Model) -> None:
    server.play(streams(chunk("a\ud83d"), chunk("b"), STOP, DONE))
    pieces: list[str] = []
    turn = remote.converse([HELLO], emit=pieces.append)
    assert turn.text == "".join(pieces) == "a?b"


def test_messages_tools_and_results_are_sent_as_the_protocol_has_them(server: Server, remote: Model) -> None:
    server.play(says("x"))
    called = Called(text="Let me see.", calls=(ToolCall(id="a1", name="file_read", arguments=TAKE),))
    result = Returned(call_id="a1", name="file_read", text="no such file", failed=True)
    conversation: list[Message] = [HELLO, SaidText(role="assistant", text="Hi."), HELLO, called, result, HELLO]
    remote.converse(conversation, system="be kind", tools=[READ])
    [sent] = server.requests
    assert [message["role"] for message in sent["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "user",
    ]
    call = sent["messages"][4]["tool_calls"][0]
    assert (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) == (
        "a1",
        "file_read",
        TAKE,
    )
    assert sent["messages"][4]["content"] == "Let me see."
    assert sent["messages"][5]["tool_call_id"] == "a1"
    assert "no such file" in sent["messages"][5]["content"]
    assert sent["tools"][0]["function"] == {
        "name": "file_read",
        "description": "Read a file",
        "parameters": READ.input_schema,
    }


def test_no_tools_are_sent_where_none_are_offered(server: Server, remote: Model) -> None:
    server.play(says("x"))
    remote.converse([HELLO])
    assert not server.requests[0].get("tools")


def test_calls_in_pieces_are_put_together(server: Server, remote: Model) -> None:
    server.play(
        streams(
            chunk("Both."),
            call_chunk(begin(0, "a", arguments='{"pa')),
            call_chunk(begin(1, "b")),
            call_chunk(more(1, '{"path": '), more(0, 'th": "x"}')),
            call_chunk(more(1, '"y"}')),
            CALLS,
            usage_chunk(11, 7),
            DONE,
        )
    )
    pieces: list[str] = []
    turn = remote.converse([HELLO], tools=[READ], emit=pieces.append)
    assert pieces == ["Both."]
    assert [(call.id, call.arguments) for call in turn.calls] == [("a", {"path": "x"}), ("b", {"path": "y"})]
    assert (turn.cost.input_tokens, turn.cost.output_tokens) == (11, 7)


@pytest.mark.parametrize(
    "events",
    [
        [begin(0, "a", arguments='{"path": "x"}'), begin(0, "b", arguments='{"path": "y"}')],
        [begin(0, "a"), more(0, '{"path": "x"}'), begin(0, "b"), more(0, '{"path": "y"}')],
        [
            {**begin(0, arguments='{"path": "x"}'), "index": None},
            {**begin(0, arguments='{"path": "y"}'), "index": None},
        ],
        [
            begin(0, "a", arguments='{"path"'),
            begin(0, "a", arguments=': "x"}'),
            begin(1, "b", arguments='{"path": "y"}'),
        ],
    ],
    ids=["one number", "one number in pieces", "no number", "name again"],
)
def test_servers_that_number_their_calls_badly_are_understood(
    server: Server, remote: Model, events: list[dict[str, Any]]
) -> None:
    server.play(streams(*map(call_chunk, events), CALLS, DONE))
    turn = remote.converse([HELLO], tools=[READ], emit=lambda piece: None)
    assert [(call.name, call.arguments) for call in turn.calls] == [
        ("file_read", {"path": "x"}),
        ("file_read", {"path": "y"}),
    ]


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": "file_read", "arguments": '{"path": "a"}'}},
        {"id": None, "type": "function", "function": {"name": "file_read", "arguments": TAKE}},
        {"id": "has space", "type": "function", "function": {"name": "file_read", "arguments": '{"path": "a"}'}},
    ],
    ids=["bare", "object", "odd id"],
)
def test_calls_without_identifiers_are_calls(server: Server, remote: Model, call: dict[str, Any]) -> None:
    server.play(calls_tools(call, call))
    turn = remote.converse([HELLO], tools=[READ])
    assert [(each.id, each.arguments) for each in turn.calls] == [("call_1", TAKE), ("call_2", TAKE)]


def test_a_tool_without_arguments_is_called_with_none(server: Server, remote: Model) -> None:
    server.play(calls_tools({"id": "a", "type": "function", "function": {"name": "now"}}))
    assert remote.converse([HELLO]).calls[0].arguments == {}


def test_what_a_model_makes_up_is_data_and_can_be_sent_back(emit: Callable[[str], None] | None) -> None:
    def answer(body: dict[str, Any]) -> str | ChatReply:
        if len(body["messages"]) > 1:
            return "sorry"
        return ChatReply(calls=[("no such tool!", {}), ("file_read", '{"path": '), ("file_read", "[]")])

    with chat_server(answer) as server, open_model(server.model, QUICK) as model:
        turn = model.converse([HELLO], tools=[READ], emit=emit)
        assert [(call.name, call.arguments, call.malformed) for call in turn.calls] == [
            ("no such tool!", {}, ""),
            ("file_read", None, '{"path": '),
            ("file_read", None, "[]"),
        ]
        told = [Returned(call_id=call.id, name=call.name, text="no", failed=True) for call in turn.calls]
        assert model.converse([HELLO, turn.message, *told], tools=[READ], emit=emit).text == "sorry"
    sent = [call["function"] for call in server.requests[1]["messages"][1]["tool_calls"]]
    assert sent[0]["name"] == "no_such_tool_"
    assert '{\\"path\\": ' in sent[1]["arguments"]
    assert all(isinstance(json.loads(function["arguments"]), dict) for function in sent)


@pytest.mark.later
def test_a_thousand_calls_in_one_answer_are_a_thousand_calls(emit: Callable[[str], None] | None) -> None:
    many = [("file_read", {"path": str(number)}) for number in range(1000)]
    with chat_server(lambda body: ChatReply(calls=many)) as server, open_model(server.model, QUICK) as model:
        turn = model.converse([HELLO], tools=[READ], emit=emit)
    assert [call.arguments for call in turn.calls] == [arguments for _, arguments in many]
    assert len({call.id for call in turn.calls}) == 1000


def test_a_call_that_is_too_large_is_stopped(emit: Callable[[str], None] | None) -> None:
    huge = ChatReply(calls=[("file_read", {"path": "x" * 5000})])
    options = replace(QUICK, max_answer=1000)
    with (
        chat_server(lambda body: huge) as server,
        open_model(server.model, options) as model,
        pytest.raises(ModelError, match="larger than 1,000 bytes") as caught,
    ):
        model.converse([HELLO], tools=[READ], emit=emit)
    assert caught.value.kind == "too-large"
    assert len(server.requests) == 1


@pytest.mark.parametrize("arguments", ["", '{"path": "a'])
def test_a_call_cut_off_by_the_limit_is_not_whole(emit: Callable[[str], None] | None, arguments: str) -> None:
    reply = ChatReply(text="I will", calls=[("file_read", arguments)], finish="length")
    with chat_server(lambda body: reply) as server, open_model(server.model, QUICK) as model:
        turn = model.converse([HELLO], tools=[READ], emit=emit)
    assert turn.truncated
    assert (turn.calls[0].arguments, turn.calls[0].malformed) == (None, arguments)


def test_an_answer_without_text_or_calls_is_tried_again(emit: Callable[[str], None] | None) -> None:
    with (
        chat_server(lambda body: ChatReply()) as server,
        open_model(server.model, QUICK) as model,
        pytest.raises(ModelError, match="the answer is empty") as caught,
    ):
        model.converse([HELLO], tools=[READ], emit=emit)
    assert caught.value.kind == "malformed"
    assert len(server.requests) == QUICK.attempts


def test_a_stream_cut_in_a_call_is_tried_again_while_nothing_was_said() -> None:
    def answer(body: dict[str, Any]) -> ChatReply:
        return ChatReply(calls=[("file_read", {"path": "a"})], cut=2 if len(server.requests) == 1 else None)

    with chat_server(answer) as server, open_model(server.model, QUICK) as model:
        assert model.converse([HELLO], tools=[READ], emit=lambda piece: None).calls[0].arguments == {"path": "a"}
    assert len(server.requests) == 2


def test_a_stream_cut_after_its_first_words_is_an_error_that_has_them() -> None:
    reply = ChatReply(text="Let me look at it.", calls=[("file_read", {"path": "a"})], cut=3)
    pieces: list[str] = []
    with (
        chat_server(lambda body: reply) as server,
        open_model(server.model, QUICK) as model,
        pytest.raises(ModelError) as caught,
    ):
        model.converse([HELLO], tools=[READ], emit=pieces.append)
    assert caught.value.kind == "cut"
    assert caught.value.text == "".join(pieces) == "Let me look at it."
    assert len(server.requests) == 1


def test_a_call_whose_stream_ends_with_its_mark_in_the_middle_is_malformed(server: Server, remote: Model) -> None:
    server.play(streams_until_close(call_chunk(begin(0, "a", arguments='{"path"')), DONE))
    [call] = remote.converse([HELLO], tools=[READ], emit=lambda piece: None).calls
    assert (call.arguments, call.malformed) == (None, '{"path"')


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        (3, []),
        ([None], []),
        ([{"index": {}, "function": {"name": "x"}}], []),
        ([{"index": 0, "function": {"name": 5}}], []),
        ([{"index": 0, "function": {"name": "x", "arguments": 7}}], ["x"]),
        ([{"index": 0, "function": {"name": "x", "arguments": {"a": 1}}}], ["x"]),
        ([{"index": 0, "id": 5, "function": {"name": "x", "arguments": "{}"}}], []),
        ([{"index": -1, "function": {"name": "x", "arguments": "{}"}}], ["x"]),
    ],
)
def test_nonsense_in_the_place_of_calls_ends_in_an_answer_or_an_error(
    server: Server, remote: Model, calls: object, names: list[str]
) -> None:
    event = {"choices": [{"delta": {"tool_calls": calls}}]}
    server.play(streams(f"data: {json.dumps(event)}\n\n".encode(), CALLS, DONE))

    def converse() -> list[str]:
        return [call.name for call in remote.converse([HELLO], tools=[READ], emit=lambda piece: None).calls]

    if names:
        assert converse() == names
        return
    with pytest.raises(ModelError) as caught:
        converse()
    assert caught.value.kind == "malformed"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [3, None, {}, {"function": 3}, {"id": 5, "function": {"name": "x"}}, {"type": "custom", "custom": {"name": "x"}}],
)
def test_nonsense_in_the_calls_of_a_whole_answer_is_an_error(server: Server, remote: Model, call: Any) -> None:
    server.play(calls_tools(call))
    with pytest.raises(ModelError) as caught:
        remote.converse([HELLO], tools=[READ])
    assert caught.value.kind == "malformed"
    assert len(server.requests) == QUICK.attempts


def test_a_silent_stream_ends_at_the_time_limit(server: Server) -> None:
    def silent(send: Send) -> None:
        send.start(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        send.wfile.write(call_chunk(begin(0, "a", arguments='{"path"')))
        send.wfile.flush()
        server.closing.wait(100)

    server.play(silent)
    with open_model(server.url, replace(QUICK, timeout=0.3)) as model, pytest.raises(ModelError) as caught:
        model.converse([HELLO], tools=[READ], emit=lambda piece: None)
    assert caught.value.kind == "timeout"


def test_a_busy_server_is_asked_again(server: Server, remote: Model) -> None:
    server.play(fails(429), calls_tools(begin(0, "a", arguments="{}")))
    turn = remote.converse([HELLO], tools=[READ])
    assert (turn.cost.model_calls, len(turn.calls)) == (2, 1)


def test_a_server_that_gives_every_call_the_same_id_is_corrected(server: Server, remote: Model) -> None:
    server.play(calls_tools(begin(0, "a", arguments="{}"), begin(1, "a", arguments="{}")))
    turn = remote.converse([HELLO], tools=[READ])
    assert [call.id for call in turn.calls] == ["a", "call_1"]
    results = [Returned(call_id=call.id, name=call.name, text="x") for call in turn.calls]
    again = remote.converse([HELLO, turn.message, *results], tools=[READ])
    assert [call.id for call in again.calls] == ["call_3", "call_4"]


def test_no_text_of_a_conversation_holds_a_key(server: Server, remote: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    server.play(says("x"))
    calls = (
        ToolCall(id="a", name="file_read", arguments={"deep": [{KEY: f"it is {KEY}"}]}),
        ToolCall(id="b", name=KEY, malformed=f'{{"{KEY}'),
    )
    conversation: list[Message] = [
        SaidText(role="user", text=f"my key is {KEY}"),
        SaidText(role="assistant", text=KEY),
        SaidText(role="user", text="go on"),
        Called(text=KEY, calls=calls, carried={"parts": [], "note": KEY}),
        *(Returned(call_id=call.id, name=call.name, text=f"{'line ' * 100}KEY={KEY}") for call in calls),
    ]
    offer = ToolOffer(name="t", description=KEY, input_schema={"type": "object", "description": KEY})
    for _ in range(2):
        remote.converse(conversation, system=KEY, tools=[offer])
    assert KEY not in str(server.requests)
    assert "my key is ‹secret: environment variable SOME_API_KEY›" in str(server.requests)


def test_a_secret_that_is_set_later_is_left_out_of_what_was_sent_before(
    server: Server, remote: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.play(says("x"))
    word = SaidText(role="user", text="correct-horse-battery-staple-91 " * 20)
    remote.converse([word])
    monkeypatch.setenv("VAULT_TOKEN", "correct-horse-battery-staple-91")
    remote.converse([word])
    assert ["correct-horse" in json.dumps(body) for body in server.requests] == [True, False]


def test_what_is_reserved_is_more_than_what_is_used() -> None:
    reserved: list[int] = []
    conversation: list[Message] = [HELLO]

    def answer(body: dict[str, Any]) -> ChatReply:
        reserved.append(10**9 - int(pool.left("input_tokens") or 0) - pool.used.input_tokens)
        return ChatReply(calls=[("file_read", {"path": "src/mayfly/models/_model.py"})])

    pool = ModelPool(input_tokens=10**9)
    with chat_server(answer) as server, open_model(server.model, QUICK) as model:
        for _ in range(5):
            turn = model.converse(conversation, system="be kind", tools=[READ], pool=pool)
            result = Returned(call_id=turn.calls[0].id, name="file_read", text="a line of text\n" * 50)
            conversation += [turn.message, result]
    # The server counts a token for each four bytes of everything that was sent, its envelope too.
    used = [len(json.dumps(body)) // 4 for body in server.requests]
    assert [held > taken for held, taken in zip(reserved, used, strict=True)] == [True] * 5


def anthropic(*content: dict[str, Any], reason: str = "tool_use") -> Callable[[Send], None]:
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }
    return lambda send: send.json(200, answer)


@pytest.mark.later
def test_another_protocol_has_its_thoughts_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    thought = {"type": "thinking", "thinking": "I should look.", "signature": "c2lnbmVk"}
    wish = {"type": "tool_use", "id": "toolu_1", "name": "file_read", "input": TAKE}
    server.play(anthropic(thought, {"type": "text", "text": "Looking."}, wish), anthropic(wish))
    with open_model("anthropic:claude-test", QUICK) as model:
        turn = model.converse([HELLO], system="be kind", tools=[READ])
        result = Returned(call_id="toolu_1", name="file_read", text="no", failed=True)
        message = Called.from_json(json.loads(json.dumps(turn.message.to_json())))
        model.converse([HELLO, message, result], system="be kind", tools=[READ])
        model.converse([HELLO, replace(message, text="Changed."), result], tools=[READ])
    assert (turn.text, turn.calls[0].arguments) == ("Looking.", TAKE)
    sent = [body["messages"] for body in server.requests]
    assert [part["type"] for part in sent[1][1]["content"]] == ["thinking", "text", "tool_use"]
    assert sent[1][1]["content"][0]["signature"] == "c2lnbmVk"
    assert sent[1][2]["content"][0]["is_error"] is True
    assert [part["type"] for part in sent[2][1]["content"]] == ["text", "tool_use"]
    assert server.requests[0]["tools"][0]["input_schema"] == READ.input_schema


@pytest.mark.parametrize(
    "carried",
    [
        {"parts": [{"part_kind": "file", "content": {"url": "http://127.0.0.1:1/x", "kind": "image-url"}}]},
        {"parts": [{"part_kind": "thinking", "content": 5}]},
        {"parts": "nonsense"},
        {},
    ],
)
def test_what_was_carried_and_does_not_fit_is_left_out(server: Server, remote: Model, carried: dict[str, Any]) -> None:
    server.play(says("x"))
    called = Called(calls=(ToolCall(id="a", name="file_read", arguments=TAKE),), carried=carried)
    remote.converse([HELLO, called, Returned(call_id="a", name="file_read", text="x")], tools=[READ])
    sent = server.requests[0]["messages"][1]
    assert [call["id"] for call in sent["tool_calls"]] == ["a"]


def test_a_server_for_tests_says_what_its_function_raised() -> None:
    def answer(body: dict[str, Any]) -> str:
        raise KeyError("no scene for this")

    with (
        chat_server(answer) as server,
        open_model(server.model, replace(QUICK, attempts=1)) as model,
        pytest.raises(ModelError, match="HTTP 500: KeyError: 'no scene for this'"),
    ):
        model.converse([HELLO])


def test_a_server_for_tests_refuses_as_it_is_told() -> None:
    with (
        chat_server(lambda body: ChatReply(status=400, text="too long")) as server,
        open_model(server.model, QUICK) as model,
        pytest.raises(ModelError, match="HTTP 400: too long"),
    ):
        model.converse([HELLO])


def anthropic_events(*, reason: str = "tool_use") -> list[bytes]:
    wish = {"type": "tool_use", "id": "toolu_1", "name": "file_read", "input": {}}
    usage = {"input_tokens": 11, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": []}
    ends = {"stop_reason": reason, "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Looking."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": wish},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"path"'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ': "a"}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": ends, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def test_another_protocol_streams_text_and_calls(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    pieces: list[str] = []
    with open_model("anthropic:claude-test", QUICK) as model:
        server.play(streams(*anthropic_events()))
        turn = model.converse([HELLO], tools=[READ], emit=pieces.append)
        assert (pieces, turn.text, turn.calls[0].arguments) == (["Looking."], "Looking.", TAKE)
        assert (turn.cost.input_tokens, turn.cost.output_tokens) == (11, 7)
        server.play(streams(*anthropic_events()[:6], *anthropic_events(reason="max_tokens")[7:]))
        cut = model.converse([HELLO], tools=[READ], emit=pieces.append)
        assert (cut.truncated, cut.calls[0].arguments) == (True, None)
        server.play(streams_until_close(*anthropic_events()[:6]))
        with pytest.raises(ModelError) as caught:
            model.converse([HELLO], tools=[READ], emit=pieces.append)
        assert (caught.value.kind, caught.value.text) == ("cut", "Looking.")
