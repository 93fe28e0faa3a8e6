"""`mayfly market demo`: the whole market on this machine, and books that the chain agrees with."""

from __future__ import annotations

import builtins
import json
import os
from pathlib import Path
from typing import Any

import pytest

from _type_servers import end_servers
from mayfly.cli import _market_demo
from mayfly.cli._market_demo import OnChain, _differences
from mayfly.cli._toy_market import TrapNode
from mayfly.core import Settings
from mayfly.operations import ProfitRow
from mayfly.store import Ledger, PaymentList, SaleList
from mayfly.testing import below
from mayfly.testing.chain import LocalChain

from .conftest import Cli


def test_the_demo_ends_with_books_that_the_chain_agrees_with_and_keeps_them(cli: Cli, tmp_path: Path) -> None:
    end_servers()
    before = set(below(os.getpid()))
    ran = cli("market", "demo", "--keep", "kept")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    total, chain = lines[-3].split(), lines[-2].split()
    assert (total[0], chain[0]) == ("total", "chain")
    assert total[1:] == chain[1:]
    assert lines[-1] == "the chain agrees: 6 transfers, each paid and delivered once"
    words = [line.split()[0] for line in ran.err.splitlines()]
    assert words == [
        *("chain", "shop", "wallet", "budget", "written", "bought"),
        *("crash", "recovered", "bought") * 2,
        *("bought", "bought", "refused", "bought", "kept"),
    ]
    assert "over the agent's budget of 0.05" in ran.err
    # In this process servers of the type checker are kept for other tests, where a command would end them.
    end_servers()
    assert set(below(os.getpid())) == before, "no process of it is left"

    settings = Settings(state_dir=str(tmp_path / "kept"))
    with Ledger.open(settings) as ledger:
        payments, sales = [*PaymentList(ledger).each()], [*SaleList(ledger).each()]
        assert ledger.verify().ok
    assert [row.state for row in payments] == ["delivered"] * 6
    assert [row.state for row in sales] == ["settled"] * 6
    # One transaction for each purchase, and the same one on both sides.
    assert len({row.transaction_hash for row in payments}) == 6
    assert {row.transaction_hash for row in payments} == {row.transaction_hash for row in sales}
    assert {(row.tool, row.strategy) for row in payments} == {("buy_roman", "toy-shop")}
    assert cli("market", "demo", "--keep", "kept").err.startswith("mayfly: kept is there already and not empty")


def test_a_demo_whose_books_do_not_balance_ends_with_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # Somebody gives the shop a cent behind the ledger's back.
    books = _market_demo._books

    def with_a_gift(scene: Any) -> Any:
        scene.chain.fund(scene.chain._web3.to_checksum_address(scene.settings.market.payee), units=10_000, fuel=False)
        return books(scene)

    monkeypatch.setattr(_market_demo, "_books", with_a_gift)
    monkeypatch.setattr(_market_demo, "_PLAN", (("XLII", 42, None),))
    ran = cli("market", "demo", "--json")
    assert ran.out, ran.err
    found = json.loads(ran.out)
    assert (ran.status, found["well"], found["agrees"]) == (1, True, False)
    assert found["differences"] == ["revenue: the ledger has 20000, and the chain 30000"]


def test_every_number_is_held_against_the_chain() -> None:
    total = ProfitRow(key="total", network="n", asset="a", decimals=6, revenue=2, cost=2, gas=5, bought=1, sold=1)
    same = OnChain(revenue=2, cost=2, gas=5, transfers=1)
    assert list(_differences([total], same)) == []
    for name in ("revenue", "cost", "gas", "transfers"):
        assert list(_differences([total], OnChain(**{**vars(same), name: 7})))
    for name in ("at_risk", "reserved"):
        assert len(list(_differences([ProfitRow(**{**vars(total), name: 1})], same))) == 1
    assert list(_differences([], same)) == ["the ledger has 0 assets, and the chain one"]


@pytest.mark.parametrize("instant", ["before", "after"])
def test_the_trap_kills_once_and_on_the_side_it_was_set(chain: LocalChain, instant: Any) -> None:
    asked: list[str] = []

    class Watched:
        def ask(self, method: str, params: list[Any]) -> dict[str, Any]:
            asked.append(method)
            return {"result": method}

    node: Any = TrapNode(Watched())  # type: ignore[arg-type]
    node.set_trap(instant, lambda: asked.append("killed"))
    assert node.ask("eth_chainId", []) == {"result": "eth_chainId"}
    assert not node.is_sprung
    if instant == "before":
        with pytest.raises(ConnectionError):
            node.ask("eth_sendRawTransaction", ["0x"])
    else:
        node.ask("eth_sendRawTransaction", ["0x"])
    node.ask("eth_sendRawTransaction", ["0x"])
    sent = ["eth_sendRawTransaction"]
    assert asked[1:] == (["killed", *sent] if instant == "before" else [*sent, "killed", *sent])
    assert node.is_sprung


@pytest.mark.parametrize(
    ("called", "fix"), [(None, "pip install 'mayfly-agents[chain]'"), ("./mayfly", "MAYFLY_SETUP=chain ./mayfly")]
)
def test_what_is_missing_is_one_line_with_what_to_type(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, called: str | None, fix: str
) -> None:
    if called is not None:
        monkeypatch.setenv("MAYFLY_COMMAND", called)
    load = builtins.__import__

    def without(name: str, *more: Any, **options: Any) -> Any:
        if name == "eth_tester":
            raise ModuleNotFoundError("No module named 'eth_tester'", name="eth_tester")
        return load(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    ran = cli("market", "demo")
    assert (ran.status, ran.out) == (4, "")
    assert ran.err == f"mayfly: a local chain needs eth_tester; {fix}\n"
