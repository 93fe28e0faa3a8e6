"""The gate: lists that were written before it, and what each requirement asks of it. No database is connected to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import Refusal, SchemaSettings, Settings, Verdict
from mayfly.store.schema import Dialect, check_statement
from mayfly.store.schema._names import SchemaRules
from mayfly.store.schema._sqlite_compare import compare, picture
from mayfly.store.schema._sqlite_gate import run_guarded

HERE = Path(__file__).parent
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


def listed(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def decide(sql: str, dialect: Dialect = "postgres", **settings: Any) -> Verdict:
    return check_statement(sql, dialect=dialect, settings=Settings(schema=SchemaSettings(**settings)))


def code(sql: str, dialect: Dialect = "postgres", **settings: Any) -> str:
    return decide(sql, dialect, **settings).code


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["legitimate", "evil"])
def test_every_listed_statement_is_decided_as_it_should_be(name: str, dialect: Dialect) -> None:
    wrong = []
    for row in listed(name):
        verdict = decide(row["sql"], dialect)
        if verdict.decision != row[dialect]:
            wrong.append((row["sql"], verdict.code, verdict.message))
    assert wrong == []


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert sum(row["postgres"] == "accept" for row in listed("legitimate")) >= 100
    assert sum(row["postgres"] == "reject" for row in listed("evil")) >= 200


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_refusal_has_a_code_a_reason_and_a_way_on(dialect: Dialect) -> None:
    for row in listed("evil"):
        verdict = decide(row["sql"], dialect)
        if verdict.decision == "reject":
            assert verdict.code.isupper(), row["sql"]
            assert verdict.message, row["sql"]
            assert "\n" not in verdict.message, row["sql"]
            assert verdict.fix, row["sql"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE agent_x (a int)",
        "ALTER TABLE agent_x ADD COLUMN b text",
        "CREATE INDEX i ON agent_x (a)",
        "ALTER TABLE agent_x ALTER COLUMN a TYPE bigint",
        "ALTER TABLE agent_x ALTER COLUMN a SET DEFAULT 3",
    ],
)
def test_s_18_each_kind_of_extension_is_allowed(sql: str) -> None:
    assert code(sql) == "OK"
    # What SQLite cannot do it says plainly.
    assert code(sql, "sqlite") == ("UNSUPPORTED" if "ALTER COLUMN" in sql else "OK")


# Everything that a list of patterns let through in the project this comes from, and what it refused wrongly.
BYPASSES = [
    "DELETE FROM users",
    "UPDATE wallets SET balance = 1",
    "GRANT ALL ON users TO PUBLIC",
    "DROP/**/TABLE users",
    "DROP VIEW v",
    "DROP INDEX i",
    "DROP FUNCTION f()",
    "CREATE TABLE agent_x (a int); ALTER TABLE users ADD COLUMN b int, DROP COLUMN email",
    "CREATE TABLE agent_x (a int); COMMIT; DROP OWNED BY me",
    "ALTER TABLE users ADD COLUMN a int, DROP email",
    "CREATE TABLE users2 (a int)",
    "DO $$ BEGIN EXECUTE 'drop table users'; END $$",
    "COPY users TO PROGRAM 'sh'",
    "CREATE TRIGGER t AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION f()",
    "SELECT pg_sleep(1e9)",
]


@pytest.mark.parametrize("sql", BYPASSES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_s_19_every_known_bypass_is_refused_before_a_connection_is_taken(sql: str, dialect: Dialect) -> None:
    assert decide(sql, dialect).decision == "reject"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE agent_x (a text DEFAULT 'drop table users')",
        "CREATE TABLE agent_x (a text) -- drop table users",
        "CREATE /* drop table users; */ TABLE agent_x (a text CHECK (a <> 'DROP TABLE x; TRUNCATE y'))",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_s_19_words_in_a_literal_or_a_comment_are_words(sql: str, dialect: Dialect) -> None:
    assert code(sql, dialect) == "OK"


def test_s_19_the_form_that_was_refused_wrongly_is_accepted() -> None:
    assert code("ALTER TABLE IF EXISTS agent_x ADD COLUMN b int") == "OK"


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE agent_x",
        "DROP TABLE IF EXISTS agent_x CASCADE",
        "ALTER TABLE agent_x DROP COLUMN a",
        "ALTER TABLE agent_x DROP CONSTRAINT c",
        "ALTER TABLE agent_x ADD COLUMN b int, DROP COLUMN a",
        "DROP INDEX agent_i",
        "DROP VIEW agent_v",
        "TRUNCATE agent_x",
    ],
)
def test_c_32_an_agent_drops_nothing_its_own_tables_included(sql: str) -> None:
    assert code(sql) == "DROP"


def test_s_20_own_tables_are_the_agents_to_shape() -> None:
    own = [row for row in listed("legitimate") if row["postgres"] == "accept" and "users" not in row["sql"]]
    assert len(own) > 30
    assert {code(row["sql"]) for row in own} == {"OK"}


@pytest.mark.parametrize("table", ["agent_migrations", '"agent_Migrations"', "mayfly_events", "agent_trash_x_1"])
@pytest.mark.parametrize(
    "sql", ["CREATE TABLE {} (a int)", "ALTER TABLE {} ADD COLUMN x int", "CREATE INDEX i ON {} (a)"]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_s_20_what_is_the_products_own_is_protected_by_name(sql: str, table: str, dialect: Dialect) -> None:
    assert code(sql.format(table), dialect) == "PROTECTED"


def test_s_20_the_sequences_of_protected_tables_are_protected_with_them() -> None:
    assert code("ALTER SEQUENCE agent_migrations_id_seq RESTART WITH 1") == "PROTECTED"
    assert code("ALTER SEQUENCE agent_x402_transactions_id_seq RESTART WITH 1") == "PROTECTED"


def test_s_20_the_table_of_payments_is_made_once_and_then_only_added_to() -> None:
    table = "agent_x402_transactions"
    assert code(f"CREATE TABLE {table} (id int, amount_usd numeric(18,8))") == "OK"
    assert code(f"ALTER TABLE {table} ADD COLUMN note text") == "OK"
    assert code(f"CREATE INDEX i ON {table} (id)") == "OK"
    assert code(f"ALTER TABLE {table} ALTER COLUMN amount_usd TYPE int") == "CORE"
    assert code(f"ALTER TABLE {table} RENAME COLUMN amount_usd TO x") == "PROTECTED"
    assert code(f"ALTER TABLE agent_x RENAME TO {table}") == "PROTECTED"


@pytest.mark.parametrize(
    ("sql", "decided"),
    [
        ("ALTER TABLE users ADD COLUMN a text", "OK"),
        ("ALTER TABLE users ADD COLUMN a int NOT NULL DEFAULT 7", "OK"),
        ("ALTER TABLE users ADD COLUMN a numeric DEFAULT -1.5", "OK"),
        ("CREATE INDEX i ON users (email)", "OK"),
        ("CREATE INDEX i ON users (lower(email)) WHERE email IS NOT NULL", "OK"),
        ("ALTER TABLE users ADD COLUMN a int NOT NULL", "CORE"),
        ("ALTER TABLE users ADD COLUMN a int CHECK (a > 0)", "CORE"),
        ("CREATE UNIQUE INDEX i ON users (email)", "CORE"),
        ("ALTER TABLE users RENAME COLUMN email TO mail", None),
        ("ALTER TABLE users RENAME TO agent_users", None),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_s_21_other_tables_take_columns_and_indexes_that_disturb_no_insert(
    sql: str, decided: str | None, dialect: Dialect
) -> None:
    verdict = decide(sql, dialect)
    assert (verdict.code == decided) if decided else (verdict.decision == "reject")


def test_s_21_a_default_of_another_table_is_a_constant() -> None:
    assert code("ALTER TABLE users ALTER COLUMN level SET DEFAULT 2") == "OK"
    assert code("ALTER TABLE users ALTER COLUMN level SET DEFAULT '{}'::jsonb") == "OK"
    assert code("ALTER TABLE users ALTER COLUMN level SET DEFAULT random()") == "CONSTANT"
    assert code("ALTER TABLE users ADD COLUMN at timestamptz DEFAULT now()") == "CONSTANT"
    assert code("ALTER TABLE users ALTER COLUMN level SET DEFAULT NULL") == "CORE"


@pytest.mark.parametrize("what", ["TYPE bigint", "SET NOT NULL", "DROP NOT NULL", "DROP DEFAULT"])
def test_c_33_columns_of_other_tables_keep_their_type_and_constraints(what: str) -> None:
    assert code(f"ALTER TABLE agent_x ALTER COLUMN level {what}") == "OK"
    assert decide(f"ALTER TABLE users ALTER COLUMN level {what}").decision == "reject"


@pytest.mark.parametrize(
    ("sql", "decided"),
    [
        (f"CREATE TABLE agent_{'a' * 57} (a int)", "OK"),
        (f"CREATE TABLE agent_{'a' * 58} (a int)", "NAME_LENGTH"),
        (f'CREATE TABLE "agent_{"a" * 58}" (a int)', "NAME_LENGTH"),
        # Cut off in the middle of a character, 62 bytes would be left.
        (f'CREATE TABLE agent_x ("{"a" * 62}é" int)', "NAME_LENGTH"),
        (f"ALTER TABLE agent_x RENAME TO agent_{'b' * 60}", "NAME_LENGTH"),
        ('CREATE TABLE "agent_pnl" (a int)', "OK"),
        ('CREATE TABLE agent_x ("Total amount" int)', "OK"),
        ('CREATE TABLE "agent_x y" (a int)', "NAME"),
        ("CREATE TABLE agent_х (a int)", "NAME"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_plain_and_as_long_as_both_databases_keep_them(sql: str, decided: str, dialect: Dialect) -> None:
    assert code(sql, dialect) == decided


def test_names_in_unicode_escapes_are_refused() -> None:
    assert code('CREATE TABLE U&"agent\\005fx" (a int)') == "NAME"


def test_only_the_default_schema_is_meant() -> None:
    assert code("CREATE TABLE public.agent_x (a int)") == "OK"
    assert code("CREATE TABLE other.agent_x (a int)") == "SCHEMA"
    assert code("CREATE TABLE agent_x (a int REFERENCES other.agent_y (a))") == "SCHEMA"
    assert code("COMMENT ON TABLE other.agent_x IS 'x'") != "OK"
    assert code("CREATE TABLE main.agent_x (a int)", "sqlite") == "OK"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_view_reads_what_agents_may_read(dialect: Dialect) -> None:
    assert code("CREATE VIEW agent_v AS SELECT email FROM users", dialect) == "READS"
    assert code("CREATE VIEW agent_v AS SELECT email FROM users", dialect, readable="users") == "OK"
    assert code("CREATE VIEW agent_v AS SELECT * FROM mayfly_events", dialect, readable="users") == "READS"
    hidden = "CREATE VIEW agent_v AS SELECT * FROM (WITH users AS (SELECT 1 AS a) SELECT a FROM users) q, users"
    assert code(hidden, dialect) == "READS"
    assert code("CREATE VIEW agent_v AS WITH users AS (SELECT 1 AS a) SELECT a FROM users", dialect) == "OK"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "- " * 9_000 + "1",
        "SELECT 1" + "+1" * 16_000,
        "CREATE TABLE agent_x (a int CHECK (" + "NOT " * 8_000 + "true))",
        "CREATE VIEW agent_v AS SELECT " + "(SELECT " * 3_000 + "1" + ")" * 3_000,
        "CREATE VIEW agent_v AS SELECT 1" + " UNION SELECT 1" * 2_000,
        "x" * 40_000,
        "CREATE TABLE agent_x (a int)\0; DROP TABLE users",
        "CREATE TABLE agent_x (a text DEFAULT '\ud800')",
    ],
    ids=range(8),
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_would_break_a_parser_is_a_refusal(sql: str, dialect: Dialect) -> None:
    assert decide(sql, dialect).decision == "reject"


def test_brackets_that_mean_nothing_are_no_depth() -> None:
    assert code("CREATE TABLE agent_x (a int CHECK (" + "(" * 8_000 + "a > 1" + ")" * 8_000 + "))") == "OK"


SQL = st.text("()'\"`[];,.-/*$ \n\tabcABC01_", max_size=30)
VOCABULARY = """
CREATE TABLE VIEW INDEX agent_x users ( ) , ; a int text DROP ALTER ADD COLUMN RENAME TO AS SELECT * FROM ' " -- /*
*/ DEFAULT 1 CHECK ON $$ mayfly_events UNIQUE
"""
WORDS = st.lists(st.sampled_from(VOCABULARY.split()), max_size=12).map(" ".join)


@given(st.one_of(SQL, WORDS))
def test_any_text_is_decided_without_a_crash(sql: str) -> None:
    for dialect in DIALECTS:
        verdict = decide(sql, dialect)
        assert verdict.decision in ("accept", "reject")
        if verdict.decision == "accept":
            assert "agent_x" in sql or "users" in sql


# Each guard of SQLite with the other one switched off.


@pytest.fixture
def driver() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(
            "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT); INSERT INTO users VALUES (1, 'a');"
            "CREATE TABLE agent_x (a, b); CREATE INDEX agent_i ON agent_x (a);"
            "CREATE VIEW agent_v AS SELECT a FROM agent_x;"
            "CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT 1; END;"
        )
        yield made


@pytest.mark.parametrize(
    "sql", ["DROP TABLE users", "DROP TABLE agent_x", "DROP INDEX agent_i", "DROP VIEW agent_v", "DROP TRIGGER t"]
)
def test_the_comparison_alone_sees_what_is_missing(sql: str, driver: sqlite3.Connection) -> None:
    before = picture(driver)
    driver.execute(sql)
    with pytest.raises(Refusal) as refused:
        compare(before, picture(driver))
    assert refused.value.verdict.code == "DROP"


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE agent_x DROP COLUMN b",
        "ALTER TABLE users RENAME TO agent_users",
        "ALTER TABLE users RENAME COLUMN email TO mail",
        "ALTER TABLE agent_x RENAME TO agent_migrations",
        "CREATE TABLE other (a)",
        "CREATE TRIGGER t2 AFTER INSERT ON agent_x BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE agent_f USING fts5(a)",
        "CREATE UNIQUE INDEX u ON users (email)",
        "ALTER TABLE users ADD COLUMN c CHECK (c > 0)",
        "CREATE TABLE agent_k (a REFERENCES mayfly_events (id))",
    ],
)
def test_the_comparison_alone_sees_what_is_changed(sql: str, driver: sqlite3.Connection) -> None:
    before = picture(driver)
    driver.execute(sql)
    with pytest.raises(Refusal):
        compare(before, picture(driver))


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE users",
        "DROP TABLE agent_x",
        "DELETE FROM agent_x",
        "INSERT INTO users VALUES (1, 2)",
        "UPDATE users SET email = 1",
        "PRAGMA writable_schema = ON",
        "ATTACH ':memory:' AS evil",
        "CREATE TEMP TABLE agent_t (a)",
        "CREATE TRIGGER agent_t AFTER INSERT ON agent_x BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE agent_f USING fts5(a)",
        "SELECT * FROM users",
        "REINDEX",
        "ANALYZE",
        "SAVEPOINT s",
    ],
)
def test_the_authorizer_alone_stops_what_is_no_extension(sql: str, driver: sqlite3.Connection) -> None:
    with pytest.raises(Refusal):
        run_guarded(driver, sql, SchemaRules())
    assert driver.execute("SELECT count(*) FROM users").fetchone() == (1,)
