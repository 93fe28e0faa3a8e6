"""One process that sells the same tool three ways: free, behind x402's own middleware, and by our seller.

It is told everything in one line of JSON on stdin, and says its address in one on stdout.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request

from mayfly.core import Settings
from mayfly.library import ToolOutcome
from mayfly.market.seller import make_offer, open_seller, shop_app
from mayfly.runtime import Runtime
from mayfly.serve._socket import address_of, listen

PRICE = "0.01"
UNITS = "10000"


def main() -> None:
    """Serve until the pipe is closed."""
    told = json.loads(sys.stdin.readline())
    settings = Settings.load(environ=told["settings"], directory=Path("/nonexistent"))
    with Runtime(settings) as runtime:

        def call(name: str, version: int, arguments: Mapping[str, Any], key: str) -> ToolOutcome:
            return runtime.tools.call(name, dict(arguments), version=version, key=key)

        capability = runtime.tools.capability("roman")
        assert capability is not None
        offer = make_offer(settings, capability, PRICE)
        shop = shop_app(open_seller(settings, runtime.parts.ledger, call), [offer])
        plain = sdk_app(told, lambda arguments: runtime.tools.call("roman", arguments).value)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            ours = scope["type"] == "http" and scope["path"].startswith("/tools/")
            await (shop if ours else plain)(scope, receive, send)

        with listen("127.0.0.1", 0) as bound:
            print(json.dumps({"url": address_of(bound), "pid": os.getpid()}), flush=True)
            config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")
            uvicorn.Server(config).run(sockets=[bound])


def sdk_app(told: Mapping[str, Any], call: Any) -> FastAPI:
    """Return the tool as the SDK's documentation has it: middleware, resource server and facilitator of its own."""
    from x402 import x402Facilitator, x402ResourceServer
    from x402.http.middleware.fastapi import payment_middleware
    from x402.mechanisms.evm import FacilitatorWeb3Signer
    from x402.mechanisms.evm.exact import register_exact_evm_facilitator, register_exact_evm_server

    facilitator = x402Facilitator()
    register_exact_evm_facilitator(facilitator, FacilitatorWeb3Signer(told["key"], told["rpc"]), told["network"])
    server: Any = register_exact_evm_server(x402ResourceServer(facilitator))
    price = {"asset": told["asset"], "amount": UNITS, "extra": {"name": "Test Dollar", "version": "2"}}
    way = {"scheme": "exact", "network": told["network"], "payTo": told["payee"], "price": price}
    app = FastAPI()
    app.middleware("http")(payment_middleware({"POST /sdk/roman": {"accepts": way}}, server))

    @app.post("/sdk/roman")
    @app.post("/free/roman")
    async def roman(request: Request) -> int:
        found: int = await asyncio.to_thread(call, await request.json())
        return found

    return app


if __name__ == "__main__":
    main()
