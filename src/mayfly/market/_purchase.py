"""What a purchase is made of: the request that is paid for and how it is sent, the header that pays, and the answer.

No redirect is followed, no proxy used, time and size are bounded. A host of a private network, or this machine, is
reached only where it is named; a public name that leads there is not.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from mayfly.core import InputError, MayflyError, NotSent, canonical_json, host_of, one_line, shown
from mayfly.market._terms import RESPONSE_HEADERS, SIGNATURE_HEADERS, PaymentTerms, signed_payload
from mayfly.world import address_of, exchange

if TYPE_CHECKING:
    from mayfly.core import MarketSettings
    from mayfly.store import PaymentRow

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
# What a caller may say in headers: how its body is written and what it would like. All others are ours to set.
_CALLER_HEADERS: Final = frozenset({"content-type", "accept", "accept-language", "idempotency-key"})
# What is kept of an answer's headers.
_KEPT_HEADERS: Final = ("content-type", *(name.lower() for name in RESPONSE_HEADERS.values()))
# Columns of a payment that are told as they are.
_TOLD_OF_PAYMENT: Final = (
    *("id", "call", "state", "url", "network", "asset", "payee", "payer", "decimals", "block"),
    *("agent", "run", "tool", "strategy"),
)
# The text of a call id is a key of the database and stands in logs: long enough for a run, a tool and a hash.
_CALL: Final = re.compile(r"[\x21-\x7e]{1,200}")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e]{0,1000}")


class SellerAnswer(NamedTuple):
    """What a seller answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_good(self) -> bool:
        """Whether it is what was asked for: a redirect, a fault and a demand for money are not."""
        return 200 <= self.status < 300

    def to_bytes(self) -> bytes:
        """Return the form in which it is kept."""
        kept = {name: value for name, value in self.headers.items() if name.lower() in _KEPT_HEADERS}
        body = base64.b64encode(self.body).decode()
        return canonical_json({"status": self.status, "headers": kept, "body": body}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> SellerAnswer:
        """Read what was kept."""
        kept = json.loads(data)
        return cls(kept["status"], kept["headers"], base64.b64decode(kept["body"]))


class BuyOptions(TypedDict, total=False):
    """What may be said of a purchase beside its call, its address and its price: the request, and for whom it is."""

    method: str
    body: bytes
    headers: Iterable[tuple[str, str]]
    agent: str
    run: str
    tool: str
    strategy: str | None


@dataclass(frozen=True, kw_only=True)
class PaidRequest:
    """One request to a seller: the same each time it is sent, whoever sends it."""

    url: str
    method: str = "POST"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def check(cls, url: str, options: BuyOptions, *, largest: int) -> PaidRequest:
        """Make a request of what a caller gives, or say what is wrong with it."""
        address_of(url)
        method, body = options.get("method", "POST"), options.get("body", b"")
        if method not in METHODS:
            raise InputError(f"{shown(method, 40)} is no method", fix=f"use one of {', '.join(METHODS)}")
        if len(body) > largest:
            raise InputError(f"the body has {len(body)} bytes; {largest} may be sent", fix="see: market.body_size")
        given = tuple(sorted((name.lower(), value) for name, value in options.get("headers", ())))
        for name, value in given:
            if name not in _CALLER_HEADERS or not _HEADER_VALUE.fullmatch(value):
                raise InputError(
                    f"the header {shown(name, 40)} cannot be given", fix=f"use {', '.join(sorted(_CALLER_HEADERS))}"
                )
        return cls(url=url.partition("#")[0], method=method, body=body, headers=given)

    @property
    def host(self) -> str:
        """The host in the spelling that the rules know."""
        return address_of(self.url).host

    def to_bytes(self) -> bytes:
        """Return the form in which it is kept; the hash of it is what a payment is bound to."""
        body = base64.b64encode(self.body).decode()
        headers = [list(pair) for pair in self.headers]
        return canonical_json({"method": self.method, "url": self.url, "headers": headers, "body": body}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> PaidRequest:
        """Read what was kept."""
        kept = json.loads(data)
        pairs = tuple((name, value) for name, value in kept["headers"])
        return cls(url=kept["url"], method=kept["method"], body=base64.b64decode(kept["body"]), headers=pairs)


@dataclass(frozen=True, kw_only=True)
class BoughtFor:
    """For whom something is bought."""

    agent: str = ""
    run: str = ""
    tool: str = ""
    strategy: str = ""

    @classmethod
    def of(cls, options: BuyOptions) -> BoughtFor:
        """Return for whom a purchase with these options is."""
        return cls(
            agent=options.get("agent", ""),
            run=options.get("run", ""),
            tool=options.get("tool", ""),
            strategy=options.get("strategy") or "",
        )


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """How a purchase ended, or how it stands.

    *status* is the state of the payment (sent is told as unknown); "refused" where nothing was set aside, and "free"
    where the seller asked for nothing. *decision* is what a person may approve where it was refused for want of that.
    """

    status: str
    payment: PaymentRow | None = None
    answer: SellerAnswer | None = None
    reason: str = ""
    decision: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        row, answer = self.payment, self.answer
        paid: dict[str, Any] | None = None
        if row is not None:
            # Readers of JSON may hold numbers as floats, which amounts are not.
            exact = {"units": str(row.units), "transaction": row.transaction_hash}
            paid = {name: getattr(row, name) for name in _TOLD_OF_PAYMENT} | exact
        told = None
        if answer is not None:
            body = base64.b64encode(answer.body).decode()
            told = {"status": answer.status, "headers": dict(answer.headers), "body": body}
        about = {"status": self.status, "reason": self.reason, "decision": self.decision}
        return {**about, "payment": paid, "answer": told}


class Turns:
    """Let threads of this process that are at the same thing be at it one after the other."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy: set[object] = set()

    @contextmanager
    def taken(self, key: object) -> Iterator[None]:
        """Have the turn for *key* while the body runs."""
        with self._changed:
            self._changed.wait_for(lambda: key not in self._busy)
            self._busy.add(key)
        try:
            yield
        finally:
            with self._changed:
                self._busy.discard(key)
                self._changed.notify_all()


def check_call(call: str) -> str:
    """Return a call id, or say why it is none."""
    if not isinstance(call, str) or not _CALL.fullmatch(call):
        raise InputError(f"{shown(call, 60)} is no call id", fix="use up to 200 letters, digits and signs, no blanks")
    return call


def payment_header(terms: PaymentTerms, signature: str, **signed: Any) -> tuple[str, str]:
    """Return the header that pays: its name and its value, which is kept and sent as it is, again and again."""
    inner = signed_payload(signature, payee=terms.payee, units=terms.units, **signed)
    if terms.version == 1:
        whole: dict[str, Any] = {"x402Version": 1, "scheme": "exact", "network": terms.raw["network"], "payload": inner}
    else:
        about = {"url": terms.resource, "description": terms.description, "mimeType": terms.mime}
        whole = {"x402Version": 2, "payload": inner, "accepted": dict(terms.raw), "resource": about}
    return SIGNATURE_HEADERS[terms.version], base64.b64encode(canonical_json(whole).encode()).decode()


def header_of(payload: bytes) -> tuple[str, str]:
    """Return the header of a kept payload: which one it is stands in the payload itself."""
    text = payload.decode("ascii")
    return SIGNATURE_HEADERS[json.loads(base64.b64decode(text))["x402Version"]], text


def is_seller(url: str, sellers: Iterable[str]) -> bool:
    """Whether the host of *url* is named: itself, or for a public one a domain above it; private ones by name only."""
    host = host_of(url)
    if host is None or host.kind == "unclear":
        return False
    named = {one.lower() for one in sellers}
    if host.name in named:
        return True
    return host.kind == "public" and ("*" in named or bool(named & set(host.within)))


def listed(text: str) -> list[str]:
    """Return what a setting lists."""
    return [one.strip().lower() for one in text.split(",") if one.strip()]


class SellerError(MayflyError):
    """No answer of the seller could be had; *left* says whether anything may have reached it."""

    code = "SELLER"

    def __init__(self, message: str, *, left: bool) -> None:
        super().__init__(message)
        self.left = left


def send(request: PaidRequest, settings: MarketSettings, *, payment: tuple[str, str] | None = None) -> SellerAnswer:
    """Send a request, with a header that pays or without, and return the whole answer."""
    headers = {"User-Agent": "mayfly", "Accept-Encoding": "identity", "Connection": "close", **dict(request.headers)}
    if payment is not None:
        headers[payment[0]] = payment[1]
    if request.body and "content-type" not in headers:
        headers["content-type"] = "application/json"
    # A method with a body says so even where it is empty; servers answer 411 otherwise.
    body = None if request.method == "GET" and not request.body else request.body
    try:
        answer = exchange(
            address_of(request.url),
            request.method,
            headers,
            body,
            seconds=settings.timeout,
            largest=settings.answer_size,
        )
    except (NotSent, ConnectionRefusedError, socket.gaierror, InputError) as error:
        raise SellerError(f"the seller cannot be reached: {_said(error)}", left=False) from None
    except OSError as error:
        raise SellerError(f"the seller gave no answer: {_said(error)}", left=True) from None
    if not answer.whole:
        raise SellerError(f"the seller's answer has more than {settings.answer_size} bytes", left=True)
    return SellerAnswer(answer.status, answer.headers, answer.body)


def _said(error: Exception) -> str:
    return one_line(str(error), limit=200)
