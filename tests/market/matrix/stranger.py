"""A shop of a stranger: any terms, any behaviour; and what a raw buyer sends to ours."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any

import httpx

from market.matrix.doors import Asked, Door, Told
from market.matrix.parties import NOWHERE, PRICE, SLOW, Till, decoded, encoded
from mayfly.testing.chain import Authorization, LocalChain, account

# The order of the curve: with s and n - s the same message is signed twice.
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GOODS = json.dumps({"text": "poem about sea"}).encode()


class Stranger:
    """Sells a poem, or says so."""

    def __init__(self, chain: LocalChain, payee: str) -> None:
        self._chain, self._payee = chain, payee
        self.till = Till(chain)
        self.door = Door(self._answer)
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.terms: dict[str, Any] = {}
        self.raw: dict[str, Any] = {}
        self.version, self.how, self.paid = 2, "take", 0
        self.late: list[Any] = []
        self.nonces: set[str] = set()
        self.other = NOWHERE

    def _answer(self, asked: Asked) -> Told | None:
        if asked.payment:
            return self._take(asked)
        if self.how == "free":
            return Told(200, {}, GOODS)
        if "status" in self.raw:
            headers = {"PAYMENT-REQUIRED": self.raw["header"]} if "header" in self.raw else {}
            return Told(int(self.raw["status"]), headers, str(self.raw.get("body", "")).encode())
        return self._offer(asked)

    def _offer(self, asked: Asked) -> Told:
        url = self.terms.get("url", self.door.url + asked.path)
        one: dict[str, Any] = {
            "scheme": "exact",
            "network": self._chain.network,
            "asset": self._chain.asset,
            "amount": str(PRICE),
            "payTo": self._payee,
            "maxTimeoutSeconds": 300,
            "extra": {"name": "Test Dollar", "version": "2"},
        }
        one.update({name: value for name, value in self.terms.items() if name not in ("url", "also")})
        if self.version == 1:
            one["maxAmountRequired"] = one.pop("amount")
            one |= {"resource": url, "description": "a poem", "mimeType": "application/json"}
            body = {"x402Version": 1, "error": "pay", "accepts": [one]}
            return Told(402, {"content-type": "application/json"}, json.dumps(body).encode())
        accepts = [*self.terms.get("also", []), one]
        resource = {"url": url, "description": "a poem", "mimeType": "application/json"}
        offer = {"x402Version": 2, "error": "pay", "resource": resource, "accepts": accepts}
        return Told(402, {"PAYMENT-REQUIRED": encoded(offer)}, b"{}")

    def _take(self, asked: Asked) -> Told | None:
        self.paid += 1
        payload = decoded(asked.payment)
        self.nonces.add(payload["payload"]["authorization"]["nonce"])
        how = self.how
        if how == "refuse":
            return self._offer(asked)
        if how == "dearer":
            self.terms["amount"] = str(PRICE * 5)
            return self._offer(asked)
        if how == "late":
            self.late.append(payload)
            return Told(504, {}, b"")
        if how == "redirect":
            return Told(307, {"location": self.door.url + "/elsewhere"}, b"")
        if how in ("give", "giveother"):
            return self._goods(NOWHERE if how == "give" else self.other)
        try:
            transaction = self.till.take(payload)
        except RuntimeError:
            # Whoever has been paid before and keeps no books.
            transaction = NOWHERE
        return self._after(how, asked, transaction)

    def _after(self, how: str, asked: Asked, transaction: str) -> Told | None:
        if how == "takedrop":
            return None
        if how == "takeslow":
            time.sleep(SLOW)
        if how.isdigit():
            return Told(int(how), {}, b"no")
        if how == "take402":
            return self._offer(asked)
        if how == "takehuge":
            return Told(200, {}, b"x" * 200_000)
        return self._goods(transaction)

    def _goods(self, transaction: str) -> Told:
        receipt = {"success": True, "transaction": transaction, "network": self._chain.network, "payer": ""}
        name = "X-PAYMENT-RESPONSE" if self.version == 1 else "PAYMENT-RESPONSE"
        return Told(200, {name: encoded(receipt), "content-type": "application/json"}, GOODS)


class RawBuyer:
    """Signs whatever a case says and sends it to our shop."""

    def __init__(self, chain: LocalChain, url: str) -> None:
        self._chain, self._url = chain, url
        self.last: dict[str, Any] = {}
        self.version, self.payer = 2, 0

    def payment(self, say: Mapping[str, str], *, payer: int, payee: str) -> dict[str, Any]:
        """Return a payment; what *say* says of it is otherwise than it ought to be."""
        offer = self._quote(say.get("tool", "poem"), int(say.get("version", "2")))
        # An hour before: a chain on which nothing happens is behind, for its clock is that of its newest block.
        now, key = int(time.time()), account(int(say.get("payer", payer)))
        asked = offer["accepts"][0]
        it = Authorization(
            key.address,
            say.get("payee", payee),
            int(say.get("units", PRICE)),
            now + int(say.get("after", "-3600")),
            now + int(say.get("before", "250")),
            bytes.fromhex(say["nonce"]) if "nonce" in say else secrets.token_bytes(32),
        )
        domain: dict[str, Any] = {}
        if "chain" in say:
            domain["chainId"] = int(say["chain"])
        if "token" in say:
            domain["verifyingContract"] = say["token"]
        signer = account(int(say["signer"])) if "signer" in say else key
        signature = _twisted(self._chain.sign(it, signer, **domain), say.get("signature", ""))
        inner = {
            "signature": "0x" + signature.hex(),
            "authorization": {
                "from": it.payer,
                "to": it.payee,
                "value": say.get("value", str(it.units)),
                "validAfter": str(it.valid_after),
                "validBefore": str(it.valid_before),
                "nonce": say.get("written_nonce", "0x" + it.nonce.hex()),
            },
        }
        asked = {**asked, **{name: say[f"accepted_{name}"] for name in _ACCEPTED if f"accepted_{name}" in say}}
        if say.get("version") == "1":
            return {"x402Version": 1, "scheme": "exact", "network": asked["network"], "payload": inner}
        return {"x402Version": 2, "payload": inner, "accepted": asked, "resource": offer["resource"]}

    def _quote(self, tool: str, version: int) -> dict[str, Any]:
        got = self.send({}, tool=tool)
        offer: dict[str, Any] = got.json() if version == 1 else decoded(got.headers["payment-required"])
        return offer

    def send(
        self, payment: Mapping[str, Any] | str, *, tool: str = "poem", body: str = '{"about": "sea"}'
    ) -> httpx.Response:
        """Send a request, with a payment where there is one."""
        headers = {"content-type": "application/json"}
        if isinstance(payment, str):
            headers["PAYMENT-SIGNATURE"] = payment
        elif payment:
            headers["X-PAYMENT" if payment["x402Version"] == 1 else "PAYMENT-SIGNATURE"] = encoded(payment)
        with httpx.Client(timeout=30, trust_env=False) as client:
            return client.post(f"{self._url}/tools/{tool}", headers=headers, content=body)


_ACCEPTED = ("amount", "asset", "network", "scheme", "payTo", "maxTimeoutSeconds")


def _twisted(signature: bytes, how: str) -> bytes:
    if how == "random":
        return secrets.token_bytes(64) + b"\x1b"
    if how == "other-s":
        s = _ORDER - int.from_bytes(signature[32:64], "big")
        return signature[:32] + s.to_bytes(32, "big") + bytes([55 - signature[64]])
    if how == "short":
        return signature[:40]
    return signature


def twisted_again(payment: dict[str, Any]) -> dict[str, Any]:
    """Return the same payment with the other signature that its key has for it."""
    inner = payment["payload"]
    made = _twisted(bytes.fromhex(inner["signature"][2:]), "other-s")
    return {**payment, "payload": {**inner, "signature": "0x" + made.hex()}}


def sdk_buys(url: str, payer: int, body: str) -> int:
    """Buy with the client of the x402 SDK, and return the status."""
    from x402 import x402Client
    from x402.http.clients.httpx import wrapHttpxWithPayment
    from x402.mechanisms.evm.exact.register import register_exact_evm_client

    async def go() -> int:
        client = register_exact_evm_client(x402Client(), account(payer))
        # Its own list of tokens does not have ours.
        client.set_spend_controls(False)
        async with wrapHttpxWithPayment(client, timeout=30, trust_env=False) as http:
            got = await http.post(url, content=body, headers={"content-type": "application/json"})
            return int(got.status_code)

    return asyncio.run(go())


class SdkShop:
    """A seller made of the x402 SDK and FastAPI as its documentation has it."""

    def __init__(self, chain: LocalChain, payee: str, facilitator: str) -> None:
        import uvicorn
        from fastapi import FastAPI
        from x402 import x402ResourceServer
        from x402.http import FacilitatorConfig, HTTPFacilitatorClient
        from x402.http.middleware.fastapi import payment_middleware
        from x402.mechanisms.evm.exact.register import register_exact_evm_server

        self.runs = 0
        app = FastAPI()
        server = register_exact_evm_server(
            x402ResourceServer(HTTPFacilitatorClient(FacilitatorConfig(url=facilitator))), chain.network
        )
        price = {"amount": str(PRICE), "asset": chain.asset, "extra": {"name": "Test Dollar", "version": "2"}}
        terms = {"scheme": "exact", "payTo": payee, "price": price, "network": chain.network, "maxTimeoutSeconds": 300}
        guard = payment_middleware({"POST /tools/poem": {"accepts": terms}}, server)
        app.middleware("http")(guard)

        @app.post("/tools/poem")
        async def poem(asked: dict[str, str]) -> dict[str, str]:
            self.runs += 1
            return {"text": f"poem about {asked['about']}"}

        self._server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    def close(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join(5)
