"""A real HTTP server that plays a model: it answers everything with one sentence, as two providers would."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "The answer is 4."


@contextmanager
def serving() -> Iterator[str]:
    """Serve on a free port of this machine, and give the address without a path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer as the path asks for: `/v1/messages` is Anthropic's, everything else OpenAI's."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        anthropic = self.path.startswith("/v1/messages")
        if asked.get("stream"):
            body, kind = (_anthropic_stream() if anthropic else _openai_stream()), "text/event-stream"
        else:
            body, kind = json.dumps(_message() if anthropic else _completion()).encode(), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


def _completion() -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [choice],
        "usage": usage,
    }


def _openai_stream() -> bytes:
    base = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "small"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    said = {"index": 0, "delta": {"role": "assistant", "content": ANSWER}, "finish_reason": None}
    ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events = [{**base, "choices": [said]}, {**base, "choices": [ended]}, {**base, "choices": [], "usage": usage}]
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events) + b"data: [DONE]\n\n"


def _message() -> dict[str, Any]:
    return {
        "id": "m-1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": ANSWER}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def _anthropic_stream() -> bytes:
    begun = {**_message(), "content": [], "stop_reason": None}
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        ended,
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
