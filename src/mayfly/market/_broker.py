"""The broker: the one process that has the key. It buys for whoever may ask, and signs nothing else.

It is started with an empty environment and no inherited descriptor, is told settings and password over a pipe, decrypts
the key once, and cannot be looked into afterwards: not dumped, not traced, not read in /proc by its own user.
"""

from __future__ import annotations

import base64
import binascii
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mayfly.core import (
    InputError,
    MachineError,
    MayflyError,
    Settings,
    one_line,
    shown,
    with_checksums,
    without_secrets,
)
from mayfly.market._broker_wire import Lines, Peer, broker_socket, short_path
from mayfly.market._buyer import Buyer
from mayfly.market._chain_reader import ChainReader
from mayfly.market._decide import check_settings, decider
from mayfly.market._open_payments import reconcile
from mayfly.market._wallet import KeySigner, Wallet, reachable
from mayfly.store import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
# Connections at once: each is a thread, and a purchase is mostly waiting.
_MOST: Final = 64
# Seconds a connection may be silent between two questions.
_SILENT: Final = 300.0
_TEXTS: Final = ("call_id", "url", "max_price", "method", "body", "agent", "run", "tool", "strategy")


class Told(NamedTuple):
    """What a broker is told when it is started."""

    settings: Settings
    password: str
    lasting: bool


def main() -> None:
    """Run a broker as the process it was started to be: told over stdin, answering once on stdout."""
    harden()
    try:
        told = _told(sys.stdin.buffer.readline())
        if told.lasting and os.fork():
            # Whoever started it waits for this process, and is done with it.
            os._exit(0)
        broker = PurchaseBroker(told.settings, told.password)
        broker.listen()
    except MayflyError as error:
        _say(ok=False, code=error.code, message=error.message, fix=error.fix)
        sys.exit(error.exit_status)
    except OSError as error:
        # The store, the socket or the lock; none of them says anything of the key.
        _say(ok=False, code=MachineError.code, message=f"the broker did not start: {error}", fix="mayfly doctor")
        sys.exit(MachineError.exit_status)
    _say(ok=True, address=broker.address, pid=os.getpid())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: broker.stop())
    if not told.lasting:
        threading.Thread(target=_end_with_parent, args=(broker.stop,), daemon=True).start()
    broker.serve()


def harden() -> None:
    """Let nobody look into this process, and nothing be in it that it does not need."""
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_DUMPABLE, 0), (_PR_SET_NO_NEW_PRIVS, 1)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise MachineError("the process of the key cannot be closed to others")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.clear()
    os.umask(0o077)
    # Where it was started is nobody's to unmount or remove because of it.
    os.chdir("/")


class PurchaseBroker:
    """Serve purchases on the socket of one wallet."""

    def __init__(self, settings: Settings, password: str) -> None:
        check_settings(settings)
        self._settings = settings
        market = settings.market
        wallet = Wallet(settings)
        self._lock = _only_one(wallet.path.with_name("broker.lock"))
        signer = KeySigner(wallet.unlock(password), longest=market.longest_validity)
        self.address = signer.address
        self._ledger = Ledger.open(settings)
        self._reader = ChainReader(market.rpc_url, confirmations=market.confirmations, timeout=market.rpc_timeout)
        self._buyer = Buyer(self._ledger, signer, settings, decider(settings, self._ledger), self._reader)
        # Nobody else buys with this wallet: what a broker that died had set aside is given back before the first one.
        reconcile(self._buyer.open, states=("reserved",))
        self._stopped = threading.Event()
        self._room = threading.BoundedSemaphore(_MOST)
        self._path = broker_socket(settings)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def listen(self) -> None:
        """Open the socket; one that a dead broker left is removed."""
        self._path.unlink(missing_ok=True)
        with short_path(self._path) as short:
            self._server.bind(short)
        self._path.chmod(0o600)
        self._server.listen(_MOST)

    def serve(self) -> None:
        """Answer until it is stopped, and look after open payments meanwhile."""
        threading.Thread(target=self._look_after, daemon=True, name="reconcile").start()
        while not self._stopped.is_set():
            try:
                connection, _ = self._server.accept()
            except OSError:
                # The socket was shut because somebody said stop.
                break
            self._room.acquire()
            threading.Thread(target=self._answer, args=(connection,), daemon=True, name="purchase").start()
        self._path.unlink(missing_ok=True)

    def stop(self) -> None:
        """End serving; a purchase that is under way is left to reconcile, as after any crash."""
        self._stopped.set()
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It was not listening, or is shut already.
            pass
        self._server.close()

    def _look_after(self) -> None:
        # Those that move are left alone, since somebody is at them; only at first nobody can be.
        idle = 0.0
        while not self._stopped.is_set():
            try:
                reconcile(self._buyer.open, states=("sent", "unknown", "settled"), idle=idle)
            except MayflyError:
                # The store is away; what is open is looked at next time.
                pass
            idle = 2 * self._settings.market.timeout
            self._stopped.wait(self._settings.market.reconcile)

    def _answer(self, connection: socket.socket) -> None:
        lines = Lines(connection)
        try:
            connection.settimeout(_SILENT)
            if not Peer(connection).is_ours:
                return
            while (asked := lines.read()) is not None:
                lines.write(self._one(asked))
        except (OSError, InputError):
            # The other end is gone, or speaks another language.
            pass
        finally:
            lines.close()
            self._room.release()

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            op = asked.pop("op", None)
            if not isinstance(op, str) or op not in _OPERATIONS:
                raise InputError(f"the broker does not know {shown(op, 40)}", fix="it knows buy, balance and status")
            return {"ok": True, **_OPERATIONS[op](self, asked)}
        except MayflyError as error:
            said = one_line(without_secrets(error.message))
            return {"ok": False, "code": error.code, "message": said, "fix": error.fix}
        except Exception as error:
            # Whatever it is, no more of it leaves than its name: this process has a key.
            return {"ok": False, "code": "BROKER", "message": f"unexpected {type(error).__name__}", "fix": None}

    def _buy(self, asked: dict[str, Any]) -> dict[str, Any]:
        headers = asked.pop("headers", [])
        texts = _texts(asked, _TEXTS)
        try:
            body = base64.b64decode(texts.pop("body", ""), validate=True)
        except (binascii.Error, ValueError):
            raise InputError("body is not base64") from None
        if not isinstance(headers, list) or not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair) for pair in headers
        ):
            raise InputError("headers is no list of pairs of texts")
        call, url, price = (texts.pop(name, "") for name in ("call_id", "url", "max_price"))
        pairs = [(name, value) for name, value in headers]
        return self._buyer.buy(call, url, price, body=body, headers=pairs, **texts).to_json()

    def _balance(self, asked: dict[str, Any]) -> dict[str, Any]:
        _texts(asked, ())
        market = self._settings.market
        about = {"network": market.network, "asset": with_checksums(market.asset), "decimals": market.asset_decimals}
        return {"address": self.address, "units": str(self._buyer.balance()), **about}

    def _status(self, asked: dict[str, Any]) -> dict[str, Any]:
        found = self._buyer.status(_texts(asked, ("call_id",)).get("call_id", ""))
        return {"status": "none", "payment": None, "answer": None, "reason": ""} if found is None else found.to_json()


_OPERATIONS: Final[dict[str, Callable[[PurchaseBroker, dict[str, Any]], dict[str, Any]]]] = {
    "buy": PurchaseBroker._buy,
    "balance": PurchaseBroker._balance,
    "status": PurchaseBroker._status,
}


def _texts(asked: dict[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    for name, value in asked.items():
        if name not in names or not isinstance(value, str):
            raise InputError(f"the broker does not take {shown(name, 40)}, or not like that")
    return asked


def _only_one(path: Path) -> int:
    """Hold the lock of the wallet for as long as this process lives."""
    with reachable(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # It may have been made by somebody with another umask.
        path.parent.chmod(0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise MachineError("the wallet is open already", fix="mayfly wallet close") from None
    return descriptor


def _told(line: bytes) -> Told:
    try:
        value = json.loads(line)
        settings = Settings.load(environ=value["settings"], directory=Path("/nonexistent"))
        return Told(settings, str(value["password"]), bool(value["lasting"]))
    except (ValueError, KeyError, TypeError):
        raise InputError("a broker is started by `mayfly wallet open`") from None


def _say(**said: Any) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def _end_with_parent(stop: Callable[[], None]) -> None:
    """Wait until whoever started this process closes the pipe, or dies."""
    sys.stdin.buffer.read()
    stop()
