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
# A request and its answer go to and come from a process of ours on this machine.
_SECONDS = 20.0
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
