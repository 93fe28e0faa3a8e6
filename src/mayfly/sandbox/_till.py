"""The host's end of a `buy` grant's door: requests of one job, counted and handed on in the job's own name."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque

from mayfly.core import SandboxSettings
from mayfly.sandbox._purchases import BadRequest, Op, PurchaseReply, Purchases, Spender, read_request, write_reply
from mayfly.sandbox.jail import _wire

# The rate of a job is counted over this many seconds.
_WINDOW = 60.0
# Bytes of JSON around a body of which every character is escaped to six.
_AROUND = 16_384
_ESCAPED = 6
_OPS: dict[bytes, Op] = {_wire.BUY: "buy", _wire.BALANCE: "balance", _wire.PURCHASE_STATUS: "status"}


class Cashier:
    """What all jobs of a sandbox share: whom they buy through, and how many purchases are under way."""

    def __init__(self, purchases: Purchases | None, settings: SandboxSettings) -> None:
        self.settings = settings
        # Purchases of jobs that ended go on until they are decided: they count until then, whoever asked.
        self.room = threading.BoundedSemaphore(settings.purchases * settings.jobs)
        self._purchases = purchases

    def till(self, sellers: tuple[str, ...]) -> Till:
        """Return the end of one worker's door."""
        return Till(self, sellers)

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
        self._sending = threading.Lock()
        self._spender: Spender | None = None
        self._busy = 0
        self._times: deque[float] = deque()
        self._channel: socket.socket | None = None

    @property
    def size(self) -> int:
        """The bytes of one request that the proxy passes on."""
        return self._cashier.settings.purchase_size * _ESCAPED + _AROUND

    @property
    def at_once(self) -> int:
        """How many requests of one job the proxy reads at the same time."""
        return self._cashier.settings.purchases

    def connect(self) -> int:
        """Return a descriptor for the proxy, one for each proxy there is: half a message of a dead one is no request.

        The caller closes it.
        """
        ours, theirs = socket.socketpair()
        with self._lock:
            before, self._channel = self._channel, ours
        _hang_up(before)
        threading.Thread(target=self._listen, args=(ours,), name="mayfly-till", daemon=True).start()
        return theirs.detach()

    def begin(self, spender: Spender) -> None:
        """Serve a job from now on, in the name of *spender*."""
        with self._lock:
            self._spender = spender.named()
            self._times.clear()

    def end(self) -> None:
        """Begin no purchase any more; those under way are finished, and nobody is told."""
        with self._lock:
            self._spender = None

    def close(self) -> None:
        """Let go of the proxy."""
        self.end()
        with self._lock:
            channel, self._channel = self._channel, None
        _hang_up(channel)

    def abandon(self) -> None:
        """In a forked child: close our copy, and leave the connection to the parent."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _listen(self, channel: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while header := _exactly(channel, _wire.PURCHASE.size):
                number, kind, length = _wire.PURCHASE.unpack(header)
                if length > self.size or kind not in _OPS:
                    break  # no proxy of ours: it holds to the size and knows the kinds
                data = _exactly(channel, length)
                if len(data) == length:
                    self._take(channel, number, _OPS[kind], data)
        # Nobody else closes it: a number that is free again may belong to another connection at once.
        with self._sending:
            channel.close()

    def _take(self, channel: socket.socket, number: int, op: Op, data: bytes) -> None:
        """Have a request answered in a thread of its own, or refused at once."""
        spender = self._admit()
        if isinstance(spender, str):
            self._send(channel, number, _refused(spender))
            return
        try:
            work = (channel, number, op, data, spender)
            threading.Thread(target=self._answer, args=work, name="mayfly-purchase", daemon=True).start()
        except RuntimeError:  # no thread is to be had
            self._leave()
            self._send(channel, number, _refused("this machine is too busy to buy anything just now"))

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

    def _answer(self, channel: socket.socket, number: int, op: Op, data: bytes, spender: Spender) -> None:
        try:
            reply = self._cashier.decide(op, data, spender, self._sellers)
        finally:
            self._leave()
        self._send(channel, number, reply)

    def _send(self, channel: socket.socket, number: int, reply: PurchaseReply) -> None:
        data = write_reply(reply, self._cashier.settings.result)
        with contextlib.suppress(OSError), self._sending:  # the job or its proxy is gone: there is nobody to tell
            channel.sendall(_wire.PURCHASED.pack(number, len(data)) + data)


def _refused(reason: str) -> PurchaseReply:
    return PurchaseReply(status="refused", reason=reason)


def _exactly(channel: socket.socket, size: int) -> bytes:
    """Read *size* bytes; fewer where the other end is gone."""
    data = bytearray()
    while len(data) < size and (more := channel.recv(min(size - len(data), 1 << 16))):
        data += more
    return bytes(data) if len(data) == size else b""


def _hang_up(channel: socket.socket | None) -> None:
    """End a connection; the thread that reads from it closes it."""
    if channel is not None:
        with contextlib.suppress(OSError):
            channel.shutdown(socket.SHUT_RDWR)
