"""`BrokerClient`: buy through the broker process, which holds the key, for a person or for a job; and that process."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final, Unpack

from mayfly.core import Closing, ConflictError, InputError, MachineError, MayflyError, StoreError, one_line
from mayfly.market._broker_wire import connect
from mayfly.market._wallet import Wallet
from mayfly.sandbox import PurchaseAnswer, PurchaseReply

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.market._purchase import BuyOptions
    from mayfly.sandbox import PurchaseRequest

# Errors that keep their meaning on the way; all others are told as what they are, in words.
_ERRORS: Final = {one.code: one for one in (InputError, ConflictError, MachineError, StoreError)}
# What a purchase may take beside its requests: the store, the rules, the node.
_SPARE: Final = 60.0


class BrokerClient:
    """Talk to the broker of a state directory; each call has a connection of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def buy(self, call_id: str, url: str, max_price: str, **options: Unpack[BuyOptions]) -> dict[str, Any]:
        """Buy, or go on with the purchase of that call; return how it ended, as `Purchase.to_json` has it.

        Where no *strategy* is said it is counted for the one of the settings here, not for that of the broker.
        """
        strategy = options.get("strategy")
        sent: dict[str, Any] = {
            **options,
            "body": base64.b64encode(options.get("body", b"")).decode(),
            "headers": [list(pair) for pair in options.get("headers", ())],
            "strategy": self._settings.market.strategy if strategy is None else strategy,
        }
        return self._ask(op="buy", call_id=call_id, url=url, max_price=max_price, **sent)

    def balance(self) -> dict[str, Any]:
        """Return the address of the wallet and what it has."""
        return self._ask(op="balance")

    def status(self, call_id: str) -> dict[str, Any]:
        """Return how the purchase of a call stands; its status is "none" where there is none."""
        return self._ask(op="status", call_id=call_id)

    @property
    def is_open(self) -> bool:
        """Whether a broker answers."""
        try:
            lines, _ = connect(self._settings, timeout=5.0)
        except (MachineError, OSError):
            return False
        lines.close()
        return True

    def _ask(self, **asked: Any) -> dict[str, Any]:
        market = self._settings.market
        # All tries with a quote before and the same again afterwards, and waiting for another who buys the same.
        longest = (2 * market.tries + 1) * (market.timeout + 2**market.tries * market.try_delay) + market.takeover
        lines, _ = connect(self._settings, timeout=longest + _SPARE)
        try:
            lines.write(asked)
            said = lines.read()
        except OSError as error:
            raise MachineError(f"the broker was lost: {error}; nobody knows how it ended", fix=_look(asked)) from None
        finally:
            lines.close()
        if said is None:
            raise MachineError("the broker was lost; nobody knows how it ended", fix=_look(asked))
        if not said.pop("ok", False):
            raise _error_in(said, "")
        return said


def _error_in(said: dict[str, Any], otherwise: str) -> MayflyError:
    """Return the error that an answer of the broker tells of."""
    kind = _ERRORS.get(str(said.get("code")), MayflyError)
    return kind(str(said.get("message") or otherwise), fix=said.get("fix"))


def _look(asked: dict[str, Any]) -> str:
    return f"ask again with the same call id: {asked['call_id']}" if "call_id" in asked else "mayfly wallet open"


# Isolated from the environment and the user's own site: what it imports is what this process would import.
_CODE: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from mayfly.market._broker import main; main()"
# Decrypting a keystore takes a second, importing what signs two more; a busy machine many times that.
_LONGEST_START: Final = 120.0
# Seconds a broker has to end by itself; what it is paying is written down, and looked after when it is opened again.
_LONGEST_END: Final = 5.0


class BrokerProcess(Closing):
    """A broker that was started here: as a context manager it ends with the body, unless it lasts."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, pid: int) -> None:
        self._process = process
        self.address = address
        self.pid = pid

    def leave(self) -> None:
        """Let go of the pipes; a lasting broker goes on, and its starter is gone already."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End it, if it is a process of this one; a lasting one is ended by `close_broker`."""
        self.leave()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def open_broker(settings: Settings, password: str, *, lasting: bool = False) -> BrokerProcess:
    """Start a broker and wait until it answers; a *lasting* one stays when this process ends."""
    # An environment of its own, with nothing in it: what it needs is told over the pipe, and is in no /proc file.
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _CODE, json.dumps([path for path in sys.path if path])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told = {one.variable: str(one.value) for one in settings.show() if one.value != one.default}
    told["MAYFLY_STATE_DIR"] = str(settings.state.absolute())
    try:
        with contextlib.suppress(BrokenPipeError):
            line = json.dumps({"settings": told, "password": password, "lasting": lasting})
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], _LONGEST_START)
        said = json.loads(process.stdout.readline() or b"{}") if ready else {}
    except BaseException:
        process.kill()
        process.wait()
        raise
    if not said.get("ok"):
        BrokerProcess(process, "", process.pid).close()
        raise _error_in(said, "the broker did not start")
    started = BrokerProcess(process, str(said["address"]), int(said["pid"]))
    if lasting:
        started.leave()
        process.wait()
    return started


def close_broker(settings: Settings) -> int:
    """End the broker of a state directory, whoever started it, wait for its end and return its process id."""
    lines, peer = connect(settings, timeout=5.0)
    process = os.pidfd_open(peer.pid)
    try:
        lines.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, number)
            if select.select([process], [], [], _LONGEST_END)[0]:
                break
    finally:
        os.close(process)
    return peer.pid


# Of a payment a program is told what it may want to write down; the rest is in the ledger.
_TOLD = ("id", "state", "network", "asset", "units", "decimals", "transaction")


def purchase(settings: Settings, request: PurchaseRequest) -> PurchaseReply:
    """Answer a job that buys, or asks what it has or had."""
    if not Wallet(settings).exists:
        return _refused("there is no wallet here", "mayfly wallet init")
    client = BrokerClient(settings)
    # Asked before and not concluded from an error: who was lost in the middle may have bought.
    if not client.is_open:
        return _refused("the wallet is not open", "mayfly wallet open")
    try:
        return _asked(client, request)
    except (InputError, ConflictError) as error:
        return _refused(error.message, error.fix or "")
    except MayflyError as error:
        fix = f" ({error.fix})" if error.fix and request.op != "buy" else ""
        return PurchaseReply(status="unknown", reason=one_line(f"{error.message}{fix}"))


def _asked(client: BrokerClient, request: PurchaseRequest) -> PurchaseReply:
    if request.op == "balance":
        return PurchaseReply(status="ok", more=client.balance())
    if request.op == "status":
        return _told(client.status(request.call_id))
    return _told(
        client.buy(
            request.call_id,
            request.url,
            request.max_price,
            method=request.method,
            body=request.body,
            headers=[("content-type", _kind_of(request.body))] if request.body else (),
            agent=request.agent,
            run=request.run,
            tool=request.tool,
            strategy=request.strategy,
        )
    )


def _told(said: dict[str, Any]) -> PurchaseReply:
    answer, payment = said.get("answer"), said.get("payment")
    more: dict[str, object] = {"payment": {name: payment[name] for name in _TOLD}} if payment else {}
    if said.get("decision"):
        more["decision"] = said["decision"]
    return PurchaseReply(
        status=str(said["status"]),
        reason=str(said.get("reason", "")),
        answer=PurchaseAnswer(answer["status"], base64.b64decode(answer["body"])) if answer else None,
        more=more,
    )


def _refused(reason: str, fix: str) -> PurchaseReply:
    return PurchaseReply(status="refused", reason=one_line(f"{reason} ({fix})" if fix else reason))


def _kind_of(body: bytes) -> str:
    """Return what a body is sent as: a job sends text, mostly JSON, and says no more of it."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return "text/plain; charset=utf-8"
    return "application/json"
