from __future__ import annotations

from contextlib import closing

import pytest

from mayfly.core import Settings, StoreError
from mayfly.store import Ledger, StoreMigrated, _migrate
from mayfly.store._migrate import Migration, known

from .conftest import Plain
from .worker import finish, start


def test_both_databases_have_the_same_migrations_numbered_without_a_gap() -> None:
    names = [(step.number, step.name) for step in known("sqlite")]
    assert names == [(step.number, step.name) for step in known("postgresql")]
    assert [number for number, _ in names] == list(range(1, len(names) + 1))


def test_a_fresh_store_records_its_migrations_as_events(ledger: Ledger) -> None:
    assert [e.data for e in ledger.read(subject="store")] == [StoreMigrated(number=1, name="ledger")]


def test_opening_again_changes_nothing(settings: Settings, ledger: Ledger) -> None:
    with Ledger.open(settings) as again:
        assert again.count() == ledger.count() == 1


def test_eight_processes_may_open_a_fresh_store_at_once(settings: Settings) -> None:
    workers = [start("open_store", store=settings) for _ in range(8)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    assert [finish(worker) for worker in workers] == [["1"]] * 8


def test_a_store_written_by_a_newer_version_is_refused(settings: Settings, ledger: Ledger, plain: Plain) -> None:
    plain.run("INSERT INTO mayfly_migrations VALUES (2, 'from the future', 'at')")
    with pytest.raises(StoreError, match="newer version: migration 2, and this one knows 1; pip install --upgrade"):
        Ledger.open(settings)


def test_an_older_store_is_brought_up_and_keeps_its_events(
    settings: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = Migration(2, "more", "CREATE TABLE mayfly_more (id integer);\n\nCREATE TABLE mayfly_most (id integer);\n")
    monkeypatch.setattr(_migrate, "known", lambda dialect: (*known(dialect), second))
    with Ledger.open(settings) as newer, closing(Plain(settings)) as plain:
        assert [e.payload["number"] for e in newer.read()] == [1, 2]
        assert plain.run("SELECT * FROM mayfly_most") == []


def test_a_migration_that_fails_leaves_the_old_store(
    settings: Settings, ledger: Ledger, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Migration(
        2, "broken", "CREATE TABLE mayfly_more (id integer);\n\nCREATE TABLE mayfly_more (id integer);\n"
    )
    monkeypatch.setattr(_migrate, "known", lambda dialect: (*known(dialect), broken))
    with pytest.raises(StoreError, match="already exists"):
        Ledger.open(settings)
    assert ledger.count() == 1
    assert plain.run("SELECT max(id) FROM mayfly_migrations") == [(1,)]
    plain.run("CREATE TABLE mayfly_more (id integer)")
