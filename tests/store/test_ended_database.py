"""The database ends at each step of an append, a claim and an archive: the old ledger or the new one, and one line."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mayfly.core import Settings, StoreError, StoreSettings
from mayfly.store import Ledger
from mayfly.testing import PostgresServer, own_postgres

from .test_archive import LATER, add_run
from .test_claim import eventually
from .test_fencing import BEGAN, ENTRY

# More statements than anything here needs, so that a loop that never ends is seen.
MOST = 60


@contextmanager
def interrupted(monkeypatch: pytest.MonkeyPatch, number: int, end: Callable[[int], None]) -> Iterator[list[int]]:
    """Call *end* with the session's number before the statement *number* of the body, counted from 1."""
    count = [0]
    execute, many = psycopg.Connection.execute, psycopg.Cursor.executemany

    def step(connection: psycopg.Connection[Any]) -> None:
        count[0] += 1
        if count[0] == number:
            end(connection.info.backend_pid)

    def one(self: psycopg.Connection[Any], *given: Any, **more: Any) -> Any:
        step(self)
        return execute(self, *given, **more)

    def several(self: psycopg.Cursor[Any], *given: Any, **more: Any) -> Any:
        step(self.connection)
        return many(self, *given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "execute", one)
        patched.setattr(psycopg.Cursor, "executemany", several)
        yield count


def terminate(url: str) -> Callable[[int], None]:
    """Return what ends one session of the server, and waits until it is gone."""

    def end(session: int) -> None:
        with psycopg.connect(url, autocommit=True) as plain, plain.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [session])

    return end


def at_every_step(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, work: Callable[[], object], check: Callable[[Ledger], None]
) -> int:
    """Do *work* with its session ended at its first statement, at its second, and so on; return how many there are."""
    end = terminate(settings.store.database_url)
    for number in range(1, MOST):
        told = ""
        with interrupted(monkeypatch, number, end) as count:
            try:
                work()
            except StoreError as error:
                told = str(error)
        assert "\n" not in told
        with Ledger.open(settings) as other:
            check(other)
            assert other.verify().ok
        if count[0] < number:
            return number - 1
    raise AssertionError("there is always one more statement")


def test_f1_a_session_that_ends_at_any_step_of_an_append_leaves_the_old_ledger_or_the_new_one(
    postgres_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(postgres_settings) as ledger:
        counts = [ledger.count()]
        steps = at_every_step(
            monkeypatch,
            postgres_settings,
            lambda: ledger.append_many([BEGAN, ENTRY], subject="r-1"),
            lambda other: counts.append(other.count()),
        )
    assert steps > 8
    grown = [later - earlier for earlier, later in pairwise(counts)]
    assert set(grown) <= {0, 2}
    assert (grown[-1], grown.count(0) > 4) == (2, True)


@pytest.mark.later
def test_f1_a_session_that_ends_at_any_step_of_a_claim_leaves_it_free(
    postgres_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(other: Ledger) -> None:
        before = other._newest("r-1")
        with eventually(lambda: other.claim("r-1")) as mine:
            assert mine.fence.generation == before + 1

    with Ledger.open(postgres_settings) as ledger:
        claim = at_every_step(
            monkeypatch, postgres_settings, lambda: ledger.claim("r-1", recording=[ENTRY]).close(), check
        )
    assert claim > 12


@pytest.mark.later
def test_f7_a_session_that_ends_at_any_step_of_an_archive_loses_nothing(
    postgres_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(other: Ledger) -> None:
        assert [event.kind for event in other.read(subject="r-0")] == kinds

    with Ledger.open(postgres_settings) as ledger:
        add_run(ledger, "r-0")
        kinds = [event.kind for event in ledger.read(subject="r-0")]
        steps = at_every_step(monkeypatch, postgres_settings, lambda: list(ledger.archive(before=LATER)), check)
        assert steps > 5
        assert ledger.count(kind="store.archived") == 1


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with own_postgres() as made:
        yield made


@pytest.mark.parametrize("number", [1, 3, 6, 8])
def test_f1_a_server_that_stops_at_once_in_the_middle_of_an_append_keeps_what_was_acknowledged(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    settings = replace(Settings(state_dir=str(tmp_path)), store=StoreSettings(database_url=server.url, busy_timeout=2))
    with Ledger.open(settings) as ledger:
        ledger.append(ENTRY, subject="s")
        before = ledger.count()
        with interrupted(monkeypatch, number, lambda _: server.stop(signal.SIGQUIT)), pytest.raises(StoreError) as told:
            ledger.append_many([BEGAN, ENTRY], subject=f"r-{number}")
        assert "\n" not in str(told.value)
        server.start()
        assert ledger.count() in (before, before + 2)
        ledger.append(ENTRY, subject="s")
        assert ledger.verify().ok
