"""A server on loopback that speaks OpenAI's chat completions, with answers that follow from the request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, cast

# Short, so that even a small answer of a test comes in several pieces.
_PIECE = 12


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    """What the server answers: text, calls as (name, arguments), or a status with the text as its message.

    Arguments that are text are sent as they are, right or wrong. *finish* is the reason that is given for the end;
    *cut* ends the connection after so many pieces of a stream, or in the middle of an answer that is none.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, object] | str]] = ()
    finish: Literal["", "stop", "length", "tool_calls", "content_filter"] = ""
    status: int = 200
    cut: int | None = None


# From the body of a request to the answer.
ChatAnswer = Callable[[dict[str, Any]], str | ChatReply]


@dataclass(kw_only=True)
class ChatServer:
    """A running server; `model` is what `--model` and `open_model` take, `requests` the bodies that came so far."""

    url: str
    answer: ChatAnswer
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def model(self) -> str:
        """The name under which the server is used as a model."""
        return f"{self.url}#test"


@contextmanager
def chat_server(answer: ChatAnswer, *, port: int = 0) -> Iterator[ChatServer]:
    """Serve chat completions, streamed or whole, until the block ends; *answer* is called for each request.

    It is called from a thread for each request. What it raises is sent as a status 500, so that nothing waits.
    """
    http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    server = ChatServer(url=f"http://127.0.0.1:{http.server_port}/v1", answer=answer)
    cast(Any, http).chat = server
    # The interval is how long the end of the block waits.
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet: two would wait for each other's acknowledgement.
    wbufsize = 65536

    def do_POST(self) -> None:
        """Answer one request."""
        server: ChatServer = cast(Any, self.server).chat
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(body)
            reply = _reply(server, body)
            if reply.status != 200:
                self._send(reply.status, {"error": {"message": reply.text, "type": "test", "code": None}})
            elif body.get("stream"):
                self._stream(list(_events(reply, body)), reply.cut)
            else:
                self._send(200, _completion(reply, body), cut=reply.cut is not None)
        except OSError:
            # Whoever asked is gone.
            self.close_connection = True

    def _send(self, status: int, value: object, *, cut: bool = False) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection |= cut

    def _stream(self, events: list[dict[str, Any]], cut: int | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events[:cut]:
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if cut is None:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


def _reply(server: ChatServer, body: dict[str, Any]) -> ChatReply:
    try:
        reply = server.answer(body)
    except Exception as error:
        return ChatReply(status=500, text=f"{type(error).__name__}: {error}")
    return ChatReply(text=reply) if isinstance(reply, str) else reply


def _calls(reply: ChatReply, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls as the protocol has them; ids follow from the conversation, so that a repeat gets the same."""
    before = sum(len(message.get("tool_calls") or ()) for message in body.get("messages", ()))
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(reply.calls, start=before + 1)
    ]


def _frame(body: dict[str, Any], kind: str, **rest: object) -> dict[str, Any]:
    return {"id": "chat-1", "object": kind, "created": 1, "model": body.get("model", "test"), **rest}


def _finish(reply: ChatReply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(reply: ChatReply, body: dict[str, Any]) -> dict[str, int]:
    """Return numbers of tokens that follow from the sizes: four bytes make one."""
    asked = len(json.dumps(body)) // 4 + 1
    said = (len(reply.text) + sum(len(str(call)) for call in reply.calls)) // 4 + 1
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _completion(reply: ChatReply, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply, body)
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return _frame(body, "chat.completion", choices=[choice], usage=_usage(reply, body))


def _events(reply: ChatReply, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    def event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _frame(body, "chat.completion.chunk", choices=[choice])

    for piece in _pieces(reply.text):
        yield event({"role": "assistant", "content": piece})
    for index, call in enumerate(_calls(reply, body)):
        arguments = call["function"].pop("arguments")
        yield event({"tool_calls": [{"index": index, **call}]})
        for piece in _pieces(arguments):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, _finish(reply))
    yield _frame(body, "chat.completion.chunk", choices=[], usage=_usage(reply, body))


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
