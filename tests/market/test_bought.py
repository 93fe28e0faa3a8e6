"""Steps of a tree that name what only a shop has: bought on the real chain, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from market.shops import PAYEE, PRICE, Shop, served
from mayfly.core import Invocation, MarketSettings, Outcome, PolicySettings, Settings
from mayfly.market import NotBought, Shops, Wallet, fund_test, open_broker
from mayfly.market.seller import shop_app
from mayfly.promise import Promise
from mayfly.runtime import Runtime
from mayfly.runtime._parts import Parts
from mayfly.store import Ledger, PaymentList, PaymentRow
from mayfly.testing.chain import LocalChain, RpcServer

PASSWORD = "long enough for a test"
# As little work as the keystore's form allows: what is tested is not how long a guess takes.
WORK = 2
FUNDS = 1_000_000


@pytest.fixture
def url(shop: Shop) -> Iterator[str]:
    with served(shop_app(shop.seller, [shop.offer])) as address:
        yield address


@pytest.fixture
def settings(tmp_path: Path, chain: LocalChain, rpc: RpcServer, url: str) -> Settings:
    market = MarketSettings(
        rpc_url=rpc.url,
        network=chain.network,
        asset=chain.asset.lower(),
        confirmations=0,
        hosts="127.0.0.1",
        shops=url,
        try_delay=0.01,
    )
    return Settings(state_dir=str(tmp_path / "buyer"), market=market, policy=PolicySettings(spend_limit=1))


@pytest.fixture
def open_wallet(settings: Settings) -> Iterator[None]:
    fund_test(settings, Wallet(settings).create(PASSWORD, work=WORK), FUNDS)
    with open_broker(settings, PASSWORD):
        yield


def doubled(*numbers: int, name: str = "double") -> Promise[Any]:
    root: Promise[Any] = Promise("double numbers", ground=None)
    for number in numbers:
        root.add(Promise(f"double {number}", ground=None, capability=name, argument={"number": number}))
    return root


def resolve(settings: Settings, tree: Promise[Any]) -> Outcome[Any]:
    with Runtime(settings) as runtime:
        return runtime.resolve(tree)


def payments(settings: Settings) -> list[PaymentRow]:
    with Ledger.open(settings) as ledger:
        return [*PaymentList(ledger).each()]


@pytest.mark.usefixtures("open_wallet")
def test_a_step_that_names_what_a_shop_sells_is_bought_once_for_each(settings: Settings, shop: Shop) -> None:
    outcome = resolve(settings, doubled(4, 21))
    assert (outcome.status, outcome.value) == ("resolved", {"1": 8, "2": 42})
    assert shop.chain.balance(PAYEE.address) == 2 * PRICE
    rows = payments(settings)
    assert {(row.state, row.units, row.tool, row.agent) for row in rows} == {("delivered", PRICE, "double", outcome.id)}
    assert {row.call for row in rows} == {f"{outcome.id}/0.1", f"{outcome.id}/0.2"}


@pytest.mark.usefixtures("open_wallet")
def test_a_step_that_was_paid_for_is_not_paid_again_when_the_run_is_resumed(settings: Settings, shop: Shop) -> None:
    # Thirteen is not doubled: its seller has no answer, takes nothing, and the run goes on another time.
    outcome = resolve(settings, doubled(4, 13))
    assert outcome.status != "resolved"
    assert shop.chain.balance(PAYEE.address) == PRICE
    with Runtime(settings) as runtime:
        runtime.resume(outcome.id)
    assert shop.chain.balance(PAYEE.address) == PRICE


def test_without_a_wallet_the_reason_says_what_to_type(settings: Settings, shop: Shop) -> None:
    outcome = resolve(settings, doubled(4))
    assert outcome.status != "resolved"
    assert "mayfly wallet init" in outcome.reason
    assert shop.handler.runs == []


@pytest.mark.usefixtures("open_wallet")
def test_a_price_that_rose_since_the_list_was_read_is_not_paid(settings: Settings, shop: Shop) -> None:
    selling = [shop_app(shop.seller, [shop.offer])]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await selling[-1](scope, receive, send)

    with served(app) as url:
        parts = Parts(replace(settings, market=replace(settings.market, shops=url)))
        capability = Shops(parts).capability("double")
        assert capability is not None
        selling.append(shop_app(shop.seller, [replace(shop.offer, units=PRICE + 1)]))
        with pytest.raises(NotBought, match="asks for 10001 units, more than the 10000"):
            capability.call(Invocation(arguments={"number": 4}, key="r-1/0.1"))
        parts.close()
    assert payments(settings) == []


@pytest.mark.usefixtures("open_wallet")
def test_of_several_shops_the_cheapest_is_paid_and_one_that_is_down_is_passed_over(
    settings: Settings, shop: Shop, url: str
) -> None:
    cheap = replace(shop.offer, units=PRICE // 2)
    with served(shop_app(shop.seller, [cheap])) as other:
        shops = f"http://127.0.0.1:1, {url}, {other}"
        outcome = resolve(replace(settings, market=replace(settings.market, shops=shops)), doubled(21))
    assert outcome.value == {"1": 42}
    assert shop.chain.balance(PAYEE.address) == PRICE // 2


def test_what_is_sold_for_another_token_is_not_there(settings: Settings) -> None:
    other = replace(settings, market=replace(settings.market, asset="0x" + "12" * 20))
    parts = Parts(other)
    assert Shops(parts).capability("double") is None
    assert Shops(parts).capability("triple") is None
    parts.close()
