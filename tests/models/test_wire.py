"""Real HTTP through pydantic-ai to a server that behaves well, badly, or not at all."""

from __future__ import annotations

import gzip
import json
import socket
from dataclasses import dataclass, replace

import pytest

from mayfly.core import LimitError
from mayfly.models import Model, ModelError, ModelPool, SaidText, Turn, open_model

from .conftest import QUICK
from .server import (
    DONE,
    Scene,
    Send,
    Server,
    breaks_off,
    chunk,
    completion,
    fails,
    says,
    sends,
    streams,
    streams_until_close,
    usage_chunk,
)

STOP = chunk(None, finish="stop")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    good: bool
    reasons: list[str]


def test_the_answer_comes_with_its_cost(server: Server, remote: Model) -> None:
    server.play(says("hello", usage=(11, 7)))
    answer = remote.ask("chat", "hi", system="be kind")
    assert answer.text == "hello"
    assert (answer.cost.model_calls, answer.cost.input_tokens, answer.cost.output_tokens) == (1, 11, 7)
    assert not answer.money_known
    assert not answer.truncated


def test_system_and_prompt_are_sent_apart(server: Server, remote: Model) -> None:
    server.play(says("hello"))
    remote.ask("chat", "hi", system="be kind")
    sent = server.requests[0]
    assert [(part["role"], part["content"]) for part in sent["messages"]] == [("system", "be kind"), ("user", "hi")]
    assert (sent["model"], sent["max_tokens"]) == ("small", QUICK.max_output)
    assert server.paths == ["/v1/chat/completions"]


def test_a_structured_answer_is_read(server: Server, remote: Model) -> None:
    server.play(says('```json\n{"good": true, "reasons": ["short"]}\n```'))
    answer = remote.ask("judge", "good?", schema=Verdict)
    assert answer.value == Verdict(good=True, reasons=["short"])
    assert '"reasons"' in server.requests[0]["messages"][0]["content"]


def test_a_structured_answer_that_does_not_fit_is_an_error_with_its_cost(server: Server, remote: Model) -> None:
    server.play(says('{"good": "maybe", "reasons": []}'))
    with pytest.raises(ModelError, match=r"the answer\.good must be a boolean") as caught:
        remote.ask("judge", "good?", schema=Verdict)
    assert caught.value.kind == "schema"
    assert caught.value.text == '{"good": "maybe", "reasons": []}'
    assert caught.value.cost.output_tokens == 7


def test_an_answer_cut_at_the_limit_says_so(server: Server, remote: Model) -> None:
    server.play(says("def f(", finish="length"))
    assert remote.ask("chat", "hi").truncated


def test_tokens_that_are_not_reported_are_estimated(server: Server, remote: Model) -> None:
    server.play(says("hello", usage=None))
    cost = remote.ask("chat", "hi").cost
    assert cost.input_tokens > 0
    assert cost.output_tokens > 0


def test_an_answer_without_identifiers_is_an_answer(server: Server, remote: Model) -> None:
    server.play(sends(b'{"choices": [{"message": {"content": "bare"}}]}'))
    assert remote.ask("chat", "hi").text == "bare"


def test_a_busy_server_is_asked_again(server: Server, remote: Model) -> None:
    server.play(fails(429, headers={"Retry-After": "0"}), says("at last"))
    answer = remote.ask("chat", "hi")
    assert answer.text == "at last"
    assert answer.cost.model_calls == len(server.requests) == 2


def test_a_long_retry_after_is_capped(server: Server, remote: Model) -> None:
    server.play(fails(429, headers={"Retry-After": "3600"}), says("at last"))
    assert remote.ask("chat", "hi").text == "at last"


def test_a_wait_longer_than_the_time_left_is_not_begun(server: Server) -> None:
    server.play(fails(503, "overloaded", headers={"Retry-After": "3600"}))
    patient = replace(QUICK, retry_after=3600)
    with open_model(server.url, patient) as model, pytest.raises(ModelError, match="HTTP 503: overloaded"):
        model.ask("chat", "hi")
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_fault_is_tried_until_attempts_are_spent(server: Server, remote: Model, status: int) -> None:
    server.play(fails(status, "try later"))
    with pytest.raises(ModelError, match=rf"HTTP {status}: try later \(after 3 attempts\)") as caught:
        remote.ask("chat", "hi")
    assert len(server.requests) == 3
    assert caught.value.cost.model_calls == 3
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again(server: Server, remote: Model, status: int) -> None:
    server.play(fails(status, "never"))
    with pytest.raises(ModelError, match=f"HTTP {status}: never") as caught:
        remote.ask("chat", "hi")
    assert len(server.requests) == 1
    assert caught.value.kind == "refused"


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "scene",
    [
        breaks_off(b'{"id": "c'),
        sends(b'{"id": "c'),
        sends(b"<html>busy</html>", content_type="text/html"),
        sends(b"[]"),
        sends(b"null"),
        sends(b"\xff\xfe"),
        sends(b'{"choices": []}'),
        sends(b'{"choices": 3}'),
        sends(b'{"choices": [{"message": null}]}'),
        says(""),
    ],
    ids=["cut", "half", "page", "list", "null", "bytes", "no choice", "number", "no message", "empty"],
)
def test_a_broken_body_is_tried_again(server: Server, remote: Model, scene: Scene) -> None:
    server.play(scene, says("whole"))
    assert remote.ask("chat", "hi").text == "whole"
    server.requests.clear()
    server.play(scene)
    with pytest.raises(ModelError, match="after 3 attempts") as caught:
        remote.ask("chat", "hi")
    assert caught.value.kind in ("cut", "malformed")
    assert len(str(caught.value)) < 700


def test_a_slow_body_ends_at_the_time_limit(server: Server) -> None:
    def slow(send: Send) -> None:
        send.start(200, {"Content-Type": "application/json", "Content-Length": "1000"})
        while not server.closing.wait(0.02):
            send.wfile.write(b" ")
            send.wfile.flush()

    server.play(slow)
    with open_model(server.url, replace(QUICK, timeout=0.3)) as model, pytest.raises(ModelError) as caught:
        model.ask("chat", "hi")
    assert str(caught.value).endswith("no answer within 0.3 s; raise MAYFLY_MODELS_TIMEOUT")
    assert caught.value.kind == "timeout"


def test_a_large_answer_is_refused(server: Server) -> None:
    server.play(says("x" * 2000))
    with open_model(server.url, replace(QUICK, max_answer=1000)) as model, pytest.raises(ModelError) as caught:
        model.ask("chat", "hi")
    assert "larger than 1,000 bytes" in str(caught.value)
    assert caught.value.kind == "too-large"
    assert len(server.requests) == 1


def test_a_huge_answer_is_not_read_to_its_end(server: Server, remote: Model) -> None:
    sent = 0

    def endless(send: Send) -> None:
        nonlocal sent
        send.start(200, {"Content-Type": "application/json", "Content-Length": str(10**12)})
        while not server.closing.is_set():
            send.wfile.write(b" " * 65536)
            sent += 65536

    server.play(endless)
    with pytest.raises(ModelError, match="larger than") as caught:
        remote.ask("chat", "hi")
    assert caught.value.kind == "too-large"
    assert sent < 100_000_000


def test_a_compressed_answer_is_refused(server: Server, remote: Model) -> None:
    data = gzip.compress(json.dumps(completion("x" * 10_000)).encode())
    server.play(sends(data, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(ModelError, match="compressed"):
        remote.ask("chat", "hi")
    assert server.headers[0]["accept-encoding"] == "identity"


def test_a_redirect_is_not_followed(server: Server, remote: Model) -> None:
    server.play(lambda send: send.start(307, {"Location": f"{server.url}/elsewhere", "Content-Length": "0"}))
    with pytest.raises(ModelError, match="sends us on to"):
        remote.ask("chat", "hi")
    assert server.paths == ["/v1/chat/completions"]


def test_no_server_is_said_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1#small"
        with open_model(address, QUICK) as model, pytest.raises(ModelError) as caught:
            model.ask("chat", "hi")
    assert caught.value.kind == "unreachable"
    assert str(caught.value).startswith(f"{address}: connection failed: ")
    assert "\n" not in str(caught.value)


def streamed(model: Model, pieces: list[str] | None = None) -> Turn:
    """Return an answer that is taken piece by piece."""
    return model.converse([SaidText(role="user", text="hi")], emit=([] if pieces is None else pieces).append)


def test_a_stream_gives_pieces_and_then_the_answer(server: Server, remote: Model) -> None:
    server.play(streams(chunk("hel"), chunk("lo"), STOP, usage_chunk(11, 7), DONE))
    pieces: list[str] = []
    turn = streamed(remote, pieces)
    assert pieces == ["hel", "lo"]
    assert turn.text == "hello"
    assert (turn.cost.input_tokens, turn.cost.output_tokens) == (11, 7)


@pytest.mark.parametrize("end", [(STOP,), (DONE,), (STOP, DONE)], ids=["reason", "mark", "both"])
def test_a_stream_is_whole_with_a_reason_or_a_mark_at_its_end(
    server: Server, remote: Model, end: tuple[bytes, ...]
) -> None:
    server.play(streams_until_close(chunk("hello"), *end))
    assert streamed(remote).text == "hello"


@pytest.mark.parametrize(
    "scene", [streams(chunk("hel"), whole=False), streams_until_close(chunk("hel"))], ids=["chunked", "plain"]
)
def test_a_stream_cut_after_its_first_piece_is_an_error(server: Server, remote: Model, scene: Scene) -> None:
    server.play(scene)
    pieces: list[str] = []
    with pytest.raises(ModelError) as caught:
        streamed(remote, pieces)
    assert pieces == ["hel"]
    assert caught.value.kind == "cut"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "scene",
    [streams(whole=False), streams_until_close(), streams(b"data: {nonsense\n\n"), fails(500)],
    ids=["chunked", "plain", "nonsense", "busy"],
)
def test_a_stream_that_fails_before_its_first_piece_is_tried_again(server: Server, remote: Model, scene: Scene) -> None:
    server.play(scene, streams(chunk("whole"), STOP, DONE))
    assert streamed(remote).text == "whole"
    assert len(server.requests) == 2


def test_a_stream_that_is_too_large_is_stopped(server: Server) -> None:
    server.play(streams(*[chunk("x" * 400)] * 10, STOP, DONE))
    small = replace(QUICK, max_answer=1000)
    with open_model(f"{server.url}#small", small) as model, pytest.raises(ModelError, match=r"larger than 1,000 bytes"):
        streamed(model)


def test_a_pool_limits_what_is_asked_for(server: Server, remote: Model) -> None:
    server.play(says("hello", usage=(11, 7)))
    pool = ModelPool(output_tokens=50)
    remote.ask("chat", "hi", pool=pool)
    assert server.requests[0]["max_tokens"] == 50
    assert pool.left("output_tokens") == 43


def test_an_empty_pool_sends_nothing(server: Server, remote: Model) -> None:
    server.play(says("hello"))
    with pytest.raises(LimitError):
        remote.ask("chat", "hi", pool=ModelPool(calls=0))
    assert not server.requests


def test_every_attempt_is_a_call_of_the_pool(server: Server, remote: Model) -> None:
    server.play(fails(500), says("never seen"))
    with pytest.raises(LimitError, match="model calls: 2 is over the limit of 1"):
        remote.ask("chat", "hi", pool=ModelPool(calls=1))
    assert len(server.requests) == 1


def test_a_refused_request_uses_no_tokens(server: Server, remote: Model) -> None:
    server.play(fails(400))
    pool = ModelPool(output_tokens=100)
    with pytest.raises(ModelError):
        remote.ask("chat", "hi", pool=pool)
    assert pool.left("output_tokens") == 100


def test_an_answer_lost_on_the_way_counts_in_full(server: Server, remote: Model) -> None:
    server.play(breaks_off(b"{"))
    pool = ModelPool(output_tokens=100)
    with pytest.raises(LimitError, match="output tokens"):
        remote.ask("chat", "hi", pool=pool)
    assert pool.used.output_tokens == 100
    assert len(server.requests) == 1


def test_one_connection_serves_many_questions(server: Server, remote: Model) -> None:
    server.play(says("x"))
    ports = set()

    def note(send: Send) -> None:
        ports.add(getattr(send, "client_address")[1])  # noqa: B009
        says("x")(send)

    server.play(note)
    for _ in range(3):
        remote.ask("chat", "hi")
    assert len(ports) == 1
