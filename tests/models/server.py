"""A real HTTP server that speaks OpenAI's chat completions and misbehaves as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, cast


class Send(Protocol):
    """What a scene may do with one request."""

    body: dict[str, Any]
    headers: Any
    wfile: Any

    def start(self, status: int, headers: dict[str, str]) -> None: ...
    def json(self, status: int, value: object, headers: dict[str, str] | None = None) -> None: ...


Scene = Callable[[Send], None]


@dataclass
class Server:
    """Remember what was asked and play one scene a request; the last scene repeats."""

    url: str
    scenes: list[Scene] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def play(self, *scenes: Scene) -> None:
        self.scenes[:] = scenes

    def take(self) -> Scene:
        return self.scenes[min(len(self.requests) - 1, len(self.scenes) - 1)]


@contextmanager
def serving() -> Iterator[Server]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server = Server(url=f"http://127.0.0.1:{http.server_port}/v1")
    cast(Any, http).played = server
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet: two would wait for each other's acknowledgement.
    wbufsize = 65536
    body: dict[str, Any]

    def do_POST(self) -> None:
        server: Server = cast(Any, self.server).played
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append(self.body)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        server.paths.append(self.path)
        try:
            server.take()(self)
        except OSError:
            self.close_connection = True

    def start(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def json(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.start(status, {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})})
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def completion(text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (11, 7)) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)} if usage else None
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        **({"usage": counted} if counted else {}),
    }


def says(text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (11, 7)) -> Scene:
    return lambda send: send.json(200, completion(text, finish=finish, usage=usage))


def fails(status: int, message: str = "no", headers: dict[str, str] | None = None) -> Scene:
    return lambda send: send.json(status, {"error": {"message": message, "type": "x", "code": None}}, headers)


def sends(data: bytes, *, content_type: str = "application/json", headers: dict[str, str] | None = None) -> Scene:
    def scene(send: Send) -> None:
        send.start(200, {"Content-Type": content_type, "Content-Length": str(len(data)), **(headers or {})})
        send.wfile.write(data)

    return scene


def breaks_off(data: bytes, promised: int = 10_000) -> Scene:
    def scene(send: Send) -> None:
        send.start(200, {"Content-Type": "application/json", "Content-Length": str(promised), "Connection": "close"})
        send.wfile.write(data)
        cast(Any, send).close_connection = True

    return scene


def chunk(text: str | None, *, finish: str | None = None) -> bytes:
    delta = {} if text is None else {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()


def usage_chunk(asked: int = 11, said: int = 7) -> bytes:
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    event = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": []}
    return f"data: {json.dumps({**event, 'usage': usage})}\n\n".encode()


DONE = b"data: [DONE]\n\n"


def streams(*events: bytes, whole: bool = True) -> Scene:
    """Send events in chunked transfer; not *whole*, the connection ends without the last chunk."""

    def scene(send: Send) -> None:
        send.start(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", "Connection": "close"})
        for event in events:
            send.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        if whole:
            send.wfile.write(b"0\r\n\r\n")
        cast(Any, send).close_connection = True

    return scene


def streams_until_close(*events: bytes) -> Scene:
    """Send events with nothing but the end of the connection to mark the end."""

    def scene(send: Send) -> None:
        send.start(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        for event in events:
            send.wfile.write(event)
        cast(Any, send).close_connection = True

    return scene


def call_chunk(*calls: dict[str, Any], finish: str | None = None) -> bytes:
    """A piece of a stream with pieces of calls, each as the server chooses to send it."""
    choice = {"index": 0, "delta": {"role": "assistant", "tool_calls": list(calls)}, "finish_reason": finish}
    event = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()


def calls_tools(*calls: dict[str, Any], text: str | None = None, finish: str = "tool_calls") -> Scene:
    """Answer at once with calls, each as the server chooses to send it."""
    answer = completion("", finish=finish)
    answer["choices"][0]["message"] = {"role": "assistant", "content": text, "tool_calls": list(calls)}
    return lambda send: send.json(200, answer)
