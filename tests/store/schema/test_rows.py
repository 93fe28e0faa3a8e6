"""Rows of agents' tables: what may be asked, what may be written, and how much comes back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from mayfly.core import InputError, Refusal, SchemaSettings, Settings
from mayfly.store import Ledger
from mayfly.store.schema import AgentSchema
from store.conftest import Plain

from .conftest import Extend

TABLE = "CREATE TABLE agent_notes (id integer PRIMARY KEY, body text, score numeric(6, 2))"
INSERT = "INSERT INTO agent_notes (id, body, score) VALUES ($1, $2, $3)"


@pytest.fixture
def notes(extend: Extend, schema: AgentSchema) -> AgentSchema:
    extend(TABLE)
    for number in range(5):
        schema.write(INSERT, [number, f"note {number}; drop table users", 1.5], key=str(number))
    return schema


def refused(call: object, sql: str, values: list[object] | None = None) -> str:
    with pytest.raises(Refusal) as error:
        call(sql, values or [])  # type: ignore[operator]
    return error.value.verdict.code


def test_rows_are_written_and_read_with_parameters(notes: AgentSchema) -> None:
    found = notes.query("SELECT id, body FROM agent_notes WHERE id > $1 AND body LIKE $2 ORDER BY id;", [2, "note%"])
    assert found.columns == ("id", "body")
    assert found.rows == ((3, "note 3; drop table users"), (4, "note 4; drop table users"))


def test_a_query_with_joins_groups_and_a_with_is_a_query(notes: AgentSchema) -> None:
    sql = (
        "WITH low AS (SELECT id, body FROM agent_notes WHERE id < 3) "
        "SELECT count(*) AS n, max(upper(a.body)) AS b FROM low a JOIN agent_notes n ON n.id = a.id GROUP BY a.id "
        "HAVING count(*) > 0 ORDER BY 2 DESC LIMIT 1"
    )
    assert notes.query(sql).rows == ((1, "NOTE 2; DROP TABLE USERS"),)


def test_rows_of_a_with_are_counted_and_those_of_others_are_not(
    notes: AgentSchema, extend: Extend, users: Plain
) -> None:
    counting = "WITH low AS (SELECT id FROM agent_notes WHERE id < 3) SELECT count(*) AS n FROM low"
    assert notes.query(counting).rows == ((3,),)
    extend(f"CREATE VIEW agent_count AS {counting}", "view")
    assert notes.query("SELECT n FROM agent_count").rows == ((3,),)
    for sql in (
        "SELECT count(*) FROM users",
        "SELECT count(*) FROM mayfly_events",
        "SELECT count(*) FROM sqlite_master",
        "SELECT count(*) FROM (WITH users AS (SELECT 1) SELECT count(*) FROM users) q, users",
    ):
        refused(notes.query, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM mayfly_events",
        "SELECT payload FROM mayfly_events UNION SELECT body FROM agent_notes",
        "SELECT (SELECT count(*) FROM mayfly_blobs)",
        "SELECT * FROM users",
        "SELECT * FROM pg_authid",
        "SELECT * FROM pg_catalog.pg_authid",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM pragma_table_info('users')",
        "SELECT * FROM agent_notes, users",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT load_extension('/tmp/x')",
        "SELECT set_config('role', 'postgres', false)",
        "SELECT pg_sleep(10)",
        "SELECT * FROM agent_notes FOR UPDATE",
        "SELECT * INTO agent_copy FROM agent_notes",
        "DELETE FROM agent_notes",
        "INSERT INTO agent_notes (id) VALUES (9)",
        "WITH gone AS (DELETE FROM agent_notes RETURNING id) SELECT * FROM gone",
        "WITH x AS (SELECT 1) DELETE FROM agent_notes",
        "EXPLAIN ANALYZE SELECT 1",
        "PRAGMA user_version",
        "PRAGMA user_version = 3",
        "ATTACH ':memory:' AS x",
        "COPY agent_notes TO PROGRAM 'sh'",
        "SELECT 1; DELETE FROM agent_notes",
        "VACUUM",
        "",
        "SELECT '\x00'",
    ],
)
def test_nothing_but_a_query_over_agents_tables_is_run(notes: AgentSchema, users: Plain, sql: str) -> None:
    refused(notes.query, sql)
    assert users.run("SELECT count(*) FROM agent_notes") == [(5,)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO users (email) VALUES ($1)",
        "UPDATE users SET email = $1",
        "DELETE FROM users WHERE email = $1",
        "DELETE FROM agent_migrations WHERE migration_name = $1",
        "UPDATE agent_migrations SET sql_executed = $1",
        "INSERT INTO agent_x402_transactions (tx_hash) VALUES ($1)",
        "DELETE FROM agent_trash_x WHERE a = $1",
        "INSERT INTO mayfly_events (kind) VALUES ($1)",
        "INSERT INTO agent_notes (body) SELECT email FROM users WHERE email = $1",
        "UPDATE agent_notes SET body = (SELECT email FROM users LIMIT 1) WHERE body = $1",
        "DELETE FROM agent_notes WHERE id IN (SELECT id FROM users WHERE email = $1)",
        "DELETE FROM agent_notes USING users WHERE body = $1",
        "WITH gone AS (DELETE FROM users RETURNING id) INSERT INTO agent_notes (body) VALUES ($1)",
        "INSERT INTO agent_notes (body) VALUES ($1) RETURNING (SELECT email FROM users)",
        "INSERT INTO agent_notes (body) VALUES ($1); DELETE FROM users",
        "INSERT INTO other.agent_notes (body) VALUES ($1)",
        "TRUNCATE agent_notes",
        "DROP TABLE agent_notes",
        "ALTER TABLE agent_notes ADD COLUMN x int DEFAULT $1",
        "SELECT $1",
        "UPDATE agent_notes SET body = pg_read_file($1)",
        "REPLACE INTO users (email) VALUES ($1)",
        "UPDATE OR REPLACE users SET email = $1",
        "MERGE INTO users USING agent_notes ON true WHEN MATCHED THEN DELETE",
    ],
)
def test_rows_of_others_are_neither_changed_nor_copied(notes: AgentSchema, users: Plain, sql: str) -> None:
    def write(sql: str, values: list[object]) -> None:
        notes.write(sql, values, key=sql)

    before = users.run("SELECT * FROM users")
    refused(write, sql, ["x"] if "$1" in sql else [])
    assert users.run("SELECT * FROM users") == before
    assert users.run("SELECT count(*) FROM agent_notes") == [(5,)]


def test_texts_are_given_as_parameters(notes: AgentSchema) -> None:
    def write(sql: str, values: list[object]) -> None:
        notes.write(sql, values, key=sql)

    assert refused(write, "UPDATE agent_notes SET body = 'x' WHERE id = 1") == "LITERAL"
    assert refused(write, "UPDATE agent_notes SET body = $2 WHERE id = 1", ["x"]) == "PARAMETERS"
    assert refused(write, "UPDATE agent_notes SET body = $1 WHERE id = 1") == "PARAMETERS"
    assert refused(notes.query, "SELECT 1", ["x"]) == "PARAMETERS"
    assert refused(notes.query, "SELECT $1", [["a list"]]) == "PARAMETERS"


def test_changing_and_deleting_says_how_many_and_returns_what_is_asked(notes: AgentSchema) -> None:
    changed = notes.write("UPDATE agent_notes SET score = score + 1 WHERE id >= $1 RETURNING id", [3], key="up")
    assert (changed.changed, sorted(changed.rows)) == (2, [(3,), (4,)])
    assert notes.write("DELETE FROM agent_notes WHERE id = $1", [0], key="down").changed == 1
    upsert = "INSERT INTO agent_notes (id, body) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
    notes.write(upsert, [1, "new"], key="upsert")
    assert notes.query("SELECT body FROM agent_notes WHERE id = 1").rows == (("new",),)


def test_a_write_with_the_same_key_happens_once(notes: AgentSchema, ledger: Ledger) -> None:
    sql, events = "INSERT INTO agent_notes (id) VALUES (77) RETURNING id", ledger.count()
    first = notes.write(sql, key="the call")
    again = notes.write(sql, key="the call")
    assert first.rows == again.rows == ((77,),)
    assert ledger.count() == events + 1


def test_a_write_that_fails_is_not_recorded(notes: AgentSchema, ledger: Ledger) -> None:
    events = ledger.count()
    with pytest.raises(Refusal, match="nothing was changed"):
        notes.write("INSERT INTO agent_notes (id) VALUES (1)", key="double")
    assert ledger.count() == events
    assert ledger.verify().ok


def test_more_rows_or_bytes_than_allowed_are_left_out_and_said(
    settings: Settings, ledger: Ledger, plain: Plain
) -> None:
    few = replace(settings, schema=SchemaSettings(rows=3, bytes=100))
    schema = AgentSchema(ledger, few)
    schema.apply(schema.plan("notes", TABLE))
    for number in range(5):
        plain.run(f"INSERT INTO agent_notes (id, body) VALUES ({number}, '{'x' * (10 if number < 4 else 200)}')")
    found = schema.query("SELECT id FROM agent_notes ORDER BY id")
    assert (len(found.rows), found.more) == (3, True)
    found = schema.query("SELECT body FROM agent_notes ORDER BY id DESC")
    assert (found.rows, found.more) == ((), True)


def test_a_query_takes_no_longer_than_it_may(settings: Settings, ledger: Ledger) -> None:
    short = replace(settings, schema=SchemaSettings(statement_timeout=0.2))
    schema = AgentSchema(ledger, short)
    endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(Refusal) as error:
        schema.query(endless)
    assert error.value.verdict.code == "TIMEOUT"
    assert schema.query("SELECT 1 AS one").rows == ((1,),)


def test_the_connection_writes_again_after_a_query(notes: AgentSchema, ledger: Ledger) -> None:
    """SQLite's connection is told to read only, and told otherwise afterwards, also where the query failed."""
    for _ in range(3):
        with pytest.raises(Refusal):
            notes.query("SELECT no_such_column FROM agent_notes")
    assert notes.write("DELETE FROM agent_notes", key="all").changed == 5


def test_values_come_back_as_json_has_them(settings: Settings, ledger: Ledger) -> None:
    schema = AgentSchema(ledger, settings)
    if schema.dialect == "postgres":
        sql = "SELECT 1.50::numeric, '2026-01-02'::date, ARRAY[1, 2], '{\"k\": 1}'::jsonb, 'NaN'::float8"
        assert schema.query(sql).rows == (("1.50", "2026-01-02", [1, 2], {"k": 1}, "nan"),)
    else:
        assert schema.query("SELECT x'00ff' AS a, 1.5 AS b, NULL AS c").rows == (("00ff", 1.5, None),)


def test_an_operator_may_let_agents_read_more(settings: Settings, ledger: Ledger, users: Plain) -> None:
    more = replace(settings, schema=SchemaSettings(readable="users, mayfly_runs"))
    schema = AgentSchema(ledger, more)
    assert schema.query("SELECT email FROM users").rows == (("a@example.com",),)
    assert schema.query("SELECT count(*) FROM mayfly_runs").rows == ((0,),)
    assert refused(schema.query, "SELECT * FROM mayfly_events") == "READS"
    with pytest.raises(InputError, match="belongs to the database itself"):
        AgentSchema(ledger, replace(settings, schema=SchemaSettings(readable="pg_authid")))


def test_other_sessions_see_no_half_of_a_write(notes: AgentSchema, settings: Settings) -> None:
    with Ledger.open(settings) as other, closing(AgentSchema(other, settings)) as second:
        notes.write("UPDATE agent_notes SET body = $1", ["same"], key="all")
        assert second.query("SELECT DISTINCT body FROM agent_notes").rows == (("same",),)
