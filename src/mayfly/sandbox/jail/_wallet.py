"""The wallet as a job sees it: three requests at http://wallet.mayfly/, passed on to the host and answered by it.

What a job sends is not understood here but for its place and its size. Who the job is, what it may buy and from whom is
known to the host alone, by the door that a request came in by.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from . import _wire

NAME = "wallet.mayfly"
_KNOWN = "the wallet knows POST /buy, GET /balance and GET /status?call_id=…"
# A body comes from the same machine: who takes longer to send it is not sending.
_BODY_SECONDS = 20.0
# Digits of a length that is worth reading as a number.
_DIGITS = 12
# What becomes of a purchase that was passed on is decided without us; the job can ask for its status.
_HUNG_UP = json.dumps({"status": "unknown", "reason": "the host hung up"}).encode()


class Unfit(Exception):
    """A request that is not passed on; the status and the reason are for the job."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def is_wallet(host: str) -> bool:
    """Whether a request is for the wallet, however the name is spelled."""
    return host.lower().rstrip(".") == NAME


class Wallet:
    """The way of one job's requests to the host: a connection of its own for each, so none waits for another."""

    def __init__(self, pass_on: Callable[[bytes, socket.socket], None], size: int, at_once: int) -> None:
        self._pass_on = pass_on
        self._size = size
        self._turns = asyncio.Semaphore(at_once)

    async def serve(self, method: str, url: str, headers: bytes, reader: asyncio.StreamReader) -> tuple[str, bytes]:
        """Pass a request on, and return the status and the JSON of the answer."""
        async with self._turns:
            try:
                kind, data = await self._read(method, url, headers, reader)
            except Unfit as unfit:
                return unfit.status, refusal(str(unfit))
            return "200 OK", await self._ask(kind, data)

    async def _read(self, method: str, url: str, headers: bytes, reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
        parts = urlsplit(url)
        if (method, parts.path) == ("GET", "/balance"):
            return _wire.BALANCE, b""
        if (method, parts.path) == ("GET", "/status"):
            named = parse_qs(parts.query, keep_blank_values=True).get("call_id", [])
            return _wire.PURCHASE_STATUS, json.dumps({"call_id": named[0] if len(named) == 1 else ""}).encode()
        if (method, parts.path) != ("POST", "/buy"):
            raise Unfit("404 Not Found", _KNOWN)
        length = _length(headers)
        if length > self._size:
            raise Unfit("413 Content Too Large", f"the request has {length} bytes; the limit is {self._size}")
        async with asyncio.timeout(_BODY_SECONDS):
            return _wire.BUY, await reader.readexactly(length)

    async def _ask(self, kind: bytes, data: bytes) -> bytes:
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_unix_connection(sock=ours)
            try:
                self._pass_on(_wire.PURCHASE.pack(kind, len(data)), theirs)
            except OSError:  # it has not reached the host, so nothing is bought
                writer.close()
                return refusal("this machine is too busy to buy anything just now")
        try:
            writer.write(data)
            return await reader.read() or _HUNG_UP
        except OSError:
            return _HUNG_UP
        finally:
            writer.close()


def refusal(reason: str) -> bytes:
    """Return a refusal in the form of the wallet's answers."""
    return json.dumps({"status": "refused", "reason": reason, "answer": None}).encode()


def _length(headers: bytes) -> int:
    """Return the length of a body that says it once and in digits; no other way of sending one is read."""
    fields = [line.partition(b":") for line in headers.split(b"\r\n")]
    named = [(name.strip().lower(), value.strip()) for name, _, value in fields]
    lengths = [value for name, value in named if name == b"content-length"]
    if any(name == b"transfer-encoding" for name, _ in named) or len(lengths) != 1:
        raise Unfit("411 Length Required", "send the request with one Content-Length")
    if not lengths[0].isdigit() or len(lengths[0]) > _DIGITS:
        raise Unfit("400 Bad Request", "Content-Length is not a number")
    return int(lengths[0])
