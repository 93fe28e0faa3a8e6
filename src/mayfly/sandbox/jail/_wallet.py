"""The wallet as a job sees it: three requests at http://wallet.mayfly/, passed on to the host and answered by it.

What a job sends is not understood here but for its place and its size. Who the job is, what it may buy and from whom is
known to the host alone, by the connection that a request comes in on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from urllib.parse import parse_qs, urlsplit

from . import _wire

NAME = "wallet.mayfly"
_KNOWN = "the wallet knows POST /buy, GET /balance and GET /status?call_id=…"
# A body comes from the same machine: who takes longer to send it is not sending.
_BODY_SECONDS = 20.0
# Digits of a length that is worth reading as a number.
_DIGITS = 12


class Unfit(Exception):
    """A request that is not passed on; the status and the reason are for the job."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def is_wallet(host: str) -> bool:
    """Whether a request is for the wallet, however the name is spelled."""
    return host.lower().rstrip(".") == NAME


class Wallet:
    """The way of one job's requests to the host."""

    def __init__(self, channel: socket.socket, size: int, at_once: int) -> None:
        self._channel = channel
        self._size = size
        self._turns = asyncio.Semaphore(at_once)
        self._numbers = 0
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()

    def close(self) -> None:
        """Let go of the host."""
        if self._hearing is not None:
            self._hearing.cancel()
        if self._writer is not None:
            self._writer.close()
        else:
            self._channel.close()

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
        writer = await self._connect()
        self._numbers = (self._numbers + 1) & 0xFFFFFFFF
        number = self._numbers
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            writer.write(_wire.PURCHASE.pack(number, kind, len(data)) + data)
            await writer.drain()
            return await answer
        finally:
            self._waiting.pop(number, None)

    async def _connect(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                reader, self._writer = await asyncio.open_unix_connection(sock=self._channel)
                self._hearing = asyncio.get_running_loop().create_task(self._hear(reader))
            return self._writer

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        """Hand out the host's answers; one that nobody waits for any more is dropped."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                number, length = _wire.PURCHASED.unpack(await reader.readexactly(_wire.PURCHASED.size))
                data = await reader.readexactly(length)
                waiting = self._waiting.pop(number, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(data)
        # What becomes of a purchase that was asked for is decided without us; whoever waits can ask for its status.
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(json.dumps({"status": "unknown", "reason": "the host hung up"}).encode())


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
