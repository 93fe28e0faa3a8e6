"""JSON-RPC over HTTP on loopback, with the faults that a node has: it is down, slow, or loses an answer."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Ask = Callable[[str, list[Any]], dict[str, Any]]
# What a request of JSON-RPC may have; the largest is a signed transaction.
_LARGEST = 1_000_000
# Fields of eight bytes times 32 that are no numbers.
_BLOOM = 512
_REVERTED = "execution reverted: "
# The first four bytes of the hash of `Error(string)`, with which a contract says why.
_ERROR = "0x08c379a0"


@dataclass(frozen=True, kw_only=True)
class RpcFault:
    """What goes wrong with requests whose method begins with *method*.

    *before* nothing was done: the node is down. Otherwise the request is carried out and its answer is lost.
    """

    method: str = ""
    before: bool = True
    seconds: float = 0.0


class _Patient(ThreadingHTTPServer):
    """Says nothing of those who go away while they are answered: tests kill them."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong on this side only."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class RpcServer:
    """A node's HTTP side."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._faults: list[RpcFault] = []
        self.asked: list[str] = []
        """The methods that were asked for, in their order."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body leave together: in two pieces the second waits 40 ms for the first one's acknowledgement.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                """Answer one request or a list of them."""
                server._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: the tests have their own output."""

        self._http = _Patient(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True, name="chain-rpc")

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @contextmanager
    def failing(self, fault: RpcFault) -> Iterator[None]:
        """Let requests fail while the body runs."""
        self._faults.append(fault)
        try:
            yield
        finally:
            self._faults.remove(fault)

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        if length > _LARGEST:
            handler.send_error(413)
            return
        body = handler.rfile.read(length)
        if len(body) < length:
            # Who asked was killed in the middle of it.
            return
        asked = json.loads(body)
        method = (asked[0] if isinstance(asked, list) else asked)["method"]
        fault = next((one for one in self._faults if method.startswith(one.method)), None)
        if fault is not None:
            time.sleep(fault.seconds)
            if fault.before:
                handler.close_connection = True
                handler.send_error(503)
                return
        answer = [self._one(one) for one in asked] if isinstance(asked, list) else self._one(asked)
        if fault is not None and not fault.before:
            handler.close_connection = True
            handler.connection.close()
            return
        told = json.dumps(answer).encode()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(told)))
        handler.end_headers()
        handler.wfile.write(told)

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(asked["method"])
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked.get("id")}
        try:
            found = self._ask(asked["method"], [_plain(one) for one in asked.get("params") or []])
        except Exception as error:
            # A node says what was wrong with a transaction in such an answer, whatever raised it here.
            return {**answer, "error": _fault(str(error))}
        if "error" in found:
            said = found["error"]
            return {**answer, "error": said if isinstance(said, dict) else {"code": -32000, "message": str(said)}}
        return {**answer, "result": _in_hex(found.get("result"))}


def _fault(message: str) -> dict[str, Any]:
    """Return an error as nodes have it: what a contract said stands in the message and, encoded, in the data."""
    said = message.removeprefix(_REVERTED)
    if said == message:
        return {"code": -32000, "message": message}
    text = said.encode()
    padded = text.ljust(-(-len(text) // 32) * 32, b"\0")
    words = [(32).to_bytes(32, "big"), len(text).to_bytes(32, "big"), padded]
    return {"code": 3, "message": message, "data": _ERROR + b"".join(words).hex()}


def _plain(value: Any) -> Any:
    """Return numbers of blocks as numbers, which the chain wants; data and addresses stay texts."""
    if isinstance(value, dict):
        numbers = ("fromBlock", "toBlock", "value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce")
        return {key: _number(one) if key in numbers else one for key, one in value.items()}
    # The longest number of a block has fewer digits than the shortest address.
    return _number(value) if isinstance(value, str) and value.startswith("0x") and len(value) < 20 else value


def _number(value: Any) -> Any:
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def _in_hex(value: Any, name: str = "") -> Any:
    """Return a result as JSON-RPC has it: numbers and bytes in hexadecimal."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"0x{value:0{_BLOOM}x}" if name == "logsBloom" else hex(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, dict):
        return {key: _in_hex(one, key) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_in_hex(one) for one in value]
    return str(value)
