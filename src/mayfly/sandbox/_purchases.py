"""The host's end of a `buy` grant's door: what a job may ask of a wallet, counted and handed on in the job's own name.

In whose name it buys is said by the host, never by the job.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from mayfly.core import SandboxSettings
from mayfly.sandbox import _values
from mayfly.sandbox._grants import split_host
from mayfly.sandbox.jail import _wire

# What an idempotency key needs, and nothing that means something in an address or a log.
_CALL_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_PRICE = re.compile(r"[0-9]{1,12}(\.[0-9]{1,18})?")
# One spelling that every reader of addresses takes apart in the same way: no user, no backslash, no fragment.
_URL = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?][!$-\[\]-~]*)?")
_URL_SIZE = 2048
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FIELDS = {"buy": {"call_id", "url", "max_price", "method", "body"}, "status": {"call_id"}, "balance": set[str]()}
# A request is one flat record of five texts.
_DEPTH, _NODES = 2, 64

# Characters of a whole id that a wallet takes.
_LONGEST_CALL = 200

# The rate of a job is counted over this many seconds.
_WINDOW = 60.0
# Bytes of JSON around a body of which every character is escaped to six.
_AROUND = 16_384
_ESCAPED = 6
# A request and its answer go to and come from a process of ours on this machine.
_SECONDS = 20.0

Op = Literal["buy", "balance", "status"]
_OPS: dict[bytes, Op] = {_wire.BUY: "buy", _wire.BALANCE: "balance", _wire.PURCHASE_STATUS: "status"}


class Spender(NamedTuple):
    """In whose name a job buys. Nothing in the job can choose or change it."""

    agent: str = ""
    run: str = ""
    tool: str = ""
    strategy: str = ""

    def named(self) -> Spender:
        """Return it with a run: a job that belongs to none has one of its own, so that no other shares its calls."""
        return self if self.run else self._replace(run=f"job-{os.urandom(8).hex()}")

    def call(self, call_id: str) -> str:
        """Return the id under which a call of this spender is known: no other run or tool has the same."""
        import hashlib
        from urllib.parse import quote

        whole = "/".join(quote(part, safe="") for part in (self.run, self.tool, call_id))
        if len(whole) <= _LONGEST_CALL:
            return whole
        # One slash and not two: no id that is written out looks like it.
        return f"{hashlib.sha256(repr((self.run, self.tool)).encode()).hexdigest()}/{call_id}"


@dataclass(frozen=True, kw_only=True)
class PurchaseRequest:
    """One request of a job, checked; the call id is that of its run and tool, and max_price exact text in dollars."""

    op: Op
    call_id: str = ""
    url: str = ""
    max_price: str = ""
    method: str = "POST"
    body: bytes = b""
    agent: str = ""
    run: str = ""
    tool: str = ""
    strategy: str = ""


class PurchaseAnswer(NamedTuple):
    """What the seller answered."""

    status: int
    body: bytes


@dataclass(frozen=True, kw_only=True)
class PurchaseReply:
    """What became of a request; *more* is what a balance or a status tells beside."""

    status: str
    reason: str = ""
    answer: PurchaseAnswer | None = None
    more: Mapping[str, object] = field(default_factory=dict)


Purchases = Callable[[PurchaseRequest], PurchaseReply]


class BadRequest(Exception):
    """A job asked for something that cannot be meant, or that its grant does not cover."""


def read_request(op: Op, data: bytes, spender: Spender, sellers: tuple[str, ...], *, most: int) -> PurchaseRequest:
    """Return what a job asks for, with a body of up to *most* bytes, or raise `BadRequest` with one line for it."""
    given = _fields(op, data)
    who = spender._asdict()
    if op == "balance":
        return PurchaseRequest(op=op, **who)
    call_id = given.get("call_id", "")
    if not _CALL_ID.fullmatch(call_id):
        raise BadRequest("call_id has to be 1 to 100 letters, digits and . _ : -; the same id never pays twice")
    call = spender.call(call_id)
    if op == "status":
        return PurchaseRequest(op=op, call_id=call, **who)
    price, method = given.get("max_price", ""), given.get("method", "POST")
    if not _PRICE.fullmatch(price):
        raise BadRequest('max_price has to be dollars as a text, such as "0.01"')
    if method not in _METHODS:
        raise BadRequest(f"method has to be one of {', '.join(_METHODS)}")
    url = given.get("url", "")
    _check_seller(url, sellers)
    try:
        body = given.get("body", "").encode()
    except UnicodeEncodeError:
        raise BadRequest("body is not text: it holds a lone surrogate") from None
    if len(body) > most:
        raise BadRequest(f"body has {len(body)} bytes; the limit is {most} (sandbox.purchase_size)")
    return PurchaseRequest(op=op, call_id=call, url=url, max_price=price, method=method, body=body, **who)


def _fields(op: Op, data: bytes) -> dict[str, str]:
    """Return the texts of a request; a field that is unknown, as one that would say who asks, is refused."""
    try:
        given = _values.decode(data, depth=_DEPTH, nodes=_NODES) if data else {}
    except _values.BadValue:
        given = None
    if not isinstance(given, dict):
        raise BadRequest('the wallet takes a JSON record: {"call_id": …, "url": …, "max_price": "0.01"}')
    for name, value in given.items():
        if name not in _FIELDS[op]:
            raise BadRequest(f"unknown field {name[:40]!r}: {op} takes {', '.join(sorted(_FIELDS[op])) or 'none'}")
        if not isinstance(value, str):
            raise BadRequest(f"{name} has to be a text")
    return given


def _check_seller(url: str, sellers: tuple[str, ...]) -> None:
    """Raise unless the grant covers the host of *url*; what the wallet itself refuses is refused there."""
    if len(url) > _URL_SIZE or not _URL.fullmatch(url):
        raise BadRequest("url has to be a plain http:// or https:// address, with no user, blank or fragment in it")
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise BadRequest("url has a port that is not a number from 1 to 65535") from None
    for seller in sellers:
        name, wanted = split_host(seller)
        if name.rstrip(".") in (host, "*") and wanted in (None, str(port)):
            return
    raise BadRequest(
        f"no grant covers buying from {host}:{port}; granted: {', '.join(f'buy:{one}' for one in sellers)}"
    )


def write_reply(reply: PurchaseReply, most: int) -> bytes:
    """Return a reply as JSON; an answer that is not text is in base64, one of more than *most* bytes is left out."""
    told: dict[str, object] = {**reply.more, "status": reply.status, "reason": reply.reason, "answer": None}
    if reply.answer is not None and len(reply.answer.body) > most:
        size = len(reply.answer.body)
        told["reason"] = f"{reply.reason} (the answer has {size} bytes; a job is given up to {most})".strip()
    elif reply.answer is not None:
        told["answer"] = _answer(reply.answer)
    return json.dumps(told).encode()


def _answer(answer: PurchaseAnswer) -> dict[str, object]:
    try:
        return {"status": answer.status, "body": answer.body.decode()}
    except UnicodeDecodeError:
        import base64  # hardly ever needed

        return {"status": answer.status, "body": base64.b64encode(answer.body).decode(), "encoding": "base64"}


class Cashier:
    """What all jobs of a sandbox share: whom they buy through, and how many purchases are under way."""

    def __init__(self, purchases: Purchases | None, settings: SandboxSettings) -> None:
        self.settings = settings
        # Purchases of jobs that ended go on until they are decided: they count until then, whoever asked.
        self.room = threading.BoundedSemaphore(settings.purchases * settings.jobs)
        self._purchases = purchases

    def decide(self, op: Op, data: bytes, spender: Spender, sellers: tuple[str, ...]) -> PurchaseReply:
        """Hand a request on and return what came of it; whatever goes wrong there is told in one line."""
        try:
            request = read_request(op, data, spender, sellers, most=self.settings.purchase_size)
            if self._purchases is None:
                return _refused("no wallet is connected to this sandbox (Sandbox(purchases=…))")
            return self._purchases(request)
        except BadRequest as error:
            return _refused(str(error))
        except Exception as error:
            # What is known for sure is that nobody said how it ended: a purchase may have been made.
            return PurchaseReply(status="unknown", reason=f"the wallet failed: {type(error).__name__}")


class Till:
    """Serve what one worker asks of the wallet: only while its job runs, so many at once and so many a minute."""

    def __init__(self, cashier: Cashier, sellers: tuple[str, ...]) -> None:
        self._cashier = cashier
        self._sellers = sellers
        self._lock = threading.Lock()
        self._spender: Spender | None = None
        self._busy = 0
        self._times: deque[float] = deque()

    @property
    def terms(self) -> tuple[int, int]:
        """The bytes of one request that the proxy passes on, and how many of one job it reads at the same time."""
        settings = self._cashier.settings
        return settings.purchase_size * _ESCAPED + _AROUND, settings.purchases

    def begin(self, spender: Spender) -> None:
        """Serve a job from now on, in the name of *spender*."""
        with self._lock:
            # A tuple of its own, so that a request of an earlier job is known by it.
            self._spender = Spender(*spender.named())
            self._times.clear()

    def end(self) -> None:
        """Begin no purchase any more; those under way are finished, and nobody is told."""
        with self._lock:
            self._spender = None

    def serve(self, way: socket.socket, about: bytes) -> None:
        """Have a request that comes by *way* answered in a thread of its own, or refuse it at once."""
        kind, length = _wire.PURCHASE.unpack(about)
        way.settimeout(_SECONDS)
        if length > self.terms[0] or kind not in _OPS:
            way.close()  # no proxy of ours: it holds to the size and knows the kinds
            return
        spender = self._admit()
        if isinstance(spender, Spender):
            try:
                work = (way, _OPS[kind], length, spender)
                threading.Thread(target=self._answer, args=work, name="mayfly-purchase", daemon=True).start()
                return
            except RuntimeError:  # no thread is to be had
                self._leave()
                spender = "this machine is too busy to buy anything just now"
        self._tell(way, _refused(spender))

    def _admit(self) -> Spender | str:
        """Return in whose name a request is taken, or why it is not."""
        settings, now = self._cashier.settings, time.monotonic()
        with self._lock:
            while self._times and self._times[0] <= now - _WINDOW:
                self._times.popleft()
            if self._spender is None:
                return "no job runs here any more"
            if len(self._times) >= settings.purchase_rate:
                return f"more than {settings.purchase_rate} requests to the wallet in a minute (sandbox.purchase_rate)"
            if self._busy >= settings.purchases:
                return f"{settings.purchases} requests to the wallet are under way already (sandbox.purchases)"
            if not self._cashier.room.acquire(blocking=False):
                return "too many purchases of all jobs together are under way (sandbox.purchases, sandbox.jobs)"
            self._times.append(now)
            self._busy += 1
            return self._spender

    def _leave(self) -> None:
        with self._lock:
            self._busy -= 1
        self._cashier.room.release()

    def _answer(self, way: socket.socket, op: Op, length: int, spender: Spender) -> None:
        try:
            with way.makefile("rb") as request:
                data = request.read(length)
            # Half a request of a dead proxy is none, and nothing begins once the job is over.
            if len(data) < length or self._spender is not spender:
                way.close()
                return
            reply = self._cashier.decide(op, data, spender, self._sellers)
        except OSError:
            way.close()
            return
        finally:
            self._leave()
        self._tell(way, reply)

    def _tell(self, way: socket.socket, reply: PurchaseReply) -> None:
        with way, contextlib.suppress(OSError):  # the job or its proxy is gone: there is nobody to tell
            way.sendall(write_reply(reply, self._cashier.settings.result))


def _refused(reason: str) -> PurchaseReply:
    return PurchaseReply(status="refused", reason=reason)
