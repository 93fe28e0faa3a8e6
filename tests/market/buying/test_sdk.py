"""Our buyer and our seller with the server, the facilitator and the client of the x402 SDK, settled on a real chain."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from market.buying.conftest import World
from market.sdk import GOODS, sdk_buys, sdk_facilitator, sdk_server
from market.shops import PAYEE, PAYER, PRICE, RELAY, Shop, facilitator_app, open_shop, own_facilitator, served
from mayfly.core import Settings
from mayfly.market.facilitator import Facilitator, FacilitatorClient
from mayfly.market.seller import shop_app
from mayfly.testing.chain import DOLLAR, LocalChain, RpcServer, account

Spelled = Callable[[str], str]


@contextmanager
def own_over_http(chain: LocalChain, rpc: RpcServer) -> Iterator[str]:
    with served(facilitator_app(own_facilitator(chain, rpc), network=chain.network)) as url:
        yield url


FACILITATORS = {"theirs": sdk_facilitator, "ours": own_over_http}
# As EIP-55 has it, and as many have it in their settings.
SPELLINGS: dict[str, Spelled] = {"checksum": str, "small": str.lower}


@pytest.fixture
def facilitator(request: pytest.FixtureRequest, chain: LocalChain, rpc: RpcServer) -> Iterator[str]:
    """Yield the address of a facilitator, whose key pays for gas."""
    chain.fund(RELAY.address)
    with FACILITATORS[request.param](chain, rpc) as url:
        yield url


@pytest.fixture
def ours(chain: LocalChain, rpc: RpcServer, tmp_path: Path) -> Iterator[Shop]:
    """Yield our seller over a store of its own."""
    with open_shop(chain, rpc, Settings(state_dir=str(tmp_path / "shop"))) as opened:
        yield opened


both = pytest.mark.parametrize("facilitator", FACILITATORS, indirect=True)


@both
@pytest.mark.parametrize("spelled", SPELLINGS)
def test_our_buyer_buys_from_the_server_of_the_sdk(
    world: World, chain: LocalChain, facilitator: str, spelled: str
) -> None:
    def as_spelled(address: str) -> str:
        return SPELLINGS[spelled](address)

    with sdk_server(chain, facilitator, asset=as_spelled(chain.asset), payee=as_spelled(PAYEE.address)) as url:
        done = world.buyer().buy("call-1", url, "0.01", body=b"{}")
    assert (done.status, done.reason) == ("delivered", "")
    assert done.answer is not None
    assert json.loads(done.answer.body) == GOODS
    assert chain.balance(PAYEE.address) == PRICE
    told: Any = done.to_json()["payment"]
    assert (told["payer"], told["payee"], told["asset"]) == (world.address, PAYEE.address, chain.asset)
    assert chain.transfers()[-1] == (world.address, PAYEE.address, PRICE)


def at(facilitator: str) -> Facilitator:
    return FacilitatorClient(facilitator, timeout=30)


@both
def test_the_client_of_the_sdk_buys_from_our_seller(ours: Shop, facilitator: str) -> None:
    seller = ours.sells(facilitator=at(facilitator))
    with served(shop_app(seller, [ours.offer])) as url:
        status, answer, receipt = sdk_buys(f"{url}/tools/double", PAYER, {"number": 21})
    assert (status, answer) == (200, 42)
    assert (receipt.success, receipt.payer) == (True, PAYER.address)
    assert ours.balances() == (DOLLAR - PRICE, PRICE)
    (row,) = ours.sales()
    assert (row.state, row.payer, row.payee, row.asset) == (
        "settled",
        PAYER.address,
        PAYEE.address,
        ours.chain.asset,
    )


@both
def test_our_buyer_buys_from_our_seller(world: World, ours: Shop, facilitator: str) -> None:
    seller = ours.sells(facilitator=at(facilitator))
    with served(shop_app(seller, [ours.offer])) as url:
        done = world.buyer().buy("call-1", f"{url}/tools/double", "0.01", body=b'{"number": 21}')
    assert (done.status, done.reason) == ("delivered", "")
    assert ours.earned == PRICE


def test_what_our_buyer_sends_has_every_address_with_its_checksum(world: World, ours: Shop) -> None:
    """The terms that were accepted go back as they were offered: a server compares them as text."""
    sent: list[dict[str, Any]] = []
    app = shop_app(ours.seller, [ours.offer])

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        paid = dict(scope.get("headers", ())).get(b"payment-signature")
        if paid:
            sent.append(json.loads(base64.b64decode(paid)))
        await app(scope, receive, send)

    with ExitStack() as stack:
        url = stack.enter_context(served(watched))
        assert world.buyer().buy("call-1", f"{url}/tools/double", "0.01", body=b'{"number": 1}').status == "delivered"
    assert sent[0]["payload"]["authorization"]["from"] == account(world.number).address
    assert sent[0]["payload"]["authorization"]["to"] == PAYEE.address
    assert sent[0]["accepted"] == ours.offer.requirement
