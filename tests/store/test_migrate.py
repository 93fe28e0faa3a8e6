from __future__ import annotations

from contextlib import closing

import pytest

from mayfly.core import Settings, StoreError
from mayfly.store import Ledger, StoreMigrated, _migrate
from mayfly.store._migrate import Migration, known

from .conftest import FRESH, Plain
from .worker import finish_together, start


def test_both_databases_have_the_same_migrations_numbered_without_a_gap() -> None:
    names = [(step.number, step.name) for step in known("sqlite")]
    assert names == [(step.number, step.name) for step in known("postgresql")]
    assert [number for number, _ in names] == list(range(1, len(names) + 1))
    assert names[:2] == [(1, "ledger"), (2, "cache")]


def test_a_fresh_store_records_its_migrations_as_events(ledger: Ledger) -> None:
    made = [StoreMigrated(number=step.number, name=step.name) for step in known("sqlite")]
    assert [e.data for e in ledger.read()] == [e.data for e in ledger.read(subject="store")] == made


def test_opening_again_changes_nothing(settings: Settings, ledger: Ledger) -> None:
    with Ledger.open(settings) as again:
        assert again.count() == ledger.count() == FRESH


def test_eight_processes_may_open_a_fresh_store_at_once(settings: Settings) -> None:
    workers = [start("open_store", store=settings) for _ in range(8)]
    assert finish_together(workers) == [[str(FRESH)]] * 8


def test_a_store_written_by_a_newer_version_is_refused(settings: Settings, ledger: Ledger, plain: Plain) -> None:
    plain.run(f"INSERT INTO mayfly_migrations VALUES ({FRESH + 1}, 'from the future', 'at')")
    told = f"newer version: migration {FRESH + 1}, and this one knows {FRESH}; pip install --upgrade"
    with pytest.raises(StoreError, match=told):
        Ledger.open(settings)


def test_an_older_store_is_brought_up_and_keeps_its_events(
    settings: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "CREATE TABLE mayfly_more (id integer);\n\nCREATE TABLE mayfly_most (id integer);\n"
    step = Migration(FRESH + 1, "more", tables)
    monkeypatch.setattr(_migrate, "known", lambda dialect: (*known(dialect), step))
    with Ledger.open(settings) as newer, closing(Plain(settings)) as plain:
        assert [e.payload["number"] for e in newer.read()] == list(range(1, FRESH + 2))
        assert plain.run("SELECT * FROM mayfly_most") == []


def test_a_migration_that_fails_leaves_the_old_store(
    settings: Settings, ledger: Ledger, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "CREATE TABLE mayfly_more (id integer);\n\nCREATE TABLE mayfly_more (id integer);\n"
    broken = Migration(FRESH + 1, "broken", tables)
    monkeypatch.setattr(_migrate, "known", lambda dialect: (*known(dialect), broken))
    with pytest.raises(StoreError, match="already exists"):
        Ledger.open(settings)
    assert ledger.count() == FRESH
    assert plain.run("SELECT max(id) FROM mayfly_migrations") == [(FRESH,)]
    plain.run("CREATE TABLE mayfly_more (id integer)")
