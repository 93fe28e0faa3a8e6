"""The door of the HTTP server: who may come in at all, before anything of a request is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import anyio

from mayfly.serve._reply import GONE
from mayfly.serve._socket import is_loopback, is_token

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
        self._names = HostNames(hosts)
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
        headers = headers_of(scope)
        if sent_twice(headers):
            return 400, "a header was sent twice"
        host, origin = (headers.get(name, [""])[0] for name in ("host", "origin"))
        if not self._names.is_ours(host):
            return 421, "this server is not called that (MAYFLY_MCP_HOSTS)"
        if origin and not self._names.is_our_page(origin):
            return 403, "requests from that page are not taken (MAYFLY_MCP_HOSTS)"
        if self._token and not is_token(bearer_of(headers), self._token):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
        return None


class HostNames:
    """The names a server goes by."""

    def __init__(self, hosts: Collection[str]) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)

    def is_ours(self, host: str) -> bool:
        """Whether a Host header asks for this server."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return "*" in self._hosts or name in self._hosts or (is_loopback(name) and "localhost" in self._hosts)

    def is_our_page(self, origin: str) -> bool:
        """Whether an Origin header names a page of this server."""
        try:
            found = urlsplit(origin)
            name = found.hostname or ""
        except ValueError:
            return False
        # Whatever names the server goes by, a page is let in only from one that somebody wrote down.
        return found.scheme in ("http", "https") and (
            name in self._hosts or (is_loopback(name) and "localhost" in self._hosts)
        )


def headers_of(scope: Scope) -> dict[str, list[str]]:
    """Return all that each header says, by its name in small letters."""
    headers: dict[str, list[str]] = {}
    for key, value in scope["headers"]:
        headers.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def sent_twice(headers: Mapping[str, Collection[str]]) -> bool:
    """Whether a header that decides who comes in is there twice: two readers could take different ones."""
    return any(len(headers.get(name, ())) > 1 for name in ("host", "origin", "authorization"))


def bearer_of(headers: Mapping[str, list[str]]) -> str:
    """Return the token that a request carries; nothing where it carries none."""
    kind, _, given = headers.get("authorization", [""])[0].partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""


async def _answer(send: Send, status: int, message: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
