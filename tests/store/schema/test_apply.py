"""Migrations on both databases: all or nothing, once for each name, remembered, within their time."""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, Refusal, SchemaSettings, Settings, StoreSettings
from mayfly.store import Ledger
from mayfly.store.schema import AgentSchema, SchemaApplied
from mayfly.testing import postgres_schema
from store.conftest import Plain

from .conftest import Extend, look

STATIC = Path(__file__).parents[3] / "src" / "mayfly" / "store" / "migrations"
PNL = "CREATE TABLE agent_pnl (id integer PRIMARY KEY, day date NOT NULL, amount numeric(18, 8) NOT NULL DEFAULT 0)"


def refusal(extend: Extend, sql: str, name: str = "bad") -> str:
    with pytest.raises(Refusal) as refused:
        extend(sql, name)
    return refused.value.verdict.code


def test_s_18_what_each_database_can_do_is_done(extend: Extend, plain: Plain) -> None:
    extend(PNL)
    extend("ALTER TABLE agent_pnl ADD COLUMN note text", "note")
    extend("CREATE INDEX agent_pnl_day ON agent_pnl (day)", "index")
    if plain.dialect == "postgresql":
        extend("ALTER TABLE agent_pnl ALTER COLUMN amount TYPE numeric(20, 8)", "type")
        extend("ALTER TABLE agent_pnl ALTER COLUMN note SET DEFAULT 'x'", "default")
        assert plain.run("INSERT INTO agent_pnl (id, day) VALUES (1, '2026-01-01') RETURNING note") == [("x",)]
    else:
        assert refusal(extend, "ALTER TABLE agent_pnl ALTER COLUMN amount TYPE text") == "UNSUPPORTED"


def test_s_21_the_application_inserts_as_before(extend: Extend, users: Plain) -> None:
    extend("ALTER TABLE users ADD COLUMN nick text; ALTER TABLE users ADD COLUMN points int NOT NULL DEFAULT 5", "add")
    extend("CREATE INDEX users_by_mail ON users (email)", "index")
    extend("CREATE TABLE agent_seen (user_id integer REFERENCES users (id) ON DELETE CASCADE)", "point")
    users.run("INSERT INTO users (email) VALUES ('b@example.com')")
    assert users.run("SELECT email, nick, points FROM users ORDER BY email")[-1] == ("b@example.com", None, 5)


def test_s_21_a_default_that_inserts_rely_on_stays(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, closing(Plain(postgres_settings)) as plain:
        plain.run("CREATE TABLE users (id serial PRIMARY KEY, code int UNIQUE, level int)")
        schema = AgentSchema(ledger, postgres_settings)
        schema.apply(schema.plan("level", "ALTER TABLE users ALTER COLUMN level SET DEFAULT 3"))
        for column in ("id", "code"):
            with pytest.raises(Refusal, match=f"rely on how {column} is filled"):
                schema.apply(schema.plan("bad", f"ALTER TABLE users ALTER COLUMN {column} SET DEFAULT 1"))
        plain.run("INSERT INTO users DEFAULT VALUES")
        plain.run("INSERT INTO users DEFAULT VALUES")


def test_s_22_failed_ddl_rolls_back_and_leaves_nothing(extend: Extend, plain: Plain, ledger: Ledger) -> None:
    extend(PNL)
    before, events = look(plain), ledger.count()
    two = "CREATE TABLE agent_second (a integer); CREATE INDEX agent_i ON agent_second (no_such_column)"
    assert refusal(extend, two) == "FAILED"
    assert look(plain) == before
    assert ledger.count() == events
    assert plain.run("SELECT count(*) FROM agent_migrations") == [(1,)]


def test_s_22_a_migration_with_one_refused_statement_does_not_begin(extend: Extend, plain: Plain) -> None:
    before = look(plain)
    assert refusal(extend, f"{PNL}; DROP TABLE mayfly_events") == "DROP"
    assert look(plain) == before


def test_s_23_the_table_of_migrations_has_its_columns_and_a_row(extend: Extend, plain: Plain) -> None:
    extend(PNL, "create_agent_pnl")
    rows = plain.run("SELECT id, migration_name, sql_executed FROM agent_migrations")
    assert rows == [(1, "create_agent_pnl", PNL)]
    assert plain.run("SELECT count(*) FROM agent_migrations WHERE applied_at IS NOT NULL") == [(1,)]
    with pytest.raises(Exception, match=r"(?i)unique"):
        plain.run("INSERT INTO agent_migrations (migration_name, sql_executed) VALUES ('create_agent_pnl', 'x')")


def test_s_24_the_same_again_does_nothing_and_other_sql_is_a_conflict(extend: Extend, ledger: Ledger) -> None:
    assert extend(PNL).fresh
    events = ledger.count()
    assert not extend(PNL).fresh
    assert not extend(f"\n{PNL}\n").fresh
    with pytest.raises(ConflictError, match="applied with other SQL"):
        extend("CREATE TABLE agent_other (a integer)")
    assert ledger.count() == events


def test_s_25_two_at_once_one_applies(settings: Settings, ledger: Ledger, plain: Plain) -> None:
    done: list[bool] = []
    start = threading.Barrier(4)

    def run() -> None:
        with Ledger.open(settings) as own, closing(AgentSchema(own, settings)) as schema:
            migration = schema.plan("same", PNL)
            start.wait()
            done.append(schema.apply(migration).fresh)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, False, True]
    assert plain.run("SELECT count(*) FROM agent_migrations") == [(1,)]


def test_s_25_the_ledger_has_the_migration_in_the_same_transaction(extend: Extend, ledger: Ledger) -> None:
    extend(PNL, "pnl")
    event = ledger.last("schema.applied", "schema-pnl")
    assert event is not None
    assert isinstance(event.data, SchemaApplied)
    assert event.data.statements == ("CREATE TABLE agent_pnl",)
    assert event.data.hash == hashlib.sha256(PNL.encode()).hexdigest()
    assert ledger.verify().ok


def _static() -> str:
    files = sorted(STATIC.rglob("*.sql"))
    assert len(files) >= 8
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def test_s_41_migrations_of_agents_leave_those_of_the_product_alone(extend: Extend, plain: Plain) -> None:
    before, rows = _static(), plain.run("SELECT * FROM mayfly_migrations ORDER BY id")
    extend(PNL)
    assert _static() == before
    assert plain.run("SELECT * FROM mayfly_migrations ORDER BY id") == rows


def test_s_p2_a_store_with_tables_of_agents_is_opened_and_brought_up_as_any_other(
    extend: Extend, settings: Settings, plain: Plain
) -> None:
    extend(PNL)
    before = look(plain)
    with Ledger.open(settings) as again:
        assert again.verify().ok
    assert look(plain) == before


def test_s_p5_a_migration_waits_for_a_lock_no_longer_than_it_may(postgres_settings: Settings) -> None:
    short = replace(postgres_settings, schema=SchemaSettings(lock_timeout=0.05))
    with Ledger.open(short) as ledger, closing(Plain(short)) as plain:
        schema = AgentSchema(ledger, short)
        schema.apply(schema.plan("pnl", PNL))
        plain.run("BEGIN")
        plain.run("LOCK TABLE agent_pnl IN ACCESS SHARE MODE")
        with pytest.raises(Refusal) as refused:
            schema.apply(schema.plan("note", "ALTER TABLE agent_pnl ADD COLUMN note text"))
        assert refused.value.verdict.code == "LOCKED"
        plain.run("ROLLBACK")
        assert schema.apply(schema.plan("note", "ALTER TABLE agent_pnl ADD COLUMN note text")).fresh


def test_s_p5_a_statement_takes_no_longer_than_it_may(settings: Settings, ledger: Ledger, plain: Plain) -> None:
    short = replace(settings, schema=SchemaSettings(statement_timeout=0.05))
    schema = AgentSchema(ledger, short)
    schema.apply(schema.plan("rows", "CREATE TABLE agent_rows (a integer, b text)"))
    numbers = (
        "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 300000) SELECT a, a || 'x' FROM n"
    )
    plain.run(f"INSERT INTO agent_rows {numbers}")
    began = time.monotonic()
    with pytest.raises(Refusal) as refused:
        schema.apply(schema.plan("slow", "CREATE INDEX agent_slow ON agent_rows (b, a)"))
    assert refused.value.verdict.code == "TIMEOUT"
    assert time.monotonic() - began < 20
    assert plain.run("SELECT count(*) FROM agent_migrations") == [(1,)]


def test_an_unusable_name_or_text_is_one_clear_line(schema: AgentSchema) -> None:
    for name in ("", "a b", "x" * 129, "../x", "a\n"):
        with pytest.raises(InputError, match="is no name of a migration"):
            schema.plan(name, PNL)
    for sql in ("", ";;", "-- nothing"):
        with pytest.raises(Refusal, match="no statement"):
            schema.plan("x", sql)


def test_a_schema_that_is_not_the_default_one_is_refused_when_it_is_known(postgres_settings: Settings) -> None:
    """The tests' tables live in a schema of their own, so `public` is another one."""
    with Ledger.open(postgres_settings) as ledger:
        schema = AgentSchema(ledger, postgres_settings)
        with pytest.raises(Refusal, match="another schema"):
            schema.apply(schema.plan("x", "CREATE TABLE public.agent_x (a integer)"))


def test_a_server_that_reads_backslashes_reads_what_the_gate_read(postgres_settings: Settings) -> None:
    url = postgres_settings.store.database_url + "%20-cstandard_conforming_strings%3Doff"
    there = replace(postgres_settings, store=StoreSettings(database_url=url))
    with Ledger.open(there) as ledger, closing(Plain(there)) as plain:
        schema = AgentSchema(ledger, there)
        schema.apply(schema.plan("x", r"CREATE TABLE agent_x (a text DEFAULT '\', b text DEFAULT ', c int) --')"))
        columns = plain.run(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'agent_x' ORDER BY 1"
        )
        assert columns == [("a",), ("b",)]


def test_another_database_is_extended_and_the_ledger_knows(
    sqlite_settings: Settings, postgres_server: str, tmp_path: Path
) -> None:
    with postgres_schema(postgres_server) as url:
        there = replace(sqlite_settings, schema=SchemaSettings(database_url=url))
        with Ledger.open(there) as ledger, closing(AgentSchema(ledger, there)) as schema:
            assert schema.apply(schema.plan("pnl", PNL)).fresh
            assert ledger.last("schema.applied", "schema-pnl") is not None
            assert schema.write("INSERT INTO agent_pnl (id, day) VALUES (1, $1)", ["2026-01-01"], key="k").changed == 1
            assert schema.write("INSERT INTO agent_pnl (id, day) VALUES (1, $1)", ["2026-01-01"], key="k").changed == 1
            assert schema.query("SELECT id FROM agent_pnl").rows == ((1,),)
        # The ledger lost what the other database has, as when a process died between the two.
        fresh = replace(there, state_dir=str(tmp_path / "other"))
        with Ledger.open(fresh) as ledger, closing(AgentSchema(ledger, fresh)) as schema:
            assert not schema.apply(schema.plan("pnl", PNL)).fresh
            assert ledger.last("schema.applied", "schema-pnl") is not None


def test_c_32_a_retired_table_keeps_its_rows_until_an_operator_purges(
    extend: Extend, schema: AgentSchema, plain: Plain, ledger: Ledger
) -> None:
    extend(PNL)
    plain.run("INSERT INTO agent_pnl (id, day) VALUES (1, '2026-01-01')")
    renamed = schema.retire("agent_pnl", by="me")
    assert renamed.startswith("agent_trash_pnl_")
    assert plain.run(f"SELECT id FROM {renamed}") == [(1,)]
    assert schema.retired() == [renamed]
    for sql in (
        f"DROP TABLE {renamed}",
        f"ALTER TABLE {renamed} RENAME TO agent_pnl",
        f"CREATE INDEX i ON {renamed} (id)",
    ):
        with pytest.raises(Refusal):
            schema.plan("back", sql)
    with pytest.raises(InputError, match="was not retired"):
        schema.purge(["agent_migrations"], by="me")
    schema.purge([renamed], by="me")
    assert schema.retired() == []
    assert [event.kind for event in ledger.read() if event.kind.startswith("schema.")] == [
        "schema.applied",
        "schema.retired",
        "schema.purged",
    ]


def test_c_32_a_name_can_be_used_and_retired_again_and_again(extend: Extend, schema: AgentSchema) -> None:
    for number in range(3):
        extend(PNL, f"pnl-{number}")
        schema.retire("agent_pnl")
    assert len(set(schema.retired())) == 3


@pytest.mark.parametrize("table", ["mayfly_events", "agent_migrations", "users", "agent_x402_transactions"])
def test_c_32_only_tables_of_agents_are_retired(schema: AgentSchema, users: Plain, table: str) -> None:
    before = look(users)
    with pytest.raises(Refusal):
        schema.retire(table)
    with pytest.raises(InputError, match="there is no table"):
        schema.retire("agent_nothing")
    assert look(users) == before


def test_c_32_what_others_need_is_not_purged(extend: Extend, schema: AgentSchema, plain: Plain) -> None:
    extend(f"{PNL}; CREATE TABLE agent_child (pnl integer REFERENCES agent_pnl (id))")
    plain.run("INSERT INTO agent_pnl (id, day) VALUES (1, '2026-01-01')")
    plain.run("INSERT INTO agent_child VALUES (1)")
    renamed = schema.retire("agent_pnl")
    before = look(plain)
    with pytest.raises(Refusal, match="nothing was changed"):
        schema.purge([renamed], by="me")
    assert look(plain) == before
