"""The HTTP client of the providers: it limits what is read, hides what the machine is, and notices a cut stream."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

# A character of the answer takes up to six bytes as JSON, and a token of a stream comes in an envelope of its own.
_WHOLE, _STREAMED = 8, 64
_SPARE = 1024 * 1024
_DONE = b"[DONE]"


class Unacceptable(Exception):
    """The server sends what is not taken; the watch says what."""


@dataclass(kw_only=True)
class Watch:
    """See one request's body go by; a context variable carries it to the client's hook."""

    max_answer: int
    too_large: bool = False
    refusal: str = ""
    marked: bool = False


WATCH: ContextVar[Watch] = ContextVar("watch")


def new_client(base_url: str, *, timeout: float) -> httpx2.AsyncClient:
    """Return a client that follows no redirect, so that a key goes to the host it is meant for and to no other."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout, connect=min(10.0, timeout)),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [_before], "response": [_after]},
        trust_env=not _is_loopback(base_url),
    )


def _is_loopback(url: str) -> bool:
    """Whether *url* is this machine, which no proxy can reach."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _before(request: httpx2.Request) -> None:
    for header in [name for name in request.headers if name.lower().startswith("x-stainless-")]:
        del request.headers[header]
    request.headers["Accept-Encoding"] = "identity"


async def _after(response: httpx2.Response) -> None:
    watch = WATCH.get(None)
    if watch is None or not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        # Unpacked it could be of any size.
        watch.refusal = "the server compressed its answer although it was asked not to"
    elif response.is_redirect:
        watch.refusal = f"HTTP {response.status_code}: the server sends us on to {response.headers['location']}"
    if watch.refusal:
        raise Unacceptable
    response.stream = _Body(response.stream, watch, streamed=_is_stream(response))


def _is_stream(response: httpx2.Response) -> bool:
    return bool(response.headers.get("content-type", "").startswith("text/event-stream"))


class _Body(httpx2.AsyncByteStream):
    """Pass a body on until it is larger than it may be, and note the mark at the end of a stream.

    It can be iterated again, as a library does that reads what is left after the mark.
    """

    def __init__(self, body: httpx2.AsyncByteStream, watch: Watch, *, streamed: bool) -> None:
        self._body = body
        self._watch = watch
        self._left = watch.max_answer * (_STREAMED if streamed else _WHOLE) + _SPARE
        self._tail = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._left -= len(chunk)
            if self._left < 0:
                self._watch.too_large = True
                raise Unacceptable
            self._tail = self._tail[-len(_DONE) :] + chunk
            self._watch.marked |= _DONE in self._tail
            yield chunk

    async def aclose(self) -> None:
        """Close what is read from."""
        await self._body.aclose()
