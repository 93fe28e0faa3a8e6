"""Fetch from and send to web addresses."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import partial

from mayfly.core import UNSET, InputError, LimitError, MayflyError
from mayfly.library._capability import Builtin, Invocation, NotSent
from mayfly.library.builtin._address import Address, address_of
from mayfly.library.builtin._arguments import Fields, fields_of, flag_of, only, said, text_of
from mayfly.library.builtin._exchange import LARGEST, Answer, exchange

_SENT = ("content", "body", "json", "method", "headers", "honours_keys")
# Others could carry credentials, which would be recorded with the argument, or change what the request means.
_HEADERS = ("accept", "accept-language", "content-type", "if-match", "if-none-match", "if-modified-since", "user-agent")


def http_builtins() -> tuple[Builtin, ...]:
    """Return the capabilities that reach other machines; each needs the host to be permitted."""
    return (
        Builtin(
            name="http_get",
            description="Fetch a web page or resource from a URL with GET; no redirect is followed.",
            call=_get,
            action="http_get",
            target=_url,
            check=_is_whole,
            proves="the server answered with success, and the text has the length and hash of what it sent",
        ),
        Builtin(
            name="http_send",
            description=(
                "Send idempotently, by POST or PUT, to an address whose receiver honours the Idempotency-Key header: "
                'needs "honours_keys": true.'
            ),
            call=partial(_send, True),
            effect="idempotent",
            action="http_request",
            target=partial(_target, True),
            payload=partial(_payload, True),
            check=_is_accepted,
            proves="the receiver answered with a status of success",
        ),
        Builtin(
            name="http_send_once",
            description="Send to a URL or endpoint a literal or JSON by POST or PUT, and never a second time.",
            call=partial(_send, False),
            effect="once",
            action="http_request",
            target=partial(_target, False),
            payload=partial(_payload, False),
            check=_is_accepted,
            proves="the receiver answered with a status of success",
        ),
    )


def _asked(invocation: Invocation) -> Fields:
    return only([token.text for token in said(invocation) if token.kind == "url"], "url")


def _url(invocation: Invocation) -> str:
    fields = fields_of(invocation, main="url", others=("headers",), asked=_asked)
    _headers(fields)
    url = text_of(fields, "url")
    address_of(url)
    return url


def _headers(fields: Mapping[str, object]) -> dict[str, str]:
    given = fields.get("headers", {})
    if not isinstance(given, Mapping):
        raise InputError("headers must be a record of texts")
    found: dict[str, str] = {}
    for name, value in given.items():
        if str(name).lower() not in _HEADERS:
            raise InputError(f"the header {str(name)[:40]!r} may not be set", fix=f"headers are {', '.join(_HEADERS)}")
        if not isinstance(value, str) or not re.fullmatch(r"[\x20-\x7e]{0,1000}", value):
            raise InputError(f"the header {name} must be a line of ASCII text")
        found[str(name).lower()] = value
    return {"user-agent": "mayfly", "accept-encoding": "identity", **found}


def _get(invocation: Invocation) -> dict[str, object]:
    address = address_of(_url(invocation))
    headers = _headers(fields_of(invocation, main="url", others=("headers",), asked=_asked))
    try:
        answer = exchange(address, "GET", headers, None)
    except OSError as error:
        raise NotSent(f"{address.without_query}: {error}") from None
    if not answer.whole:
        raise LimitError(f"bytes of {address.without_query}", used=len(answer.body) + 1, limit=LARGEST)
    if not 200 <= answer.status < 300:
        raise _unhappy(address, answer)
    return _value(answer)


def _unhappy(address: Address, answer: Answer) -> MayflyError:
    said = f"{address.without_query} answers {answer.status} {answer.reason[:80]}".rstrip()
    if 300 <= answer.status < 400 and "location" in answer.headers:
        where = answer.headers["location"].partition("?")[0][:200]
        return InputError(f"{said} and leads to {where}", fix="ask for that address, which needs its own permit")
    return InputError(said)


def _value(answer: Answer) -> dict[str, object]:
    """Return an answer as data; what is not text is given in base64."""
    kind = answer.headers.get("content-type", "")
    value: dict[str, object] = {"status": answer.status, "type": kind[:200], "bytes": len(answer.body)}
    value["sha256"] = hashlib.sha256(answer.body).hexdigest()
    try:
        return {**value, "encoding": "utf-8", "text": answer.body.decode()}
    except UnicodeDecodeError:
        pass
    named = re.search(r"charset=\"?(iso-8859-1|latin-1|windows-1252)", kind, re.IGNORECASE)
    if named:
        encoding = "cp1252" if named[1].lower() == "windows-1252" else "latin-1"
        try:
            return {**value, "encoding": encoding, "text": answer.body.decode(encoding)}
        except UnicodeDecodeError:
            pass
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


class _Request:
    """What is to be sent, read from the argument; anything wrong with it shows before anything is sent."""

    def __init__(self, invocation: Invocation, *, keyed: bool) -> None:
        fields = fields_of(invocation, main="url", others=_SENT, asked=_asked_to_send)
        flowing = invocation.argument not in (None, UNSET) and not isinstance(invocation.argument, Mapping)
        if flowing and _asked(invocation):
            # What flows in is the body where the intent says where it goes.
            fields = {**_asked_to_send(invocation), "content": invocation.argument}
        self.url = text_of(fields, "url")
        self.address = address_of(self.url)
        self.method = text_of(fields, "method", default="POST").upper()
        if self.method not in ("POST", "PUT"):
            raise InputError(f"the method must be POST or PUT, not {self.method[:20]}")
        honours = flag_of(fields, "honours_keys")
        if keyed and not honours:
            fix = 'say "honours_keys": true, or use http_send_once'
            raise InputError("nothing says that the receiver honours idempotency keys", fix=fix)
        self.text, kind = _body(fields)
        self.headers = {"content-type": kind, **_headers(fields)}
        if keyed and not re.fullmatch(r"[\x21-\x7e]{1,255}", invocation.key):
            raise InputError("the call has no key by which a receiver would know it again")
        if invocation.key and re.fullmatch(r"[\x21-\x7e]{1,255}", invocation.key):
            self.headers["idempotency-key"] = invocation.key


def _asked_to_send(invocation: Invocation) -> Fields:
    """Find address, method and body in an intent such as `POST {"a": 1} to http://host/path`."""
    fields = _asked(invocation)
    intent = invocation.intent.strip()
    if intent[:4].upper() == "PUT ":
        fields["method"] = "PUT"
    found = re.match(r"\w+\s+(?P<body>[\[{].*[\]}])\s+to\s", intent, re.DOTALL)
    quoted = [token.text for token in said(invocation) if token.kind == "quoted"]
    if found:
        fields["content"] = found["body"]
    elif len(quoted) == 1:
        fields["content"] = quoted[0]
    return fields


def _body(fields: Mapping[str, object]) -> tuple[str, str]:
    given = [name for name in ("content", "body", "json") if name in fields]
    if len(given) > 1:
        raise InputError(f"the body is given twice: {' and '.join(given)}")
    value = fields[given[0]] if given else ""
    if isinstance(value, str) and given != ["json"]:
        text, kind = value, "application/json" if _is_json(value) else "text/plain; charset=utf-8"
    else:
        try:
            text, kind = json.dumps(value, ensure_ascii=False, allow_nan=False), "application/json"
        except (TypeError, ValueError, RecursionError):
            raise InputError("the body is neither text nor data that can be sent as JSON") from None
    text_of({"body": text}, "body", longest=LARGEST)
    return text, kind


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _target(keyed: bool, invocation: Invocation) -> str:
    return _Request(invocation, keyed=keyed).url


def _payload(keyed: bool, invocation: Invocation) -> str:
    request = _Request(invocation, keyed=keyed)
    shown = {name: value for name, value in request.headers.items() if name != "idempotency-key"}
    return json.dumps({"method": request.method, "headers": shown, "content": request.text}, ensure_ascii=False)


def _send(keyed: bool, invocation: Invocation) -> dict[str, object]:
    request = _Request(invocation, keyed=keyed)
    answer = exchange(request.address, request.method, request.headers, request.text.encode())
    return {**_value(answer), "whole": answer.whole}
