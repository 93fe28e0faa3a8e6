"""The tools for tables: walk C by a model that calls them, on both databases, within the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mayfly.core import Invocation, Refusal, Settings, StoreSettings
from mayfly.market import PaymentReleased
from mayfly.runtime import Session
from mayfly.session.tools._database import database_tools
from mayfly.store import Ledger, PaymentList
from mayfly.store.schema import AgentSchema
from mayfly.testing import ChatReply, chat_server
from session.scenes import calls, command, says
from session.test_executor import model
from store.money import payment_at

PNL = "CREATE TABLE agent_pnl (id integer PRIMARY KEY, day date NOT NULL, amount numeric(18, 8) NOT NULL DEFAULT 0)"
ASKED = command("add", "a table agent_pnl")


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    return Settings(state_dir=str(tmp_path / "state"), store=StoreSettings(database_url=url))


def results(session: Session) -> list[tuple[str, str, str]]:
    return [(done.tool, done.status, done.text) for done in session.log.turns[-1].returned.values()]


def run(settings: Settings, workspace: Path, *replies: ChatReply) -> list[tuple[str, str, str]]:
    with (
        chat_server(model(*replies, intents=ASKED)) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Add a table agent_pnl")
        return results(session)


def test_walk_c_a_session_extends_the_schema_writes_and_asks(settings: Settings, workspace: Path) -> None:
    insert = "INSERT INTO agent_pnl (id, day, amount) VALUES ($1, $2, $3)"
    told = run(
        settings,
        workspace,
        calls(("schema_extend", {"name": "create_agent_pnl", "sql": PNL})),
        calls(("db_write", {"sql": insert, "values": [1, "2026-01-01", 2]})),
        calls(("db_query", {"sql": "SELECT id, day FROM agent_pnl WHERE id = $1", "values": [1]})),
        calls(("schema_extend", {"name": "create_agent_pnl", "sql": PNL})),
        says("There is a table agent_pnl now."),
    )
    assert [(tool, status) for tool, status, _ in told] == [
        ("schema_extend", "ok"),
        ("db_write", "ok"),
        ("db_query", "ok"),
        ("schema_extend", "ok"),
    ]
    assert told[0][2] == "applied create_agent_pnl:\n  CREATE TABLE agent_pnl"
    assert told[1][2] == "1 row changed"
    assert json.loads(told[2][2]) == [{"id": 1, "day": "2026-01-01"}]
    assert told[3][2].startswith("already applied")


def test_a_refusal_tells_the_model_what_to_do_and_it_goes_on(settings: Settings, workspace: Path) -> None:
    told = run(
        settings,
        workspace,
        calls(("schema_extend", {"name": "bad", "sql": "DROP TABLE mayfly_events"})),
        calls(("schema_extend", {"name": "bad", "sql": "CREATE TABLE pnl (a integer)"})),
        calls(("db_write", {"sql": "DELETE FROM mayfly_runs"})),
        calls(("db_query", {"sql": "SELECT payload FROM mayfly_events"})),
        calls(("schema_extend", {"name": "fine", "sql": "CREATE TABLE agent_x (a text DEFAULT 'drop table users')"})),
        says("done"),
    )
    assert [status for _, status, _ in told] == ["error", "error", "error", "error", "ok"]
    assert "an agent drops nothing" in told[0][2]
    assert "call it agent_" in told[1][2]
    assert "kept by Mayfly itself" in told[2][2]
    assert "may not be read by an agent" in told[3][2]


def test_the_rules_decide_who_extends_the_schema(settings: Settings, workspace: Path) -> None:
    with (
        chat_server(
            model(
                calls(("schema_extend", {"name": "x", "sql": PNL}), ("db_write", {"sql": "DELETE FROM agent_x"})),
                says("no"),
                intents=[{"category": "query", "verb": "review", "target": "it", "constraint": "none"}],
            )
        ) as server,
        Session(settings, workspace=workspace, model=server.model) as session,
    ):
        session.turn("Review it")
        assert {status for _, status, _ in results(session)} == {"refused"}


@pytest.fixture
def server(postgres_url: str) -> Iterator[Any]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def test_s_p5_no_lock_and_no_transaction_is_open_while_the_model_thinks(
    settings: Settings, workspace: Path, server: Any
) -> None:
    if not settings.store.database_url:
        pytest.skip("SQLite has no list of locks")
    seen: list[tuple[Any, ...]] = []
    locks = "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype = 'relation'"
    open_ones = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mayfly' AND state LIKE 'idle in%'"
    script = model(
        calls(("schema_extend", {"name": "one", "sql": PNL})),
        calls(("schema_extend", {"name": "two", "sql": "ALTER TABLE agent_pnl ADD COLUMN note text"})),
        says("done"),
        intents=ASKED,
    )

    def slow(body: dict[str, Any]) -> ChatReply:
        seen.append((server.execute(locks).fetchone()[0], server.execute(open_ones).fetchone()[0]))
        return script(body)

    with chat_server(slow) as chat, Session(settings, workspace=workspace, model=chat.model) as session:
        session.turn("Add a table agent_pnl")
        assert [status for _, status, _ in results(session)] == ["ok", "ok"]
    assert len(seen) >= 3
    assert set(seen) == {(0, 0)}


def test_a_write_that_was_cut_off_is_done_once(settings: Settings, workspace: Path) -> None:
    with Ledger.open(settings) as ledger:
        schema = AgentSchema(ledger, settings)
        schema.apply(schema.plan("pnl", "CREATE TABLE agent_n (a integer)"))
        tools = {tool.name: tool for tool in database_tools("s-1", lambda: schema)}
        call = Invocation(arguments={"sql": "INSERT INTO agent_n (a) VALUES (1)"}, key="t1.c1")
        assert tools["db_write"].call(call) == tools["db_write"].call(call) == "1 row changed"
        assert schema.query("SELECT count(*) FROM agent_n").rows == ((1,),)
        tools["db_write"].call(replace(call, key="t1.c2"))
        assert schema.query("SELECT count(*) FROM agent_n").rows == ((2,),)


def test_the_rules_are_told_the_tables_and_no_text_of_the_statement(settings: Settings) -> None:
    with Ledger.open(settings) as ledger:
        schema = AgentSchema(ledger, settings)
        tools = {tool.name: tool for tool in database_tools("s-1", lambda: schema)}
        sql = "CREATE TABLE agent_x (a text DEFAULT 'drop table users')"
        asked = tools["schema_extend"].asks(Invocation(arguments={"name": "x", "sql": sql}))
        assert [(one.action, one.target, one.payload) for one in asked] == [("schema_extend", "agent_x", "")]
        with pytest.raises(Refusal):
            tools["schema_extend"].asks(Invocation(arguments={"name": "x", "sql": "DROP TABLE agent_x"}))


def test_s_34_who_reads_its_table_of_money_reads_what_the_ledger_knows_now(settings: Settings) -> None:
    with Ledger.open(settings) as ledger:
        schema = AgentSchema(ledger, settings)
        columns = "service_url text, amount_usd numeric(18, 8), tx_hash text, status text, created_at timestamp"
        key = "integer PRIMARY KEY" + (" GENERATED ALWAYS AS IDENTITY" if settings.store.database_url else "")
        schema.apply(schema.plan("money", f"CREATE TABLE agent_x402_transactions (id {key}, {columns})"))
        payment_at(ledger, "unknown")
        tools = {tool.name: tool for tool in database_tools("s-1", lambda: schema)}
        call = Invocation(arguments={"sql": "SELECT status FROM agent_x402_transactions"})
        assert json.loads(str(tools["db_query"].call(call))) == [{"status": "unknown"}]
        row = next(PaymentList(ledger).each())
        event = PaymentReleased(before=row.turn, reason="a block shows it unused", block=7)
        PaymentList(ledger).move(row.id, event)
        assert json.loads(str(tools["db_query"].call(call))) == [{"status": "released"}]
