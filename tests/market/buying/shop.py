"""A shop on loopback that sells an answer for a token, honest unless it is told to be something else."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mayfly.testing.chain import LocalChain

PAYEE = "0x" + "5e" * 20
PRICE = 10_000
Reply = tuple[int, dict[str, str], bytes]


def encoded(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


class Shop:
    """Sell whatever is asked for; *paid* has every payment that came, *charged* how often it settled."""

    def __init__(self, chain: LocalChain) -> None:
        self.chain = chain
        self.version = 2
        self.paid: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.asked = 0
        self.requirement: dict[str, Any] = {}
        self.resource: str | None = None
        self.before_settling: Callable[[], Reply | None] = lambda: None
        self.after_settling: Callable[[], Reply | None] = lambda: None
        self.quote: Callable[[str], Reply] | None = None
        self.answers: dict[str, Reply] = {}
        self.lock = threading.Lock()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                shop._serve(self)

            do_GET = do_POST

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def open(self) -> Iterator[Shop]:
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def offer(self, url: str) -> dict[str, Any]:
        shared = {
            "scheme": "exact",
            "network": self.chain.network,
            "asset": self.chain.asset,
            "payTo": PAYEE,
            "maxTimeoutSeconds": 60,
            "extra": {"name": "Test Dollar", "version": "2"},
        }
        if self.version == 1:
            way = {**shared, "maxAmountRequired": str(PRICE), "resource": self.resource or url, **self.requirement}
            return {"x402Version": 1, "accepts": [way], "error": "payment required"}
        way = {**shared, "amount": str(PRICE), **self.requirement}
        return {"x402Version": 2, "accepts": [way], "resource": {"url": self.resource or url}}

    def required(self, url: str) -> Reply:
        if self.version == 1:
            return 402, {"content-type": "application/json"}, json.dumps(self.offer(url)).encode()
        return 402, {"PAYMENT-REQUIRED": encoded(self.offer(url))}, b"{}"

    def settle(self, payload: dict[str, Any]) -> str:
        one = payload["payload"]["authorization"]
        signature = bytes.fromhex(payload["payload"]["signature"][2:])
        function = self.chain.token.get_function_by_signature(
            "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
        )
        checksum = self.chain._web3.to_checksum_address
        call = function(
            checksum(one["from"]),
            checksum(one["to"]),
            int(one["value"]),
            int(one["validAfter"]),
            int(one["validBefore"]),
            bytes.fromhex(one["nonce"][2:]),
            signature,
        )
        with self.chain.lock:
            sent = bytes(call.transact({"from": self.chain._bank, "gas": 1_000_000}))
        return "0x" + sent.hex()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        body = handler.rfile.read(length)
        url = f"{self.base}{handler.path}"
        header = handler.headers.get("PAYMENT-SIGNATURE") or handler.headers.get("X-PAYMENT")
        if header is None:
            self.asked += 1
            status, headers, data = self.quote(url) if self.quote else self.required(url)
        else:
            with self.lock:
                self.headers.append(header)
                status, headers, data = self._sell(header, body)
        if status == 0:
            handler.close_connection = True
            handler.connection.close()
            return
        try:
            handler.send_response(status)
            for name, value in {"content-length": str(len(data)), **headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass

    def _sell(self, header: str, body: bytes) -> Reply:
        payload = json.loads(base64.b64decode(header))
        self.paid.append(payload)
        nonce = payload["payload"]["authorization"]["nonce"]
        early = self.before_settling()
        if early is not None:
            return early
        if nonce not in self.answers:
            try:
                transaction = self.settle(payload)
            except Exception as error:
                return 402, {}, str(error).encode()
            receipt = encoded({"success": True, "transaction": transaction, "network": self.chain.network})
            name = "PAYMENT-RESPONSE" if self.version == 2 else "X-PAYMENT-RESPONSE"
            self.answers[nonce] = 200, {name: receipt}, b"sold: " + body
        late = self.after_settling()
        return late if late is not None else self.answers[nonce]
