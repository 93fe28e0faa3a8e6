"""An agent makes a tool that pays, with the grant `buy` alone, and uses it: the key and the network stay outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("eth_tester")

from market.shops import PAYEE, QUICK, RELAY, own_facilitator, served
from mayfly.core import GateSettings, MarketSettings, PolicySettings, Settings
from mayfly.market import ChainReader, PaymentOffer, Wallet, fund_test, open_broker
from mayfly.market.seller import Seller, shop_app
from mayfly.runtime import Runtime, Session
from mayfly.session import ToolReturned
from mayfly.store import Ledger, PaymentList, PaymentRow, SaleList, SaleRow
from mayfly.testing import write_script
from mayfly.testing.chain import LocalChain, RpcServer

PRICE = 10_000
FUNDS = 10 * PRICE
PASSWORD = "a password of a test"
# The least that scrypt takes: the tests try no guesses.
WORK = 2

# What a model would write: it knows the wallet's address and nothing of keys, chains or payments.
SOURCE = '''
import hashlib
import json
from urllib.request import Request, urlopen


def weather_report(city: str, shop: str) -> str:
    """Buy the weather of a city."""
    body = json.dumps({"city": city})
    call = hashlib.sha256(f"{shop} {body}".encode()).hexdigest()
    order = {"call_id": call, "url": shop, "max_price": "0.01", "body": body}
    request = Request("http://wallet.mayfly/buy", data=json.dumps(order).encode(), method="POST")
    with urlopen(request, timeout=20) as reply:
        told = json.load(reply)
    if told["status"] != "delivered":
        raise ValueError(str(told["reason"]))
    return str(json.loads(told["answer"]["body"])["weather"])
'''.lstrip()


@dataclass
class Forecast:
    """How a capability ended that always has something to say."""

    value: object
    ok: bool = True
    error: str = ""


@dataclass
class WeatherShop:
    """A seller on the real chain with a store of its own, and what it did."""

    url: str
    ledger: Ledger
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    def answer(self, tool: str, version: int, arguments: Mapping[str, Any], key: str) -> Forecast:
        self.asked.append(arguments)
        return Forecast({"weather": f"rain in {arguments['city']}"})

    @property
    def sales(self) -> list[SaleRow]:
        return [*SaleList(self.ledger).each()]


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path) -> Iterator[WeatherShop]:
    chain.fund(RELAY.address)
    offer = PaymentOffer(
        tool="weather",
        version=1,
        units=PRICE,
        network=chain.network,
        asset=chain.asset,
        payee=PAYEE.address,
        token_name="Test Dollar",
        token_version="2",
        input_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    )
    with Ledger.open(Settings(state_dir=str(tmp_path / "shop"))) as ledger:
        made = WeatherShop("", ledger)
        reader = ChainReader(rpc.url, confirmations=0)
        seller = Seller(ledger, made.answer, own_facilitator(chain, rpc), reader, limits=QUICK)
        with served(shop_app(seller, [offer])) as address:
            made.url = address + offer.path
            yield made


@pytest.fixture
def settings(tmp_path: Path, type_cache: Path) -> Settings:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    return Settings(state_dir=str(state), gates=GateSettings(mutants=0, inputs=0))


@pytest.fixture
def with_money(settings: Settings, chain: LocalChain, rpc: RpcServer) -> Iterator[Settings]:
    """Yield settings of a state whose wallet has money and is open: its broker runs."""
    market = MarketSettings(
        rpc_url=rpc.url, network=chain.network, asset=chain.asset.lower(), confirmations=0, hosts="127.0.0.1"
    )
    made = replace(settings, market=market, policy=PolicySettings(spend_limit=1))
    fund_test(made, Wallet(made).create(PASSWORD, work=WORK), FUNDS)
    with open_broker(made, PASSWORD):
        yield made


def call(tool: str, /, **arguments: object) -> dict[str, object]:
    return {"for": "chat", "answer": {"text": "", "calls": [{"name": tool, "arguments": arguments}]}}


def balances(settings: Settings) -> tuple[int, int]:
    """Return what the wallet and the shop have on the chain."""
    market = settings.market
    reader = ChainReader(market.rpc_url, confirmations=0)
    return reader.balance(market.asset, Wallet(settings).address), reader.balance(market.asset, PAYEE.address.lower())


def payments(settings: Settings) -> list[PaymentRow]:
    """Return what was paid, in the order in which it was."""
    with Ledger.open(settings) as ledger:
        return sorted(PaymentList(ledger).each(), key=lambda row: row.at)


def test_s_37_an_agent_writes_a_paying_tool_with_the_grant_buy_alone_and_uses_it(
    with_money: Settings, workspace: Path, shop: WeatherShop
) -> None:
    example = {"input": {"city": "Ulm", "shop": shop.url}, "output": "rain in Ulm"}
    intent = "buy the weather report of a city from a shop"
    order = {"name": "weather_report", "intent": intent, "source": SOURCE, "examples": [example]}
    model = write_script(
        workspace.parent / "script.jsonl",
        call("tool_write", **order, grants=["net:*"]),
        call("tool_write", **order, grants=["buy:127.0.0.1"]),
        call("weather_report", city="Rome", shop=shop.url),
        call("tool_use", name="weather_report", arguments={"city": "Rome", "shop": shop.url}),
        call("weather_report", city="Rome", shop="http://localhost:1/"),
        {"for": "chat", "answer": "It rains."},
    )
    done: list[ToolReturned] = []

    def observe(happened: object) -> None:
        one = happened[0] if isinstance(happened, tuple) else happened
        if isinstance(one, ToolReturned):
            done.append(one)

    assert balances(with_money) == (FUNDS, 0)
    with Session(with_money, workspace=workspace, model=model, observe=observe) as session:
        session.turn("create a tool that buys the weather of a city, then use it on Rome")
        id, card = session.id, session.runtime.tools.show("weather_report")[0]
    assert [one.status for one in done] == ["error", "ok", "ok", "ok", "error"], done
    # Without the grant its test could not be passed; nothing was bought then, and nothing while it was proven.
    assert "net" not in card.opened
    assert (card.opened, card.effect) == (("buy:127.0.0.1",), "once")
    assert [one.text for one in done[2:4]] == ["rain in Rome"] * 2
    assert "no grant covers buying from localhost:1" in done[4].text
    # Its test bought once, and both calls for Rome are one purchase of this session: two transfers on the chain.
    assert [one["city"] for one in shop.asked] == ["Ulm", "Rome"]
    assert balances(with_money) == (FUNDS - 2 * PRICE, 2 * PRICE)
    paid = payments(with_money)
    assert [(row.state, row.units, row.tool) for row in paid] == [("delivered", PRICE, "weather_report")] * 2
    assert (paid[1].run, paid[1].agent) == (id, id)
    assert paid[0].run not in ("", id)
    assert [row.state for row in shop.sales] == ["settled"] * 2
    assert {row.transaction_hash for row in shop.sales} == {row.transaction_hash for row in paid}


def test_without_a_wallet_a_paying_tool_is_told_what_to_type(settings: Settings, shop: WeatherShop) -> None:
    probe = SOURCE.replace('raise ValueError(str(told["reason"]))', 'return str(told["reason"])')
    with Runtime(settings) as runtime:
        made = runtime.tools.write(
            "buy the weather report of a city from a shop",
            name="weather_report",
            source=probe,
            tests="def test_it():\n    assert 'wallet' in weather_report('Ulm', 'http://127.0.0.1:1/')\n",
            grants=["buy"],
        )
        assert made.accepted, made.reason
        told = runtime.tools.call("weather_report", {"city": "Ulm", "shop": shop.url})
    assert "mayfly wallet init" in str(told.value)
    assert (shop.asked, shop.sales) == ([], [])
