"""The HTTP client of the providers: it limits what is read, hides what the machine is, and tells what went wrong."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UserError,
)

from mayfly.core import InputError
from mayfly.models._errors import Failure, Kind
from mayfly.models._secrets import one_line

# A character of the answer takes up to six bytes as JSON, and a token of a stream comes in an envelope of its own.
_WHOLE, _STREAMED = 8, 64
_SPARE = 1024 * 1024
_DONE = b"[DONE]"


class Unacceptable(Exception):
    """The server sends what is not taken; the watch says what."""


@dataclass(kw_only=True)
class RequestWatch:
    """See one request's body go by; a context variable carries it to the client's hook."""

    max_answer: int
    too_large: bool = False
    refusal: str = ""
    marked: bool = False


WATCH: ContextVar[RequestWatch] = ContextVar("watch")


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

    def __init__(self, body: httpx2.AsyncByteStream, watch: RequestWatch, *, streamed: bool) -> None:
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


RETRIED = frozenset({408, 429, 500, 502, 503, 504, 529})


def failure(error: Exception, watch: RequestWatch, *, key_variable: str, secrets: tuple[str, ...]) -> Exception:
    """Return what to raise instead of *error*."""
    if watch.too_large:
        limit = f"the answer is larger than {watch.max_answer:,} bytes allow"
        return Failure(limit, kind="too-large", billed=True, fix="raise MAYFLY_MODELS_MAX_ANSWER")
    if watch.refusal:
        return Failure(one_line(watch.refusal, secrets), kind="refused", billed=True)
    if isinstance(error, ModelHTTPError):
        return _refused(error, key_variable, secrets)
    if isinstance(error, UserError):
        return InputError(one_line(str(error), secrets))
    reason = one_line(_root(error), secrets, longest=200)
    if isinstance(error, ModelConnectionError):
        connected = error.phase not in ("pool", "connect")
        kind: Kind = "cut" if error.phase == "read" else "unreachable"
        return Failure(f"connection failed: {reason}", kind=kind, retry=True, billed=connected)
    if isinstance(error, httpx2.HTTPError):
        return Failure(f"the answer broke off: {reason}", kind="cut", retry=True, billed=True)
    if isinstance(error, ContentFilterError):
        return Failure(f"the provider's filter refused: {reason}", kind="refused", billed=True)
    # Libraries meet a body they do not understand with errors of every type.
    what = reason if isinstance(error, AgentRunError) else f"{type(error).__name__}: {reason}"
    return Failure(f"not an answer: {what}", kind="malformed", retry=True, billed=True)


def _refused(error: ModelHTTPError, key_variable: str, secrets: tuple[str, ...]) -> Failure:
    said = one_line(_said(error.body), secrets)
    message = f"HTTP {error.status_code}" + (f": {said}" if said else "")
    quota = isinstance(error, ModelQuotaExceededError)
    retry = error.status_code in RETRIED and not quota
    fixes = {401: f"check {key_variable}", 403: f"check {key_variable}", 404: "check the address and the model's name"}
    return Failure(
        message,
        kind="busy" if retry else "refused",
        retry=retry,
        retry_after=error.retry_after or 0.0,
        fix=fixes.get(error.status_code),
    )


def _said(body: object) -> str:
    """Return the provider's own words out of the shapes in which they come."""
    for _ in range(3):
        if not isinstance(body, dict):
            break
        body = body.get("error") or body.get("message") or body.get("detail") or str(body)
    return "" if body is None else str(body)


def _root(error: BaseException) -> str:
    """Return the first cause that says something; what wraps it says "Connection error."."""
    messages = []
    cause: BaseException | None = error
    while cause is not None:
        messages.append(str(cause))
        cause = cause.__cause__
    return next((message for message in reversed(messages) if message), type(error).__name__)
