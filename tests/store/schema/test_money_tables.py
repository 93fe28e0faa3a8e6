"""The tables that an agent makes for its money, through schema extension, filled from the ledger."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mayfly.core import Refusal, SchemaSettings, Settings
from mayfly.market import PaymentReleased, PaymentUnknown
from mayfly.operations import pnl
from mayfly.store import Ledger, PaymentList
from mayfly.store.schema import AgentSchema, fill_agent_tables
from store.conftest import Plain
from store.money import WAYS, payment_at, reserved, sale_at

# As document 002 has it, but for how a row gets its number: SQLite has one way of its own.
TRANSACTIONS = """
CREATE TABLE agent_x402_transactions (
  id {key},
  service_url TEXT NOT NULL,
  amount_usd NUMERIC(18, 8) NOT NULL,
  tx_hash TEXT,
  status VARCHAR(32) NOT NULL DEFAULT 'pending',
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
)
"""
KEYS = {"sqlite": "INTEGER PRIMARY KEY", "postgres": "INTEGER PRIMARY KEY GENERATED ALWAYS AS IDENTITY"}
STRATEGIES = """
CREATE TABLE agent_strategy_pnl (
  strategy TEXT NOT NULL PRIMARY KEY REFERENCES strategies (name),
  revenue_usd NUMERIC(18, 8),
  cost_usd NUMERIC(18, 8),
  pnl_usd NUMERIC(18, 8),
  note TEXT
)
"""


@pytest.fixture
def schema(ledger: Ledger, settings: Settings) -> AgentSchema:
    return AgentSchema(ledger, settings)


def extend(schema: AgentSchema, name: str, sql: str) -> None:
    assert schema.apply(schema.plan(name, sql.format(key=KEYS[schema.dialect]))).fresh


def total(plain: Plain, where: str) -> Decimal:
    rows = plain.run(f"SELECT amount_usd FROM agent_x402_transactions WHERE {where}")
    return sum((Decimal(str(row[0])) for row in rows), Decimal())


def test_s_34_every_payment_is_a_row_of_the_agents_own_table_and_the_sum_is_the_pnl(
    ledger: Ledger, settings: Settings, plain: Plain, schema: AgentSchema
) -> None:
    extend(schema, "create_agent_x402_transactions", TRANSACTIONS)
    for state in WAYS:
        payment_at(ledger, state, units=10_000)
    filled = fill_agent_tables(ledger, settings)
    assert (filled.transactions, filled.problems) == (len(WAYS), ())
    states = plain.run("SELECT status FROM agent_x402_transactions ORDER BY id")
    assert [state for (state,) in states] == list(WAYS)
    (found,) = pnl(ledger).totals
    paid = "status IN ('settled', 'delivered', 'disputed')"
    assert total(plain, paid) == Decimal(found.shown()["cost"])
    assert total(plain, "status IN ('sent', 'unknown')") == Decimal(found.shown()["at_risk"])
    hashes = plain.run(f"SELECT DISTINCT tx_hash FROM agent_x402_transactions WHERE {paid}")
    assert hashes == [("0x" + "d4" * 32,)]
    assert schema.query("SELECT count(*) FROM agent_x402_transactions WHERE status = 'released'").rows == ((1,),)


def test_s_34_filling_again_changes_nothing_and_a_payment_that_moved_on_keeps_its_row(
    ledger: Ledger, settings: Settings, plain: Plain, schema: AgentSchema
) -> None:
    extend(schema, "transactions", TRANSACTIONS)
    row = payment_at(ledger, "sent")
    assert fill_agent_tables(ledger, settings).transactions == 1
    assert fill_agent_tables(ledger, settings).transactions == 0
    row = PaymentList(ledger).move(row.id, PaymentUnknown(before=row.turn, reason="504"))
    PaymentList(ledger).move(row.id, PaymentReleased(before=row.turn, reason="expired", block=9))
    assert fill_agent_tables(ledger, settings).transactions == 1
    assert plain.run("SELECT id, status FROM agent_x402_transactions") == [(1, "released")]
    assert ledger.verify().ok


def test_s_34_agents_read_what_was_paid_and_cannot_change_it(schema: AgentSchema) -> None:
    extend(schema, "transactions", TRANSACTIONS)
    for sql in ("DELETE FROM agent_x402_transactions", "UPDATE agent_x402_transactions SET amount_usd = 0"):
        with pytest.raises(Refusal):
            schema.write(sql, key=sql)


def test_s_34_a_table_that_does_not_fit_is_named_and_stops_nothing(
    ledger: Ledger, settings: Settings, schema: AgentSchema
) -> None:
    extend(schema, "odd", "CREATE TABLE agent_x402_transactions (id INTEGER PRIMARY KEY, amount_usd NUMERIC(18, 8))")
    extend(schema, "strategies", STRATEGIES)
    payment_at(ledger, "settled", strategy="slow")
    filled = fill_agent_tables(ledger, settings)
    assert filled.strategies == 1
    assert len(filled.problems) == 1
    assert "agent_x402_transactions is not filled" in filled.problems[0]


def test_a_column_that_forgets_the_moment_gets_no_row_twice(postgres_settings: Settings) -> None:
    # SQLite keeps what it is given, whatever the column says.
    with Ledger.open(postgres_settings) as ledger:
        schema = AgentSchema(ledger, postgres_settings)
        extend(schema, "transactions", TRANSACTIONS.replace("created_at TIMESTAMP", "created_at DATE"))
        payment_at(ledger, "settled")
        assert "does not keep" in fill_agent_tables(ledger, postgres_settings).problems[0]
        assert schema.query("SELECT count(*) FROM agent_x402_transactions").rows == ((0,),)


def test_a_payment_beyond_the_column_is_told_and_the_rest_is_filled(
    ledger: Ledger, settings: Settings, schema: AgentSchema
) -> None:
    extend(schema, "transactions", TRANSACTIONS)
    payment_at(ledger, "settled", units=2**63 - 1)
    payment_at(ledger, "settled", units=1)
    filled = fill_agent_tables(ledger, settings)
    assert filled.transactions == 1
    assert "1 payments are too large" in filled.problems[0]


def test_s_35_the_agents_table_refers_to_strategies_and_has_the_pnl_of_each(
    ledger: Ledger, settings: Settings, plain: Plain, schema: AgentSchema
) -> None:
    extend(schema, "create_agent_strategy_pnl", STRATEGIES)
    payment_at(ledger, "delivered", strategy="slow", units=20_000)
    payment_at(ledger, "released", strategy="slow", units=70_000)
    payment_at(ledger, "settled", strategy="fast", units=5_000)
    payment_at(ledger, "settled", units=1)
    sale_at(ledger, "settled", strategy="slow", units=50_000)
    assert fill_agent_tables(ledger, settings).strategies == 2
    assert fill_agent_tables(ledger, settings).strategies == 0
    rows = plain.run("SELECT strategy, revenue_usd, cost_usd, pnl_usd FROM agent_strategy_pnl ORDER BY strategy")
    told = [(name, *(Decimal(str(value)) for value in values)) for name, *values in rows]
    assert told == [
        ("fast", 0, Decimal("0.005"), Decimal("-0.005")),
        ("slow", Decimal("0.05"), Decimal("0.02"), Decimal("0.03")),
    ]
    by = {row.key: row.profit for row in pnl(ledger, by="strategy").rows}
    assert by == {"": -1, "fast": -5_000, "slow": 30_000}
    joined = schema.query("SELECT s.name FROM strategies s JOIN agent_strategy_pnl p ON p.strategy = s.name ORDER BY 1")
    assert joined.rows == (("fast",), ("slow",))
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        schema.write("INSERT INTO agent_strategy_pnl (strategy) VALUES ($1)", ["nobody"], key="k")


def test_s_35_agents_refer_to_strategies_and_never_write_them(schema: AgentSchema) -> None:
    for sql in (
        "INSERT INTO strategies (name, note, at) VALUES ($1, $1, $1)",
        "DELETE FROM strategies WHERE name = $1",
    ):
        with pytest.raises(Refusal):
            schema.write(sql, ["x"], key=sql)
    with pytest.raises(Refusal):
        schema.plan("drop", "DROP TABLE strategies")


def test_sums_of_several_assets_are_kept_apart_or_not_written(ledger: Ledger, settings: Settings) -> None:
    schema = AgentSchema(ledger, settings)
    extend(schema, "strategies", STRATEGIES)
    payment_at(ledger, "settled", strategy="slow")
    payment_at(ledger, "settled", strategy="slow", asset="0x" + "7e" * 20)
    assert "several assets are not added together" in fill_agent_tables(ledger, settings).problems[0]
    for column in ("network", "asset"):
        extend(schema, f"apart-{column}", f"ALTER TABLE agent_strategy_pnl ADD COLUMN {column} TEXT")
    # A key of the strategy alone has no room for two assets.
    assert "agent_strategy_pnl is not filled" in fill_agent_tables(ledger, settings).problems[0]


def test_tables_in_another_database_are_filled_there(sqlite_settings: Settings, postgres_url: str) -> None:
    settings = replace(sqlite_settings, schema=SchemaSettings(database_url=postgres_url))
    with Ledger.open(settings) as ledger:
        schema = AgentSchema(ledger, settings)
        extend(schema, "transactions", TRANSACTIONS)
        PaymentList(ledger).reserve(reserved("c"), "p-1")
        assert fill_agent_tables(ledger, settings).transactions == 1
        assert schema.query("SELECT status FROM agent_x402_transactions").rows == (("reserved",),)
        schema.close()
