"""The restricted role: what migrations run as, and what holds where the gate would let everything through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest

from mayfly.core import InputError, Refusal, SchemaSettings, Settings, StoreError, StoreSettings
from mayfly.store import Ledger
from mayfly.store.schema import AgentSchema
from mayfly.store.schema._postgres_engine import PostgresEngine, _as_role
from store.conftest import Plain

REFUSED = "permission denied|must be owner|must be superuser"
PNL = "CREATE TABLE agent_pnl (id integer PRIMARY KEY, day date)"


@pytest.fixture
def there(postgres_settings: Settings) -> Iterator[Settings]:
    """Return settings with a role of this test's own: roles belong to the whole server."""
    role = f"mayfly_agent_{uuid4().hex[:8]}"
    yield replace(postgres_settings, schema=SchemaSettings(role=role))
    with psycopg.connect(postgres_settings.store.database_url, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            connection.execute(f"DROP OWNED BY {role} CASCADE".encode())
            connection.execute(f"DROP ROLE {role}".encode())


@pytest.fixture
def restricted(there: Settings) -> Iterator[AgentSchema]:
    with Ledger.open(there) as ledger, closing(AgentSchema(ledger, there)) as schema:
        with closing(Plain(there)) as plain:
            plain.run("CREATE TABLE users (id serial PRIMARY KEY, email text)")
        schema.apply(schema.plan("before", "CREATE TABLE agent_before (id integer PRIMARY KEY)"))
        schema.make_role()
        yield schema


def owners(settings: Settings) -> dict[str, str]:
    with closing(Plain(settings)) as plain:
        return dict(plain.run("SELECT tablename, tableowner FROM pg_tables WHERE schemaname = current_schema()"))


def test_without_a_role_it_is_said_and_what_would_make_it(there: Settings) -> None:
    with Ledger.open(there) as ledger:
        schema = AgentSchema(ledger, there)
        state = schema.role_state()
        assert (state.exists, state.in_force) == (False, False)
        assert any(statement.startswith("CREATE ROLE") for statement in state.statements)
        assert "NOSUPERUSER" in state.statements[0]
        assert schema.apply(schema.plan("pnl", PNL)).role == ""


def test_migrations_run_as_the_role_and_own_what_they_make(restricted: AgentSchema, there: Settings) -> None:
    role = there.schema.role
    assert restricted.role_state().in_force
    assert restricted.apply(restricted.plan("pnl", PNL)).role == role
    restricted.apply(restricted.plan("note", "ALTER TABLE agent_before ADD COLUMN note text"))
    point = "CREATE TABLE agent_seen (id serial, user_id integer REFERENCES users (id))"
    restricted.apply(restricted.plan("seen", f"{point}; ALTER TABLE users ADD COLUMN nick text"))
    found = owners(there)
    assert {found[name] for name in ("agent_pnl", "agent_before", "agent_seen")} == {role}
    assert role not in {found[name] for name in ("users", "agent_migrations", "mayfly_events")}
    assert restricted.write("INSERT INTO agent_pnl (id) VALUES (1)", key="one").changed == 1
    assert restricted.query("SELECT id FROM agent_pnl").rows == ((1,),)


def test_the_role_may_read_payments_and_change_nothing_of_them(restricted: AgentSchema, there: Settings) -> None:
    table = "CREATE TABLE agent_x402_transactions (id integer, amount_usd numeric(18, 8))"
    restricted.apply(restricted.plan("payments", table))
    assert owners(there)["agent_x402_transactions"] != there.schema.role
    assert restricted.query("SELECT count(*) FROM agent_x402_transactions").rows == ((0,),)
    for sql in ("DELETE FROM agent_x402_transactions", "DROP TABLE agent_x402_transactions"):
        with pytest.raises(StoreError, match=REFUSED):
            send_as_role(restricted, there, sql)


def send_as_role(schema: AgentSchema, settings: Settings, sql: str) -> None:
    """Send a statement past the gate."""
    assert isinstance(schema.engine, PostgresEngine)
    with schema._changing() as (connection, _), _as_role(connection, settings.schema.role):
        schema.engine._send(connection, sql)


@pytest.mark.first(6)
@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE users",
        "DELETE FROM users",
        "SELECT * FROM users",
        "SELECT * FROM mayfly_events",
        "DROP TABLE mayfly_events",
        "ALTER TABLE mayfly_events DISABLE TRIGGER ALL",
        "DELETE FROM agent_migrations",
        "DROP TABLE agent_migrations",
        "COPY users TO PROGRAM 'cat'",
        "SELECT pg_read_file('/etc/passwd')",
        "CREATE ROLE evil",
        "ALTER TABLE users OWNER TO CURRENT_USER",
        "CREATE TRIGGER t AFTER INSERT ON users EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    ],
)
def test_s_19_with_the_gate_switched_off_the_role_holds(restricted: AgentSchema, there: Settings, sql: str) -> None:
    with pytest.raises(StoreError, match=REFUSED):
        send_as_role(restricted, there, sql)


def test_a_second_statement_is_stopped_by_the_protocol(restricted: AgentSchema, there: Settings) -> None:
    with pytest.raises(StoreError, match="multiple commands"):
        send_as_role(restricted, there, "SELECT 1; DROP TABLE agent_before")
    assert "agent_before" in owners(there)


def test_an_operator_who_is_no_superuser_makes_the_role_or_is_told_why_not(
    postgres_settings: Settings, there: Settings
) -> None:
    user = f"op_{uuid4().hex[:8]}"
    with closing(Plain(postgres_settings)) as plain:
        schema = plain.run("SELECT current_schema()")[0][0]
        plain.run(f"CREATE ROLE {user} LOGIN NOCREATEROLE")
        plain.run(f"GRANT ALL ON SCHEMA {schema} TO {user}")
        url = postgres_settings.store.database_url.replace("postgres@", f"{quote(user)}@")
        mine = replace(there, store=StoreSettings(database_url=url))
        try:
            with Ledger.open(mine) as ledger:
                tables = AgentSchema(ledger, mine)
                with pytest.raises(Refusal) as refused:
                    tables.make_role()
                assert refused.value.verdict.code == "RIGHTS"
                assert not tables.role_state().in_force
        finally:
            plain.run(f"DROP OWNED BY {user} CASCADE")
            plain.run(f"DROP ROLE {user}")


def test_sqlite_has_no_roles_and_says_what_holds(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        schema = AgentSchema(ledger, sqlite_settings)
        assert "no roles" in schema.role_state().reason
        with pytest.raises(InputError, match="no roles"):
            schema.make_role()
