"""`mayfly market pnl` and `mayfly run --strategy`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.store import Ledger, PaymentList
from mayfly.store.schema import AgentSchema
from store.money import payment_at, sale_at

from .conftest import Cli


@pytest.fixture
def money(cli: Cli) -> None:
    with Ledger.open(Settings.load()) as ledger:
        payment_at(ledger, "delivered", tool="roman", strategy="slow", host="shop.example", units=20_000)
        payment_at(ledger, "unknown", units=3)
        payment_at(ledger, "released", units=999)
        sale_at(ledger, "settled", units=1_500_000, strategy="slow")


def test_without_a_store_there_is_nothing_and_none_is_made(cli: Cli, tmp_path: Path) -> None:
    shown = cli("market", "pnl")
    assert (shown.status, shown.out) == (0, "")
    assert "nothing was bought or sold yet: mayfly market buy URL" in shown.err
    assert json.loads(cli("market", "pnl", "--json").out) == {
        "by": "total",
        "rows": [],
        "totals": [],
        "problems": [],
        "look_at": [],
    }
    assert not (Settings.load().state / "ledger.db").exists()


def test_the_total_is_shown_in_dollars_and_told_in_units(cli: Cli, money: None) -> None:
    head, line = cli("market", "pnl").out.splitlines()
    assert head.split()[:4] == ["TOTAL", "NETWORK", "ASSET", "REVENUE"]
    assert line.split() == [
        "total",
        "eip155:84532",
        "0x036CbD53…",
        "1.50",
        "0.02",
        "1.48",
        "0.000003",
        "0.00",
        "21000",
        "1",
        "1",
    ]
    (total,) = json.loads(cli("market", "pnl", "--json").out)["totals"]
    assert (total["revenue"], total["cost"], total["profit"], total["at_risk"]) == (1_500_000, 20_000, 1_480_000, 3)
    assert total["shown"]["profit"] == "1.48"
    assert (total["bought"], total["sold"], total["count"], total["gas"]) == (1, 1, 4, 21000)


@pytest.mark.parametrize(
    ("by", "keys"),
    [("tool", ["-", "roman"]), ("strategy", ["-", "slow"]), ("host", ["-", "127.0.0.1:4021", "shop.example"])],
)
def test_rows_are_by_what_is_asked_for(cli: Cli, money: None, by: str, keys: list[str]) -> None:
    lines = cli("market", "pnl", "--by", by).out.splitlines()
    assert [line.split()[0] for line in lines] == [by.upper(), *keys, "total"]
    found = json.loads(cli("market", "pnl", "--by", by, "--json").out)
    assert sum(row["profit"] for row in found["rows"]) == found["totals"][0]["profit"] == 1_480_000


def test_a_wrong_key_is_one_line(cli: Cli) -> None:
    shown = cli("market", "pnl", "--by", "payee")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err == "mayfly: --by payee: it is one of total, tool, strategy, host, day\n"


def test_s_34_pnl_fills_the_agents_table(cli: Cli, money: None) -> None:
    table = """
    CREATE TABLE agent_x402_transactions (service_url TEXT, amount_usd NUMERIC(18, 8), tx_hash TEXT, status TEXT,
    created_at TEXT)
    """
    with Ledger.open(Settings.load()) as ledger:
        schema = AgentSchema(ledger, Settings.load())
        schema.apply(schema.plan("transactions", table))
        assert json.loads(cli("market", "pnl", "--json").out)["problems"] == []
        rows = schema.query("SELECT status, amount_usd FROM agent_x402_transactions ORDER BY created_at").rows
    assert rows == (("delivered", 0.02), ("unknown", 0.000003), ("released", 0.000999))


def test_a_run_is_tagged_with_its_strategy(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    ran = cli("run", "Count the lines in a.txt", "--strategy", "slow-and-steady", "--quiet")
    assert ran.status == 0, ran.err
    with Ledger.open(Settings.load()) as ledger:
        began = [event.payload["strategy"] for event in ledger.read(kind="run.began") if "/" not in event.subject]
        assert began == ["slow-and-steady"]
        assert [event.subject for event in ledger.read(kind="strategy.named")] == ["strategy:slow-and-steady"]
    wrong = cli("run", "Count the lines in a.txt", "--strategy", "a b")
    assert (wrong.status, wrong.out) == (2, "")
    assert "is no name of a strategy; use up to 100 letters" in wrong.err


def test_payments_that_nothing_closes_are_shown_where_people_look(cli: Cli, money: None) -> None:
    with Ledger.open(Settings.load()) as ledger:
        payment_at(ledger, "disputed", units=5)
        late = next(row.id for row in PaymentList(ledger).each(("unknown",)))
    # The authorization of the unknown one ended long ago, so that by now the chain should have closed it.
    inbox = cli("inbox")
    assert (inbox.status, f"payment  {late}: 0.000003 to" in inbox.out, "disputed" in inbox.out) == (0, True, False)
    assert f"mayfly log --id payment:{late}" in inbox.out
    assert {one["kind"] for one in json.loads(cli("inbox", "--all", "--json").out)} == {"payment"}
    assert "is disputed" in cli("inbox", "--all").out
    shown = cli("market", "pnl")
    assert (shown.err.count("look at   "), "is at risk" in shown.err, "is disputed" in shown.err) == (2, True, True)
    assert {one["state"] for one in json.loads(cli("market", "pnl", "--json").out)["look_at"]} == {
        "unknown",
        "disputed",
    }
