"""Small HTTP applications without a framework: a request in, an answer out, limits in between."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote_to_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ShopApp = Callable[[Scope, Receive, Send], Awaitable[None]]

# Seconds that a body may take to arrive whole: who sends a byte now and then would hold a place for ever.
_ARRIVES: Final = 30.0


@dataclass(frozen=True, kw_only=True)
class HttpAsked:
    """A request: headers by their names in small letters, the first of each."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class ShopReply:
    """An answer that is sent in one piece."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def json_reply(status: int, value: object, headers: Mapping[str, str] | None = None) -> ShopReply:
    """Return an answer in JSON."""
    return ShopReply(
        status=status,
        body=json.dumps(value, ensure_ascii=False).encode(),
        headers={"content-type": "application/json", **(headers or {})},
    )


def small_app(answer: Callable[[HttpAsked], ShopReply], *, most: int, calls: int = 32) -> ShopApp:
    """Return an application whose *answer* runs in a thread; bodies have at most *most* bytes, *calls* run at once."""
    threads = ThreadPoolExecutor(max_workers=calls, thread_name_prefix="market")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        if scope["type"] != "http":
            return
        try:
            async with asyncio.timeout(_ARRIVES):
                body = await _read_body(scope, receive, most)
        except TimeoutError:
            await _send(send, json_reply(408, {"error": "the body did not arrive"}))
            return
        if body is None:
            await _send(send, json_reply(413, {"error": f"a request has at most {most} bytes"}))
            return
        try:
            reply = await asyncio.get_running_loop().run_in_executor(threads, answer, _asked(scope, body))
        except Exception:
            # What is ours to know is in our log, and nothing of it goes to a stranger.
            logging.getLogger("mayfly.market").exception("a request failed")
            reply = json_reply(500, {"error": "internal error"})
        await _send(send, reply)

    return app


def _asked(scope: Scope, body: bytes) -> HttpAsked:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    raw = scope.get("raw_path") or scope["path"].encode()
    path = unquote_to_bytes(raw.partition(b"?")[0]).decode("utf-8", "replace")
    return HttpAsked(
        method=scope["method"],
        path=path,
        query=scope.get("query_string", b"").decode("latin-1"),
        headers=headers,
        body=body,
    )


async def _read_body(scope: Scope, receive: Receive, most: int) -> bytes | None:
    declared = next((value for name, value in scope["headers"] if name.lower() == b"content-length"), b"0")
    if not declared.isdigit() or int(declared) > most:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return bytes(body)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _send(send: Send, reply: ShopReply) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers.items()]
    headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
