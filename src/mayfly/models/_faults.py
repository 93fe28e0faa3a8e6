"""Turn whatever a provider's library raises into one line and a decision: try again, or not."""

from __future__ import annotations

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
from mayfly.models._http import Watch
from mayfly.models._secrets import one_line

RETRIED = frozenset({408, 429, 500, 502, 503, 504, 529})


def failure(error: Exception, watch: Watch, *, key_variable: str, secrets: tuple[str, ...]) -> Exception:
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
