"""Spans from events alone: what belongs to what, and when it began, in whatever process it ended."""

from datetime import UTC, datetime, timedelta
from typing import Any

from mayfly.store import Event
from mayfly.store._spans import SpanData, SpanMaker

START = datetime(2026, 1, 1, tzinfo=UTC)


def event(number: int, kind: str, subject: str, **payload: Any) -> Event:
    return Event(kind=kind, subject=subject, payload=payload, id=number, at=START + timedelta(seconds=number))


SESSION = [
    event(1, "session.began", "s-12ab", workspace="/w", model="openai:gpt-5", parent="", name="", timeout=0),
    event(2, "session.turn_asked", "s-12ab", turn=1, text="fix it"),
    event(3, "model.asked", "s-12ab", model="openai:gpt-5", purpose="chat", input_tokens=9, output_tokens=9, money=0),
    event(5, "model.answered", "s-12ab", asked=3, input_tokens=7, output_tokens=2, money=0.5),
    event(6, "session.tool_called", "s-12ab", turn=1, key="k", call="c1", tool="read_file", arguments={"path": "a"}),
    event(8, "session.tool_returned", "s-12ab", turn=1, key="k", call="c1", tool="read_file", status="ok", text="x"),
    event(9, "session.turn_ended", "s-12ab", turn=1, status="done", text="it is fixed", reason=""),
    event(10, "session.ended", "s-12ab", status="ended", reason=""),
]


def spans(maker: SpanMaker, events: list[Event]) -> dict[str, SpanData]:
    return {span.name: span for one in events for span in maker.take([one])}


def test_a_session_has_turns_with_models_and_tools_below_them() -> None:
    found = spans(SpanMaker(), SESSION)
    session, turn, chat, tool = (
        found[name] for name in ("session", "invoke_agent mayfly", "chat gpt-5", "execute_tool read_file")
    )
    assert (session.parent, turn.parent, chat.parent, tool.parent) == ("", session.key, turn.key, turn.key)
    assert {span.trace for span in found.values()} == {"s-12ab"}
    assert (chat.begin, chat.end) == (START + timedelta(seconds=3), START + timedelta(seconds=5))
    assert chat.attributes["gen_ai.provider.name"] == "openai"
    assert chat.attributes["gen_ai.usage.input_tokens"] == 7
    assert chat.attributes["gen_ai.conversation.id"] == "s-12ab"
    assert tool.attributes["gen_ai.tool.call.id"] == "c1"
    assert not [key for span in found.values() for key in span.attributes if "messages" in key or "arguments" in key]


def test_an_answer_whose_call_was_not_noted_is_a_span_from_what_it_heard() -> None:
    said = event(7, "session.model_said", "s-12ab", turn=1, step=1, text="x", calls=[], tokens=9, dollars=0)
    heard = event(4, "session.turn_configured", "s-12ab", turn=1)
    found = spans(SpanMaker(), [*SESSION[:2], heard, said])
    chat = found["chat gpt-5"]
    assert chat.end - chat.begin == timedelta(seconds=3)
    assert (chat.parent, chat.attributes["mayfly.tokens"]) == ("turn:s-12ab/1", 9)
    maker = SpanMaker()
    noted = [span.name for one in [*SESSION[:4], said] for span in maker.take([one])]
    assert noted.count("chat gpt-5") == 1, "a call that was noted is told once"


def test_with_content_the_words_are_there() -> None:
    found = spans(SpanMaker(content=True), SESSION)
    assert "fix it" in str(found["invoke_agent mayfly"].attributes["gen_ai.input.messages"])
    assert "it is fixed" in str(found["invoke_agent mayfly"].attributes["gen_ai.output.messages"])
    assert found["execute_tool read_file"].attributes["gen_ai.tool.call.arguments"] == '{"path": "a"}'


def test_what_began_in_another_process_begins_when_it_ended_less_what_it_took() -> None:
    ended = event(
        9, "tool.returned", "tool:twice", version=2, key="r-12ab/0.1", status="error", milliseconds=500, error="x"
    )
    [span] = SpanMaker().take([ended])
    assert span.end - span.begin == timedelta(seconds=0.5)
    assert (span.trace, span.parent, span.error) == ("r-12ab", "promise:r-12ab/0.1", "error")


def test_an_address_of_a_model_is_not_told() -> None:
    asked = event(
        1, "model.asked", "r-1234", model="http://user:pass@h/v1#llama", purpose="x", input_tokens=0, output_tokens=0
    )
    answered = event(2, "model.answered", "r-1234", asked=1, input_tokens=0, output_tokens=0, money=0)
    found = spans(SpanMaker(), [asked, answered])
    assert found["chat llama"].attributes["gen_ai.request.model"] == "llama"
    assert "pass" not in str(found)


def test_a_clock_that_was_set_back_makes_no_negative_time() -> None:
    began, ended = SESSION[1], SESSION[6]
    early = Event(kind=ended.kind, subject=ended.subject, payload=ended.payload, id=9, at=START - timedelta(hours=1))
    found = spans(SpanMaker(), [began, early])
    assert found["invoke_agent mayfly"].begin <= found["invoke_agent mayfly"].end
