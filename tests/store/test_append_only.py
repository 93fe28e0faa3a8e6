"""Attack the store with a plain SQL connection: whatever is refused must also have changed nothing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from urllib.parse import quote

import psycopg
import pytest

from mayfly.core import Settings, StoreSettings
from mayfly.store import Cache, DoctorAttacked, Ledger

from .conftest import FRESH, Plain
from .money import payment_at, sale_at

# LAST is the newest event, NEXT the only id a row may take, LATER the one after it; SCHEMA is where the tables are.
BOTH = [
    "UPDATE mayfly_events SET payload = '{}'",
    "UPDATE mayfly_events SET id = id + 100 WHERE id = LAST - 1",
    "UPDATE mayfly_events SET subject = subject WHERE id = 1",
    "DELETE FROM mayfly_events",
    "DELETE FROM mayfly_events WHERE id = LAST",
    "INSERT INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events VALUES (0, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events VALUES (-5, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events VALUES (LATER, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events VALUES (9223372036854775807, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events VALUES (NULL, 'at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events (at, writer, kind, subject, payload) VALUES ('at', 'w', 'k', 's', '{}')",
    "INSERT INTO mayfly_events SELECT NEXT, at, writer, kind, subject, '{}' FROM mayfly_events",
    "INSERT INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}') ON CONFLICT (id) DO UPDATE SET payload = '{}'",
    "INSERT INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}') ON CONFLICT DO NOTHING",
    "INSERT INTO mayfly_events VALUES (NEXT, 'at', 'w', 'k', 's', '{}'), (NEXT, 'at', 'w', 'k', 's', '{}') "
    "ON CONFLICT (id) DO UPDATE SET payload = '{}'",
    "UPDATE mayfly_blobs SET hash = hash",
    "DELETE FROM mayfly_blobs",
    "INSERT INTO mayfly_blobs SELECT hash, data FROM mayfly_blobs",
    "INSERT INTO mayfly_blobs SELECT hash, '' FROM mayfly_blobs WHERE true ON CONFLICT (hash) DO UPDATE SET data = ''",
    "UPDATE mayfly_migrations SET name = 'x'",
    "DELETE FROM mayfly_migrations",
    "INSERT INTO mayfly_migrations VALUES (1, 'x', 'at')",
    "INSERT INTO mayfly_migrations SELECT max(id) + 2, 'x', 'at' FROM mayfly_migrations",
]
SQLITE = [
    "INSERT OR REPLACE INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}')",
    "INSERT OR REPLACE INTO mayfly_events VALUES ('1', 'at', 'w', 'k', 's', '{}')",
    "INSERT OR REPLACE INTO mayfly_events VALUES (1.0, 'at', 'w', 'k', 's', '{}')",
    "REPLACE INTO mayfly_events (rowid, at, writer, kind, subject, payload) VALUES (1, 'at', 'w', 'k', 's', '{}')",
    "REPLACE INTO mayfly_events VALUES (LAST, 'at', 'w', 'k', 's', '{}')",
    "REPLACE INTO main.mayfly_events SELECT id, at, writer, kind, subject, '{}' FROM mayfly_events",
    "INSERT OR IGNORE INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}')",
    "INSERT OR FAIL INTO mayfly_events VALUES (NEXT, 'a', 'w', 'k', 's', ''), (1, 'a', 'w', 'k', 's', '')",
    "INSERT OR ROLLBACK INTO mayfly_events VALUES (1, 'at', 'w', 'k', 's', '{}')",
    "UPDATE OR REPLACE mayfly_events SET id = 1 WHERE id = LAST - 1",
    "UPDATE OR IGNORE mayfly_events SET payload = '{}'",
    "UPDATE OR REPLACE mayfly_events SET rowid = 1 WHERE rowid = LAST",
    "UPDATE mayfly_events SET payload = '{}' FROM mayfly_migrations",
    "WITH old AS (SELECT 1 AS id) UPDATE mayfly_events SET payload = '{}' WHERE id IN (SELECT id FROM old)",
    "REPLACE INTO mayfly_blobs SELECT hash, x'00' FROM mayfly_blobs",
    "INSERT OR IGNORE INTO mayfly_blobs SELECT hash, x'00' FROM mayfly_blobs",
    "UPDATE OR REPLACE mayfly_blobs SET data = x'00'",
    "REPLACE INTO mayfly_migrations VALUES (1, 'x', 'at')",
    "INSERT INTO mayfly_events VALUES (NEXT, 'at', 'w', 'k', 's', x'00')",
    "CREATE TEMP TABLE bait (a) ;; CREATE TEMP TRIGGER spring AFTER INSERT ON bait BEGIN "
    "REPLACE INTO mayfly_events VALUES (1, 'a', 'w', 'k', 's', ''); END ;; INSERT INTO bait VALUES (1)",
    "CREATE TEMP TRIGGER spring BEFORE INSERT ON main.mayfly_events BEGIN "
    "DELETE FROM mayfly_events WHERE id = 1; END ;; INSERT INTO mayfly_events VALUES (NEXT, 'a', 'w', 'k', 's', '')",
]
POSTGRES = [
    "TRUNCATE mayfly_events",
    "TRUNCATE mayfly_events, mayfly_blobs CASCADE",
    "TRUNCATE mayfly_blobs",
    "TRUNCATE mayfly_migrations RESTART IDENTITY",
    "WITH gone AS (DELETE FROM mayfly_events WHERE id = 1 RETURNING *) SELECT * FROM gone",
    "MERGE INTO mayfly_events e USING (SELECT 1 AS id) s ON e.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO mayfly_events e USING (SELECT 1 AS id) s ON e.id = s.id WHEN MATCHED THEN UPDATE SET payload = '{}'",
    "COPY mayfly_events FROM PROGRAM 'printf \"LATER\\tat\\tw\\tk\\ts\\t{}\\n\"'",
    "SET session_replication_role = replica ;; DELETE FROM mayfly_events",
    "SET session_replication_role = replica ;; TRUNCATE mayfly_events",
    "SET session_replication_role = replica ;; INSERT INTO mayfly_events VALUES (LATER, 'at', 'w', 'k', 's', '{}')",
    "CREATE VIEW seen AS SELECT * FROM mayfly_events ;; UPDATE seen SET payload = '{}'",
    "CREATE TEMP TABLE mayfly_events (id bigint) ;; INSERT INTO pg_temp.mayfly_events VALUES (NEXT) ;; "
    "INSERT INTO SCHEMA.mayfly_events VALUES (LATER, 'at', 'w', 'k', 's', '{}')",
    "BEGIN ISOLATION LEVEL SERIALIZABLE ;; UPDATE mayfly_events SET payload = '{}'",
]
STATEMENTS = [
    *[pytest.param("sqlite", sql, id=f"sqlite: {sql}") for sql in [*BOTH, *SQLITE]],
    *[pytest.param("postgres", sql, id=f"postgres: {sql}") for sql in [*BOTH, *POSTGRES]],
]


def fill(ledger: Ledger) -> None:
    ledger.append_many([DoctorAttacked(level="x", cases=n, contained=n) for n in range(2)], subject="s")
    ledger.put_blob(b"precious")


def content(plain: Plain) -> list[list[tuple[object, ...]]]:
    tables = ("mayfly_events", "mayfly_blobs", "mayfly_migrations")
    return [sorted(plain.run(f"SELECT * FROM {table}")) for table in tables]


@pytest.fixture
def attacked(request: pytest.FixtureRequest, dialect: str) -> Iterator[tuple[Settings, Ledger]]:
    settings: Settings = request.getfixturevalue(f"{dialect}_settings")
    with Ledger.open(settings) as ledger:
        fill(ledger)
        yield settings, ledger


def aimed(statement: str, ledger: Ledger, plain: Plain) -> list[str]:
    """Return the steps of *statement* with the ids and the schema this store has."""
    last = ledger.before_last(0)
    places: dict[str, object] = {"LAST": last, "NEXT": last + 1, "LATER": last + 2}
    places["SCHEMA"] = plain.run("SELECT current_schema()")[0][0] if plain.dialect == "postgresql" else "main"
    return re.sub(rf"\b({'|'.join(places)})\b", lambda found: str(places[found[0]]), statement).split(" ;; ")


@pytest.mark.parametrize(("dialect", "statement"), STATEMENTS)
def test_the_database_refuses(attacked: tuple[Settings, Ledger], dialect: str, statement: str) -> None:
    settings, ledger = attacked
    with closing(Plain(settings)) as plain:
        before = content(plain)
        assert [row[0] for row in before[0]] == list(range(1, FRESH + 3))
        *first, last = aimed(statement, ledger, plain)
        for step in first:
            plain.run(step)
        with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError)):
            plain.run(last)
    with closing(Plain(settings)) as plain:
        kept = content(plain)
        assert kept[1:] == before[1:]
        assert kept[0][: len(before[0])] == before[0]
    assert ledger.append(DoctorAttacked(level="x", cases=9, contained=9), subject="s").id == len(kept[0]) + 1


@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_replace_is_refused_whether_or_not_it_fires_delete_triggers(sqlite_settings: Settings, recursive: str) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        fill(ledger)
        with closing(Plain(sqlite_settings)) as plain:
            plain.run(f"PRAGMA recursive_triggers = {recursive}")
            for statement in SQLITE[:3]:
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    plain.run(statement)
        assert [e.payload.get("cases") for e in ledger.read()] == [*[None] * FRESH, 0, 1]


@contextmanager
def limited(settings: Settings, *more: str) -> Iterator[Settings]:
    """Yield settings that connect as a role with SELECT, INSERT and *more* on tables owned by another."""
    with closing(Plain(settings)) as owner:
        schema = owner.run("SELECT current_schema()")[0][0]
        role = f"{schema}_app"
        owner.run(f"CREATE ROLE {role}")
        for right in (f"USAGE ON SCHEMA {schema}", f"SELECT, INSERT ON ALL TABLES IN SCHEMA {schema}", *more):
            owner.run(f"GRANT {right} TO {role}")
        url = settings.store.database_url + quote(f" -crole={role}")
        try:
            yield replace(settings, store=StoreSettings(database_url=url))
        finally:
            owner.run(f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_a_role_with_select_and_insert_alone_can_use_the_ledger_and_not_unguard_it(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger:
        fill(ledger)
        with limited(postgres_settings) as settings, closing(Plain(settings)) as plain:
            with Ledger.open(settings) as app:
                assert app.append(DoctorAttacked(level="x", cases=9, contained=9), subject="s").id == FRESH + 3
                assert app.get_blob(app.put_blob(b"more")) == b"more"
            for statement in ("ALTER TABLE mayfly_events DISABLE TRIGGER ALL", "DROP TABLE mayfly_events"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    plain.run(statement)


def test_a_role_that_may_also_change_the_cache_can_use_it_and_change_nothing_else(postgres_settings: Settings) -> None:
    Ledger.open(postgres_settings).close()
    with limited(postgres_settings, "UPDATE, DELETE ON mayfly_cache") as settings:
        with Ledger.open(settings) as app:
            cache = Cache(app, size=1, ttl=60.0)
            for number in range(2):
                cache.put(f"k-{number}", "text", now=float(number))
            cache.touch(cache.entries(now=1.0)[0], now=9.0)
            assert cache.entries(now=9.0) == [("k-1", "text", 1.0, 9.0)]
            assert cache.clear() == 1
        with closing(Plain(settings)) as plain:
            for table in ("mayfly_events", "mayfly_blobs", "mayfly_migrations"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    plain.run(f"DELETE FROM {table}")


def test_a_role_that_may_also_change_payments_and_sales_can_do_business_and_take_nothing_away(
    postgres_settings: Settings,
) -> None:
    Ledger.open(postgres_settings).close()
    with limited(postgres_settings, "UPDATE ON mayfly_payments, mayfly_sales") as settings:
        with Ledger.open(settings) as app:
            for state in ("delivered", "released", "disputed"):
                payment_at(app, state, strategy="slow")
            sale_at(app, "settled", strategy="slow")
            assert app.verify().ok
        with closing(Plain(settings)) as plain:
            for table in ("mayfly_payments", "mayfly_sales", "strategies"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    plain.run(f"DELETE FROM {table}")
