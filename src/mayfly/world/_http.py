"""Fetch from and send to web addresses."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from mayfly.core import Asked, InputError, Invocation, LimitError, MayflyError, NotSent
from mayfly.world._declare import COUNT, HASH, URL, Schema, takes, tool
from mayfly.world._http_client import LARGEST, Address, HttpAnswer, address_of, exchange

# Others could carry credentials, which would be recorded with the argument, or change what the request means.
_HEADERS = ("accept", "accept-language", "content-type", "if-match", "if-none-match", "if-modified-since", "user-agent")


_LINES: Schema = {
    "type": "object",
    "additionalProperties": {"type": "string", "pattern": "^[ -~]{0,1000}$"},
    "description": f"of these: {', '.join(_HEADERS)}",
}
_SENT: Schema = takes(
    "url",
    url={**URL, "x-role": "destination"},
    content={"description": "a text, or data that is sent as JSON"},
    method={"enum": ["POST", "PUT"], "default": "POST"},
    headers=_LINES,
)
_ANSWER: Schema = {
    "type": "object",
    "properties": {
        "status": {"type": "integer"},
        "type": {"type": "string"},
        "bytes": COUNT,
        "sha256": HASH,
        "encoding": {"type": "string"},
        "text": {"type": "string"},
    },
    "required": ["status", "type", "bytes", "sha256", "encoding", "text"],
    "x-main": "text",
}


def _address(call: Invocation) -> Address:
    return address_of(call.arguments["url"])


def _asked_to_get(call: Invocation) -> tuple[Asked, ...]:
    _address(call)
    _headers(call)
    return (Asked("http_get", call.arguments["url"]),)


def _headers(call: Invocation) -> dict[str, str]:
    given = {str(name).lower(): value for name, value in call.arguments.get("headers", {}).items()}
    for name in given:
        if name not in _HEADERS:
            raise InputError(f"the header {name[:40]!r} may not be set", fix=f"headers are {', '.join(_HEADERS)}")
    return {"user-agent": "mayfly", "accept-encoding": "identity", **given}


def _unhappy(address: Address, answer: HttpAnswer) -> MayflyError:
    said = f"{address.without_query} answers {answer.status} {answer.reason[:80]}".rstrip()
    if 300 <= answer.status < 400 and "location" in answer.headers:
        where = answer.headers["location"].partition("?")[0][:200]
        return InputError(f"{said} and leads to {where}", fix="ask for that address, which needs its own permit")
    return InputError(said)


def _value(answer: HttpAnswer) -> dict[str, object]:
    """Return an answer as data; what is not text is given in base64."""
    kind = answer.headers.get("content-type", "")
    value: dict[str, object] = {"status": answer.status, "type": kind[:200], "bytes": len(answer.body)}
    value["sha256"] = hashlib.sha256(answer.body).hexdigest()
    named = re.search(r"charset=\"?(iso-8859-1|latin-1|windows-1252)", kind, re.IGNORECASE)
    told = ("cp1252" if named[1].lower() == "windows-1252" else "latin-1",) if named else ()
    for encoding in ("utf-8", *told):
        with suppress(UnicodeDecodeError):
            return {**value, "encoding": encoding, "text": answer.body.decode(encoding)}
    return {**value, "encoding": "base64", "text": base64.b64encode(answer.body).decode()}


def _is_whole(_: Invocation, value: object) -> bool:
    """Hash what is said to have come again, from the text that is handed on."""
    if not isinstance(value, dict) or not _succeeded(value):
        return False
    text, encoding = value.get("text"), value.get("encoding")
    if not isinstance(text, str) or encoding not in ("utf-8", "latin-1", "cp1252", "base64"):
        return False
    try:
        body = base64.b64decode(text, validate=True) if encoding == "base64" else text.encode(str(encoding))
    except ValueError:
        return False
    return len(body) == value.get("bytes") and hashlib.sha256(body).hexdigest() == value.get("sha256")


def _succeeded(value: Mapping[str, object]) -> bool:
    status = value.get("status")
    return type(status) is int and 200 <= status < 300


def _is_accepted(_: Invocation, value: object) -> bool:
    return isinstance(value, dict) and _succeeded(value)


class _Request(NamedTuple):
    """What is to be sent, read from the arguments; anything wrong with it shows before anything is sent."""

    address: Address
    method: str
    headers: Mapping[str, str]
    text: str


def _request(call: Invocation) -> _Request:
    given = call.arguments
    text, kind = _body(given.get("content", ""))
    headers = {"content-type": kind, **_headers(call)}
    if re.fullmatch(r"[\x21-\x7e]{1,255}", call.key):
        headers["idempotency-key"] = call.key
    elif "honours_keys" in given:
        raise InputError("the call has no key by which a receiver would know it again")
    return _Request(_address(call), given.get("method", "POST"), headers, text)


def _body(value: object) -> tuple[str, str]:
    if isinstance(value, str):
        text, kind = value, "application/json" if _is_json(value) else "text/plain; charset=utf-8"
    else:
        try:
            text, kind = json.dumps(value, ensure_ascii=False, allow_nan=False), "application/json"
        except (TypeError, ValueError, RecursionError):
            raise InputError("the content is neither text nor data that can be sent as JSON") from None
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InputError("the content is not text: it holds half of a character") from None
    if size > LARGEST:
        raise LimitError("bytes to send", used=size, limit=LARGEST)
    return text, kind


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _asked_to_send(call: Invocation) -> tuple[Asked, ...]:
    request = _request(call)
    shown = {name: value for name, value in request.headers.items() if name != "idempotency-key"}
    payload = {"method": request.method, "headers": shown, "content": request.text}
    return (Asked("http_request", call.arguments["url"], json.dumps(payload, ensure_ascii=False)),)


def _send(call: Invocation) -> dict[str, object]:
    request = _request(call)
    answer = exchange(request.address, request.method, request.headers, request.text.encode(), stop=call.stop)
    return {**_value(answer), "whole": answer.whole}


@tool(
    takes("url", url=URL, headers=_LINES),
    output_schema=_ANSWER,
    does="fetch page, fetch url, fetch resource",
    grants=("net:*",),
    asks=_asked_to_get,
    check=_is_whole,
    proves="the server answered with success, and the text has the length and hash of what it sent",
    seconds=60.0,
)
def http_get(call: Invocation) -> dict[str, object]:
    """Fetch a web page or resource from a URL with GET; no redirect is followed."""
    address = _address(call)
    try:
        answer = exchange(address, "GET", _headers(call), None, stop=call.stop)
    except OSError as error:
        raise NotSent(f"{address.without_query}: {error}") from None
    if not answer.whole:
        raise LimitError(f"bytes of {address.without_query}", used=len(answer.body) + 1, limit=LARGEST)
    if not 200 <= answer.status < 300:
        raise _unhappy(address, answer)
    return _value(answer)


_SENDS: dict[str, Any] = {
    "output_schema": _ANSWER,
    "grants": ("net:*",),
    "asks": _asked_to_send,
    "check": _is_accepted,
    "proves": "the receiver answered with a status of success",
    "seconds": 60.0,
}


@tool(
    takes("url", "honours_keys", **_SENT["properties"], honours_keys={"const": True}),
    effect="idempotent",
    does="send request idempotently",
    **_SENDS,
)
def http_send(call: Invocation) -> dict[str, object]:
    """Send by POST or PUT to an address whose receiver honours the Idempotency-Key header."""
    return _send(call)


@tool(
    _SENT,
    effect="once",
    does="send request, send content, send number, send item",
    **_SENDS,
)
def http_send_once(call: Invocation) -> dict[str, object]:
    """Send a text or JSON to a URL by POST or PUT, and never a second time."""
    return _send(call)
