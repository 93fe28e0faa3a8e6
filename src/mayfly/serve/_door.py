"""The door of the HTTP server: who may come in at all, before anything of a request is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import anyio

from mayfly.serve._errand import GONE
from mayfly.serve._token import is_loopback, is_token

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Door:
    """Let in who asks for a host we are, from a page that is ours or none, with the token where there is one.

    A page in a browser can send requests to loopback under a name of its own that resolves there; it cannot choose
    the Host and Origin that the browser writes.
    """

    def __init__(self, app: App, *, hosts: Collection[str], token: str) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer who may not come in, hand on the others, and say of each when its connection has ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await _answer(send, *refused)
            return
        gone = anyio.Event()
        scope[GONE] = gone
        try:
            await self._app(scope, receive, send)
        finally:
            # After an answer nobody waits for this any more; without one the client has left.
            gone.set()

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for key, value in scope["headers"]:
            headers.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if any(len(headers.get(name, ())) > 1 for name in ("host", "origin", "authorization")):
            return 400, "a header was sent twice"
        host, origin = (headers.get(name, [""])[0] for name in ("host", "origin"))
        if not self._is_ours(host):
            return 421, "this server is not called that (MAYFLY_MCP_HOSTS)"
        if origin and not self._is_our_page(origin):
            return 403, "requests from that page are not taken (MAYFLY_MCP_HOSTS)"
        kind, _, given = headers.get("authorization", [""])[0].partition(" ")
        if self._token and not (kind.lower() == "bearer" and is_token(given.strip(), self._token)):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return "*" in self._hosts or name in self._hosts or (is_loopback(name) and "localhost" in self._hosts)

    def _is_our_page(self, origin: str) -> bool:
        try:
            found = urlsplit(origin)
            name = found.hostname or ""
        except ValueError:
            return False
        # Whatever names the server goes by, a page is let in only from one that somebody wrote down.
        return found.scheme in ("http", "https") and (
            name in self._hosts or (is_loopback(name) and "localhost" in self._hosts)
        )


async def _answer(send: Send, status: int, message: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
