"""One chain for all tests here; each test has a wallet, a store and a shop of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import MarketSettings, PolicySettings, Settings, StoreSettings
from mayfly.market import Buyer, ChainReader, KeySigner, OpenPayments, decider, depth_kept
from mayfly.store import Ledger, PaymentList, PaymentRow
from mayfly.testing.chain import LocalChain, RpcServer, account

from .shop import Shop

# Not without this: what they do to the limit of recursion lets the tests of other packages crash.
with depth_kept():
    pytest.importorskip("eth_account")
    pytest.importorskip("eth_tester")

_NUMBERS = itertools.count(1000)


@pytest.fixture
def shop(chain: LocalChain) -> Iterator[Shop]:
    with Shop(chain).open() as opened:
        yield opened


@dataclass
class World:
    """Everything a purchase needs, and what it leaves."""

    chain: LocalChain
    rpc: RpcServer
    settings: Settings
    ledger: Ledger
    signer: Any
    signed: list[str]
    number: int
    """The number of its account."""

    @property
    def address(self) -> str:
        return str(self.signer.address)

    def buyer(self, **changes: Any) -> Buyer:
        settings = replace(self.settings, market=replace(self.settings.market, **changes))
        reader = ChainReader(
            self.rpc.url, confirmations=settings.market.confirmations, timeout=settings.market.rpc_timeout
        )
        return Buyer(self.ledger, self.signer, settings, decider(settings, self.ledger), reader)

    def open(self, **clocks: Any) -> OpenPayments:
        reader = ChainReader(self.rpc.url, confirmations=self.settings.market.confirmations)
        return OpenPayments(self.ledger, self.settings, reader, **clocks)

    @property
    def payments(self) -> PaymentList:
        return PaymentList(self.ledger)

    def row(self, call: str) -> PaymentRow:
        found = self.payments.payment_of_call(call)
        assert found is not None
        return found

    def cost(self) -> int:
        rows = [*self.payments.each(("settled", "delivered", "disputed"))]
        return sum(row.units for row in rows)

    def balance(self) -> int:
        return self.chain.balance(self.chain._web3.to_checksum_address(self.address))


class CountingSigner:
    """Sign as the real one does, and count."""

    def __init__(self, inner: KeySigner, signed: list[str]) -> None:
        self._inner = inner
        self._signed = signed
        self.address = inner.address

    def sign_authorization(self, terms: Any, nonce: str, valid_after: int, valid_before: int) -> str:
        signature = self._inner.sign_authorization(terms, nonce, valid_after, valid_before)
        self._signed.append(nonce)
        return signature


FUNDS = 1_000_000


@pytest.fixture
def make_world(chain: LocalChain, rpc: RpcServer, tmp_path: Path, database: str) -> Iterator[Callable[..., World]]:
    opened: list[Ledger] = []

    def make(*, funds: int = FUNDS, **market: Any) -> World:
        values: dict[str, Any] = {
            "rpc_url": rpc.url,
            "network": chain.network,
            "asset": chain.asset.lower(),
            "confirmations": 0,
            "hosts": "127.0.0.1",
            "per_call": "0.05",
            "timeout": 5.0,
            "try_delay": 0.0,
            "takeover": 0.0,
            **market,
        }
        settings = Settings(
            state_dir=str(tmp_path),
            store=StoreSettings(database_url=database),
            market=MarketSettings(**values),
            policy=PolicySettings(spend_limit=100),
        )
        number = next(_NUMBERS)
        key = account(number)
        chain.fund(key.address, units=funds, fuel=False)
        signed: list[str] = []
        ledger = Ledger.open(settings)
        opened.append(ledger)
        signer = CountingSigner(KeySigner(key, longest=values.get("longest_validity", 600)), signed)
        return World(chain, rpc, settings, ledger, signer, signed, number)

    yield make
    for ledger in opened:
        ledger.close()


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()
