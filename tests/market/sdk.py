"""What the x402 SDK has of each side, put together as its documentation does: server, facilitator and client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from fastapi import FastAPI, Request

from market.shops import PRICE, RELAY, served
from mayfly.testing.chain import LocalChain, RpcServer

GOODS = {"text": "poem about sea"}


@contextmanager
def sdk_facilitator(chain: LocalChain, rpc: RpcServer) -> Iterator[str]:
    """Serve the SDK's facilitator; what it raises is a 500, as with any application of FastAPI."""
    from x402 import x402Facilitator
    from x402.mechanisms.evm import FacilitatorWeb3Signer
    from x402.mechanisms.evm.exact import register_exact_evm_facilitator
    from x402.schemas import PaymentPayload, PaymentRequirements

    facilitator = x402Facilitator()
    register_exact_evm_facilitator(facilitator, FacilitatorWeb3Signer(RELAY.key.hex(), rpc.url), chain.network)
    app = FastAPI()

    @app.get("/supported")
    async def supported() -> Any:
        return facilitator.get_supported().model_dump(by_alias=True, exclude_none=True)

    async def said(act: Callable[..., Any], request: Request) -> Any:
        asked = await request.json()
        payload = PaymentPayload.model_validate(asked["paymentPayload"])
        requirements = PaymentRequirements.model_validate(asked["paymentRequirements"])
        return (await act(payload, requirements)).model_dump(by_alias=True, exclude_none=True)

    @app.post("/verify")
    async def verify(request: Request) -> Any:
        return await said(facilitator.verify, request)

    @app.post("/settle")
    async def settle(request: Request) -> Any:
        return await said(facilitator.settle, request)

    with served(app) as url:
        yield url


@contextmanager
def sdk_server(chain: LocalChain, facilitator: str, *, asset: str, payee: str) -> Iterator[str]:
    """Sell a poem behind the SDK's middleware, paid for in *asset* to *payee* as they are spelled."""
    from x402 import x402ResourceServer
    from x402.http import FacilitatorConfig, HTTPFacilitatorClient
    from x402.http.middleware.fastapi import payment_middleware
    from x402.mechanisms.evm.exact.register import register_exact_evm_server

    asked = HTTPFacilitatorClient(FacilitatorConfig(url=facilitator))
    server = x402ResourceServer(asked)
    register_exact_evm_server(server, chain.network)
    price = {"amount": str(PRICE), "asset": asset, "extra": {"name": "Test Dollar", "version": "2"}}
    terms = {"scheme": "exact", "payTo": payee, "price": price, "network": chain.network, "maxTimeoutSeconds": 300}

    @asynccontextmanager
    async def closing(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asked.aclose()

    app = FastAPI(lifespan=closing)
    app.middleware("http")(payment_middleware({"POST /tools/poem": {"accepts": terms}}, server))

    @app.post("/tools/poem")
    async def poem() -> dict[str, str]:
        return GOODS

    with served(app) as url:
        yield f"{url}/tools/poem"


def sdk_buys(url: str, payer: Any, arguments: object) -> tuple[int, Any, Any]:
    """Buy with the SDK's client; return the status, the answer and the receipt as the SDK reads it."""
    from x402 import x402Client
    from x402.http import x402HTTPClient
    from x402.http.clients.httpx import wrapHttpxWithPayment
    from x402.mechanisms.evm.exact.register import register_exact_evm_client

    async def go() -> tuple[int, Any, Any]:
        # Its own list of tokens does not have ours.
        client = register_exact_evm_client(x402Client(), payer).set_spend_controls(False)
        async with wrapHttpxWithPayment(client, timeout=30, trust_env=False) as http:
            got = await http.post(url, json=arguments)
        receipt = x402HTTPClient(client).get_payment_settle_response(lambda name: got.headers.get(name))
        return got.status_code, got.json(), receipt

    return asyncio.run(go())
