"""A shop on the real chain for tests: a seller with a store of its own, a facilitator with faults, and who pays."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse

from market.seller.child import Done
from mayfly.core import Settings
from mayfly.market._asgi import Message, Receive, Scope, Send, ShopApp, ShopReply
from mayfly.market._chain_reader import ChainReader
from mayfly.market._requirements import PaymentOffer
from mayfly.market.facilitator import Facilitator, SelfFacilitator
from mayfly.market.seller import Seller, SellerLimits, SignedPayment
from mayfly.market.seller._payment import parse_payment
from mayfly.store import Ledger, SaleList, SaleRow
from mayfly.testing.chain import DOLLAR, Authorization, LocalChain, RpcServer, account

# For what a database has to hold: the test runs on each of them.
on_both = pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
PAYER, PAYEE, RELAY, STRANGER = account(11), account(12), account(13), account(14)
PRICE = 10_000
URL = "http://shop.example/tools/double"
# Nothing waits in tests: the chain of the tests has every transaction at once.
QUICK = SellerLimits(lease=60, patience=5, settle=0, poll=0.01)


@dataclass
class Counting:
    """A handler that doubles a number and counts how often it ran."""

    runs: list[str] = field(default_factory=list)
    before: Callable[[], object] = lambda: None

    def __call__(self, tool: str, version: int, arguments: Mapping[str, Any], key: str) -> Done:
        self.runs.append(key)
        self.before()
        if arguments["number"] == 13:
            return Done(ok=False, error="thirteen is not doubled")
        return Done(ok=True, value=2 * arguments["number"])


@dataclass(kw_only=True)
class Shop:
    """All that one sale needs."""

    chain: LocalChain
    rpc: RpcServer
    ledger: Ledger
    offer: PaymentOffer
    reader: ChainReader
    facilitator: Facilitator
    handler: Counting
    seller: Seller

    def sells(self, **changes: Any) -> Seller:
        """Return another process's seller over the same store: other limits, facilitator, reader or clock."""
        given = {"limits": QUICK, "facilitator": self.facilitator, "reader": self.reader, **changes}
        handler = given.pop("handler", self.handler)
        return Seller(self.ledger, handler, given.pop("facilitator"), given.pop("reader"), **given)

    def buy(self, payment: SignedPayment | None, number: int = 21, seller: Seller | None = None) -> ShopReply:
        return (seller or self.seller).sell(self.offer, URL, {"number": number}, payment)

    def pay(self, *, signer: Any = PAYER, domain: Mapping[str, Any] | None = None, **changes: Any) -> SignedPayment:
        """Return a payment for the offer; *changes* are to what is signed."""
        return parse_payment(self.payload(signer=signer, domain=domain, **changes))

    def payload(
        self,
        *,
        signer: Any = PAYER,
        domain: Mapping[str, Any] | None = None,
        requirement: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> dict[str, Any]:
        now = max(int(time.time()), self.chain.now)
        whole = Authorization(PAYER.address, PAYEE.address, PRICE, 0, now + 300, secrets.token_bytes(32))
        it = whole._replace(**changes)
        return {
            "x402Version": 2,
            "accepted": dict(requirement or self.offer.requirement),
            "resource": {"url": URL},
            "payload": {
                "signature": "0x" + self.chain.sign(it, signer, **(domain or {})).hex(),
                "authorization": {
                    "from": it.payer,
                    "to": it.payee,
                    "value": str(it.units),
                    "validAfter": str(it.valid_after),
                    "validBefore": str(it.valid_before),
                    "nonce": "0x" + it.nonce.hex(),
                },
            },
        }

    def sales(self) -> list[SaleRow]:
        return [*SaleList(self.ledger).each()]

    @property
    def earned(self) -> int:
        return self.chain.balance(PAYEE.address)

    def balances(self) -> tuple[int, int]:
        """Return what payer and payee have; nothing of it is ever anywhere else."""
        payer, payee = self.chain.balance(PAYER.address), self.chain.balance(PAYEE.address)
        assert payer + payee == DOLLAR
        return payer, payee


@contextmanager
def open_shop(chain: LocalChain, rpc: RpcServer, settings: Settings) -> Iterator[Shop]:
    chain.fund(PAYER.address, units=DOLLAR)
    chain.fund(RELAY.address)
    reader = ChainReader(rpc.url, confirmations=0)
    facilitator = own_facilitator(chain, rpc)
    offer = PaymentOffer(
        tool="double",
        version=1,
        units=PRICE,
        network=chain.network,
        asset=chain.asset,
        payee=PAYEE.address,
        token_name="Test Dollar",
        token_version="2",
        description="Double a number.",
        input_schema={"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
        output_schema={"type": "integer"},
    )
    handler = Counting()
    with Ledger.open(settings) as ledger:
        seller = Seller(ledger, handler, facilitator, reader, limits=QUICK)
        yield Shop(
            chain=chain,
            rpc=rpc,
            ledger=ledger,
            offer=offer,
            reader=reader,
            facilitator=facilitator,
            handler=handler,
            seller=seller,
        )


def own_facilitator(chain: LocalChain, rpc: RpcServer) -> SelfFacilitator:
    return SelfFacilitator(
        rpc_url=rpc.url,
        key=RELAY.key.hex(),
        network=chain.network,
        assets=[chain.asset],
        reader=ChainReader(rpc.url, confirmations=0),
        seconds=5,
    )


class Faults:
    """A facilitator's HTTP side with what goes wrong there: *mode* says what happens to settlements, or to all."""

    def __init__(self, app: ShopApp) -> None:
        self._app = app
        self.mode = ""
        self.settled = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        settling = scope["path"] == "/settle"
        if self.mode == "down" or (self.mode == "down at settlement" and settling):
            await _say(send, 503, b"down")
            return
        if not settling:
            await self._app(scope, receive, send)
            return
        body = await _whole(receive)
        if self.mode == "lies":
            said = {"success": True, "transaction": "0x" + "ab" * 32, "network": "eip155:1"}
            await _say(send, 200, json.dumps(said).encode())
            return
        if self.mode == "garbage":
            await _say(send, 200, b"[1, 2")
            return
        for _ in range(2 if self.mode == "twice" else 1):
            self.settled += 1
            said_by_app = await _caught(self._app, scope, body)
        if self.mode == "504":
            await _say(send, 504, b"gateway timeout")
        elif self.mode == "slow":
            import asyncio

            await asyncio.sleep(1.0)
            await _say(send, *said_by_app)
        else:
            await _say(send, *said_by_app)


async def _whole(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body


async def _caught(app: ShopApp, scope: Scope, body: bytes) -> tuple[int, bytes]:
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)

    await app(scope, receive, send)
    return int(said[0]["status"]), bytes(said[1]["body"])


async def _say(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application on a port of loopback while the body runs."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="auto"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def facilitator_app(facilitator: Facilitator, *, network: str) -> ShopApp:
    """Serve a facilitator of ours as x402 describes it: /supported, /verify and /settle."""
    app = FastAPI()

    @app.get("/supported")
    def supported() -> Response:
        return JSONResponse(
            {"kinds": [{"x402Version": 2, "scheme": "exact", "network": network}], "extensions": [], "signers": {}}
        )

    @app.post("/verify")
    def verify(asked: dict[str, Any]) -> Response:
        said = facilitator.verify(asked["paymentPayload"], asked["paymentRequirements"])
        about = {"isValid": said.status == "valid", "invalidReason": said.reason or None}
        return JSONResponse(about, status_code=503 if said.status == "unknown" else 200)

    @app.post("/settle")
    def settle(asked: dict[str, Any]) -> Response:
        said = facilitator.settle(asked["paymentPayload"], asked["paymentRequirements"])
        lost = said.status == "unknown" and not said.transaction
        about = {"success": said.status == "settled", "transaction": said.transaction, "network": network}
        return JSONResponse({**about, "errorReason": said.reason or None}, status_code=503 if lost else 200)

    return app


@contextmanager
def faulty_facilitator(chain: LocalChain, rpc: RpcServer) -> Iterator[tuple[Faults, str]]:
    faults = Faults(facilitator_app(own_facilitator(chain, rpc), network=chain.network))
    with served(faults) as url:
        yield faults, url


def said(reply: ShopReply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.body)
    return found


def in_header(reply: ShopReply, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(reply.headers[name]))
    return found
