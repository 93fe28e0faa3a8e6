"""What `log verify` says of rows of money that are not what their events say; migration, archives and strategies."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from mayfly.core import InputError, Settings
from mayfly.store import Ledger, PaymentList, SaleList, name_strategy

from .conftest import Plain
from .money import payment_at, reserved, sale_at


@pytest.fixture
def money(ledger: Ledger) -> Ledger:
    for state in ("reserved", "sent", "unknown", "settled", "delivered", "released", "disputed"):
        payment_at(ledger, state, strategy="momentum")
    for state in ("claimed", "answered", "settling", "settled", "failed", "lapsed"):
        sale_at(ledger, state, strategy="shop")
    assert ledger.verify().broken == ""
    return ledger


@pytest.mark.parametrize(
    ("table", "statement", "told"),
    [
        ("mayfly_payments", "UPDATE mayfly_payments SET units = 1 WHERE state = 'sent'", "says units 1, its events"),
        ("mayfly_payments", "UPDATE mayfly_payments SET state = 'released' WHERE state = 'unknown'", "says state"),
        ("mayfly_payments", "DELETE FROM mayfly_payments WHERE state = 'settled'", "the row of payment"),
        ("mayfly_sales", "UPDATE mayfly_sales SET gas = '0' WHERE state = 'settled'", "says gas '0'"),
        ("mayfly_sales", "DELETE FROM mayfly_sales WHERE state = 'lapsed'", "is missing"),
        ("mayfly_sales", "UPDATE mayfly_sales SET id = 's-other' WHERE state = 'failed'", "no event is about it"),
        ("strategies", "DELETE FROM strategies WHERE name = 'shop'", "strategy shop is missing"),
        (
            "strategies",
            "UPDATE strategies SET note = 'x' WHERE name = 'momentum'",
            "the row of strategy momentum says note 'x', its events",
        ),
        ("strategies", "INSERT INTO strategies VALUES ('extra', '', '')", "strategy extra was inserted"),
    ],
)
def test_what_was_done_by_hand_is_found(money: Ledger, plain: Plain, table: str, statement: str, told: str) -> None:
    plain.unguard(table)
    plain.run(statement)
    assert told in money.verify().broken


def test_a_legal_step_without_an_event_is_found(ledger: Ledger, plain: Plain) -> None:
    payment_at(ledger, "reserved")
    plain.run("UPDATE mayfly_payments SET state = 'released', turn = 2")
    assert "says state 'released', its events 'reserved'" in ledger.verify().broken


def test_a_lost_answer_is_found(money: Ledger, plain: Plain) -> None:
    row = next(PaymentList(money).each(["delivered"]))
    plain.unguard("mayfly_blobs")
    plain.run(f"DELETE FROM mayfly_blobs WHERE hash = '{row.answer}'")
    assert f"blob {row.answer}" in money.verify().broken


def test_a_strategy_is_named_once_and_stays(ledger: Ledger, plain: Plain) -> None:
    name_strategy(ledger, "momentum", note="buys what rises")
    name_strategy(ledger, "momentum", note="something else")
    payment_at(ledger, "reserved", strategy="momentum")
    assert plain.run("SELECT name, note FROM strategies") == [("momentum", "buys what rises")]
    assert ledger.count(kind="strategy.named") == 1
    for statement in ("UPDATE strategies SET name = 'x'", "DELETE FROM strategies"):
        with pytest.raises(Exception, match="refused"):
            plain.run(statement)
    for name in ("", "a b", "x" * 101, "sk-" + "a1B2" * 12):
        if name:
            with pytest.raises(InputError, match="is no name of a strategy"):
                name_strategy(ledger, name)


def test_archiving_old_runs_leaves_money_where_it_is(money: Ledger) -> None:
    before = [*PaymentList(money).each(), *SaleList(money).each()]
    list(money.archive(before=datetime.now(UTC) + timedelta(days=1)))
    assert [*PaymentList(money).each(), *SaleList(money).each()] == before
    assert money.count(kind="payment.reserved") == 7
    assert money.verify().ok


def test_an_application_keeps_its_own_strategies(postgres_settings: Settings) -> None:
    with closing(psycopg.connect(postgres_settings.store.database_url, autocommit=True)) as connection:
        connection.execute("CREATE TABLE strategies (id serial PRIMARY KEY, title text)")
        with Ledger.open(postgres_settings) as ledger:
            row = PaymentList(ledger).reserve(reserved("c", strategy="momentum"), "p-1")
            assert row.strategy == "momentum"
            assert ledger.count(kind="strategy.named") == 1
            assert ledger.verify().ok
        connection.execute("INSERT INTO strategies (title) VALUES ('theirs')")
        connection.execute("DELETE FROM strategies")
