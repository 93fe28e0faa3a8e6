"""`Guard`: what every request passes before the application sees it, and the headers that every answer bears."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mayfly.serve._door import HostNames, bearer_of, headers_of, sent_twice
from mayfly.serve._socket import is_token, served_names
from mayfly.serve.web._answer import error_bytes
from mayfly.serve.web._passes import BROWSER, SESSION, cookies_of, set_cookie

if TYPE_CHECKING:
    from mayfly.core import WebSettings
    from mayfly.serve._door import App, Message, Receive, Scope, Send
    from mayfly.serve.web._passes import Passes, WebOptions

# Nothing of other hosts, nothing inline, no frames around our pages, no forms to elsewhere.
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # A form that is sent from a page without referrers has the origin "null", which is somebody else's to us: pages are
    # told to ourselves, and to no others.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# The way in: who has only a link has no token yet.
ENTER = "/enter"
# Addresses whose requests are counted at once; a flood from more of them only forgets the oldest.
_ADDRESSES = 10_000
# Requests at once in the time that `rate` counts: a page with all it loads, and a script that begins.
_BURST = 2.0
# What a wrong token costs in requests, so that nobody tries many.
_GUESS = 50.0
# Seconds without a byte of a body that was begun.
_STALLED = 30.0

Refused = tuple[int, str, str, str]


class Guard:
    """Let in who asks for a host we are, from a page that is ours or none, with a token where there is one.

    Bodies and rates are bounded here, before anything is read or thought about.
    """

    def __init__(self, app: App, *, options: WebOptions, settings: WebSettings, passes: Passes) -> None:
        self._app = app
        self._names = HostNames(served_names(options.host, options.hosts))
        self._token = options.token
        self._settings = settings
        self._passes = passes
        self._rates = Rates(settings.rate, settings.rate * _BURST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer who may not come in, and hand on the others with bounded bodies."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = headers_of(scope)
        cookies = cookies_of(headers.get("cookie", [""])[0])
        refused = self._refusal(scope, headers, cookies)
        if refused is not None:
            await _refuse(send, *refused)
            return
        more = list(HEADERS)
        browser = cookies.get(BROWSER, "")
        if not scope["path"].startswith("/api") and not browser:
            browser = secrets.token_urlsafe(18)
            more.append((b"set-cookie", set_cookie(BROWSER, browser)))
        scope.setdefault("state", {})["browser"] = browser
        await Bounded(scope, receive, send, more=more, most=self._most(headers))(self._app)

    def _refusal(self, scope: Scope, headers: Mapping[str, list[str]], cookies: Mapping[str, str]) -> Refused | None:
        address = (scope.get("client") or ("",))[0]
        if not self._rates.takes(address):
            return 429, "BUSY", "too many requests from this address", "try again in a second"
        if sent_twice(headers):
            return 400, "INPUT", "a header was sent twice", ""
        host = headers.get("host", [""])[0]
        if not self._names.is_ours(host):
            return 421, "HOST", "this server is not called that", "set MAYFLY_WEB_HOSTS to the names it goes by"
        if (refused := _foreign(scope, headers, host)) is not None:
            return refused
        if self._token and scope["path"] != ENTER and not self._knows(headers, cookies, scope["method"]):
            self._rates.takes(address, _GUESS)
            how = "Authorization: Bearer TOKEN, or the link that mayfly serve prints"
            return 401, "TOKEN", "a token is needed", how
        return self._too_large(headers)

    def _knows(self, headers: Mapping[str, list[str]], cookies: Mapping[str, str], method: str) -> bool:
        if is_token(bearer_of(headers), self._token):
            return True
        if not self._passes.is_session(cookies.get(SESSION, "")):
            return False
        # A browser says where a request that changes something comes from; a cookie alone could be anybody's page.
        return method in SAFE or "origin" in headers or "sec-fetch-site" in headers

    def _too_large(self, headers: Mapping[str, list[str]]) -> Refused | None:
        length = headers.get("content-length", ["0"])[0]
        most = self._most(headers)
        if length.isdecimal() and int(length[:20]) > most:
            return 413, "TOO_LARGE", f"a request may have {most} bytes", "MAYFLY_WEB_UPLOAD and MAYFLY_WEB_BODY say so"
        return None

    def _most(self, headers: Mapping[str, list[str]]) -> int:
        is_upload = headers.get("content-type", [""])[0].lower().startswith("multipart/form-data")
        return self._settings.upload if is_upload else self._settings.body


def _foreign(scope: Scope, headers: Mapping[str, list[str]], host: str) -> Refused | None:
    """Refuse what another page sends: a browser says whose page it is, and no page can make it say otherwise."""
    site = headers.get("sec-fetch-site", ["none"])[0]
    origin = headers.get("origin", [""])[0]
    changes = scope["method"] not in SAFE
    told = 403, "ORIGIN", "requests from the pages of others are not taken", "use the pages of this server, or a token"
    if origin and (changes or scope["path"].startswith("/api")):
        try:
            is_ours = urlsplit(origin).netloc.lower() == host.lower() and origin.startswith(("http://", "https://"))
        except ValueError:
            is_ours = False
        if not is_ours:
            return told
    # A link on another page may lead here; nothing else of it may.
    follows = not changes and not scope["path"].startswith("/api")
    return None if site in ("same-origin", "none") or follows else told


class Rates:
    """Count the requests of each address: so many a second after a burst."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, address: str, cost: float = 1.0) -> bool:
        """Whether one more is taken."""
        now = time.monotonic()
        left, seen = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - seen) * self._rate)
        taken = left >= 1.0
        self._left[address] = (max(0.0, left - cost) if taken else left, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return taken


class Bounded:
    """One request whose body may have so many bytes and must not stall, and whose answer bears our headers."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, more: Sequence[tuple[bytes, bytes]], most: int
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._more = more
        self._left = most
        self._whole = False
        self._begun = False
        self._wrong: Refused | None = None

    async def __call__(self, app: App) -> None:
        """Let *app* answer; where the body was too much, that is the answer."""
        try:
            await app(self._scope, self._read, self._answer)
        except Exception:
            if self._wrong is None or self._begun:
                raise
        if self._wrong is not None and not self._begun:
            await _refuse(self._send, *self._wrong)

    async def _read(self) -> Message:
        if self._wrong is not None:
            return {"type": "http.disconnect"}
        if self._whole:
            return await self._receive()
        try:
            # Not `wait_for`, which in Python 3.11 forgets that it was cancelled when both happen at once.
            async with asyncio.timeout(_STALLED):
                message = await self._receive()
        except TimeoutError:
            self._wrong = 408, "STALLED", f"nothing more of the request came for {_STALLED:g} s", "send it again"
            return {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._left < 0:
            self._wrong = (
                413,
                "TOO_LARGE",
                "the request is too large",
                "MAYFLY_WEB_BODY and MAYFLY_WEB_UPLOAD say how much",
            )
            return {"type": "http.disconnect"}
        return message

    async def _answer(self, message: Message) -> None:
        if self._wrong is not None and not self._begun:
            return
        if message["type"] == "http.response.start":
            self._begun = True
            had = {name.lower() for name, _ in message.get("headers", ())}
            fresh = [(name, value) for name, value in self._more if name == b"set-cookie" or name not in had]
            message = {**message, "headers": [*message.get("headers", ()), *fresh]}
        await self._send(message)


async def _refuse(send: Send, status: int, code: str, message: str, fix: str) -> None:
    body = error_bytes(code, message, fix)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 429:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):
        # The rest of the body is not read, so that nothing else can come over this connection.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
