"""Profit and loss: every sum equals what its rows say, by whatever it is asked for, and assets are never mixed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError, units_text
from mayfly.operations import ProfitAndLoss, ProfitRow, market_view, pnl
from mayfly.operations._market import _rows
from mayfly.store import SUMS_BY, Ledger, MoneySum, PaymentList, PaymentRow, SaleList, SaleRow, money_sums

from .money import SALE_WAYS, TRANSACTION, WAYS, payment_at, sale_at

AMOUNTS = ("revenue", "cost", "at_risk", "reserved", "gas", "bought", "sold", "count", "profit")
MOST = 2**63 - 1
OTHER = "0x" + "7e" * 20


def amounts(rows: tuple[ProfitRow, ...], asset: str) -> dict[str, int]:
    return {name: sum(getattr(row, name) for row in rows if row.asset == asset) for name in AMOUNTS}


def fill(ledger: Ledger) -> tuple[list[PaymentRow], list[SaleRow]]:
    random = Random(17)
    for _ in range(2):
        for state in WAYS:
            payment_at(
                ledger,
                state,
                units=random.choice([1, 10_000, MOST]),
                host=random.choice(["a.example", "b.example"]),
                tool=random.choice(["", "roman"]),
                strategy=random.choice(["", "slow", "fast"]),
                **random.choice([{}, {"asset": OTHER}]),
            )
        for state in SALE_WAYS:
            sale_at(
                ledger,
                state,
                units=random.choice([1, MOST]),
                gas=random.choice(["", "21000", str(10**30)]),
                strategy=random.choice(["", "slow"]),
            )
    return [*PaymentList(ledger).each()], [*SaleList(ledger).each()]


def test_the_rows_of_every_view_come_to_the_same_totals_as_the_ledger(ledger: Ledger) -> None:
    payments, sales = fill(ledger)
    totals = pnl(ledger).totals
    assert {row.key for row in totals} == {"total"}
    for asset in {row.asset for row in payments} | {row.asset for row in sales}:
        found = amounts(totals, asset)
        of = [row for row in payments if row.asset == asset]
        sold = [row for row in sales if row.asset == asset]
        assert found["cost"] == sum(row.units for row in of if row.state in ("settled", "delivered", "disputed"))
        assert found["at_risk"] == sum(row.units for row in of if row.state in ("sent", "unknown"))
        assert found["reserved"] == sum(row.units for row in of if row.state == "reserved")
        assert found["revenue"] == sum(row.units for row in sold if row.state == "settled")
        assert found["gas"] == sum(int(row.gas or 0) for row in sold)
        assert found["count"] == len(of) + len(sold)
        for by in SUMS_BY:
            seen = pnl(ledger, by=by)
            assert amounts(seen.totals, asset) == found
            if by != "total":
                assert amounts(seen.rows, asset) == found


@pytest.mark.parametrize(
    ("by", "of_payment", "of_sale"),
    [
        ("tool", lambda row: row.tool, lambda row: row.tool),
        ("strategy", lambda row: row.strategy, lambda row: row.strategy),
        ("host", lambda row: row.host, lambda row: ""),
        ("day", lambda row: row.at[:10], lambda row: row.at[:10]),
    ],
)
def test_money_is_counted_under_its_own_key(
    ledger: Ledger, by: str, of_payment: Callable[[PaymentRow], str], of_sale: Callable[[SaleRow], str]
) -> None:
    payments, sales = fill(ledger)
    found: ProfitAndLoss = pnl(ledger, by=by)  # type: ignore[arg-type]
    keys = {of_payment(row) for row in payments} | {of_sale(row) for row in sales}
    assert {row.key for row in found.rows} == keys
    for row in found.rows:
        cost = sum(
            one.units
            for one in payments
            if of_payment(one) == row.key
            and one.asset == row.asset
            and one.state in ("settled", "delivered", "disputed")
        )
        revenue = sum(
            one.units for one in sales if of_sale(one) == row.key and one.asset == row.asset and one.state == "settled"
        )
        assert (row.cost, row.revenue, row.profit) == (cost, revenue, revenue - cost)


def test_an_empty_ledger_has_no_rows_and_an_unknown_key_is_refused(ledger: Ledger) -> None:
    assert pnl(ledger).to_json() == {"by": "total", "rows": [], "totals": []}
    with pytest.raises(InputError, match="by is one of total, tool"):
        money_sums(ledger, "payee")  # type: ignore[arg-type]


SUMS = st.builds(
    MoneySum,
    side=st.sampled_from(["payment", "sale"]),
    key=st.sampled_from(["", "a", "b"]),
    network=st.sampled_from(["eip155:1", "eip155:8453"]),
    asset=st.sampled_from(["0xa", "0xb"]),
    decimals=st.sampled_from([6, 18]),
    state=st.sampled_from(sorted({*WAYS, *SALE_WAYS})),
    rows=st.integers(1, 9),
    units=st.integers(1, 2**70),
    gas=st.integers(0, 2**70),
)


@given(st.lists(SUMS, max_size=30))
def test_totals_equal_the_sums_of_the_rows(sums: list[MoneySum]) -> None:
    rows, totals = _rows(sums, lambda one: one.key), _rows(sums, lambda one: "total")
    assets = {(one.network, one.asset, one.decimals) for one in sums}
    assert {(row.network, row.asset, row.decimals) for row in totals} == assets
    for total in totals:
        of = [
            row
            for row in rows
            if (row.network, row.asset, row.decimals) == (total.network, total.asset, total.decimals)
        ]
        for name in AMOUNTS:
            assert getattr(total, name) == sum(getattr(row, name) for row in of)


def test_the_market_shows_what_moved_last_first_and_all_that_is_at_risk(ledger: Ledger) -> None:
    states = ("sent", "delivered", "unknown", "reserved", "released")
    rows = {state: payment_at(ledger, state) for state in states}
    sold = sale_at(ledger, "settled")
    found = market_view(ledger, by="tool", latest=3)
    assert [one["state"] for one in found.payments] == ["released", "reserved", "unknown"]
    assert [one["id"] for one in found.at_risk] == [rows["unknown"].id, rows["sent"].id]
    assert found.at_risk[0]["reason"] == "no answer"
    assert [(one["id"], one["transaction"]) for one in found.sales] == [(sold.id, TRANSACTION[2:])]
    assert found.to_json()["pnl"] == pnl(ledger, by="tool").to_json()
    # Nothing that pays, or that somebody could ask for the answer with, is shown.
    assert not {"nonce", "payload", "request", "answer"} & {name for one in found.payments for name in one}
    with pytest.raises(InputError):
        PaymentList(ledger).newest("sent")


@pytest.mark.parametrize(
    ("units", "decimals", "told"),
    [
        (10_000, 6, "0.01"),
        (1, 6, "0.000001"),
        (0, 6, "0.00"),
        (1_500_000, 6, "1.50"),
        (-10_000, 6, "-0.01"),
        (7, 0, "7"),
        (70, 1, "7.0"),
        (MOST, 6, "9223372036854.775807"),
        (MOST, 18, "9.223372036854775807"),
        (1, 255, "0." + "0" * 254 + "1"),
    ],
)
def test_amounts_are_written_exactly(units: int, decimals: int, told: str) -> None:
    assert units_text(units, decimals) == told


@given(st.integers(-(2**70), 2**70), st.integers(0, 30))
def test_what_is_written_reads_back_as_the_same_amount(units: int, decimals: int) -> None:
    whole, _, part = units_text(units, decimals).lstrip("-").partition(".")
    assert int(whole + part.ljust(decimals, "0")) == abs(units)
    assert units_text(units, decimals).startswith("-") == (units < 0)
