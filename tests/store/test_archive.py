"""Old runs in files: read as before, part of the chain, and whole wherever a process is killed."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from mayfly.core import Settings, StoreError
from mayfly.promise._events import Began, EffectSettled, EffectUnknown, Proven, Resolved
from mayfly.store import Event, Ledger, Payload, _archive

from .conftest import FRESH, Plain
from .test_append_only import limited
from .test_fencing import BEGAN, ENTRY, RESOLVED
from .worker import finish, start

LATER = datetime.now(UTC) + timedelta(days=1)


def add_run(ledger: Ledger, run: str, *more: tuple[Payload, str]) -> None:
    """Append a run with one promise, an event of its leaf, and a value under a key."""
    story: list[tuple[Payload, str]] = [
        (BEGAN, run),
        (Began(node="0.1", by="x", seq=1), run),
        (ENTRY, f"{run}/0.1"),
        (Proven(run=run, node="0.1", value=1), f"key-{run}"),
        (Resolved(node="0.1", key=f"key-{run}", seq=2, evidence={}), run),
        *more,
        (RESOLVED, run),
    ]
    ledger.append_many([Event.of(payload, subject=subject) for payload, subject in story])


def seen(ledger: Ledger, run: str) -> list[object]:
    """Return everything that can be asked about a run."""
    subjects = [run, f"{run}/0.1", f"key-{run}"]
    return [
        [list(ledger.read(subject=subject)) for subject in subjects],
        [list(ledger.read(subject=run, after=n, limit=2)) for n in range(FRESH + 5)],
        [ledger.last(subject=subject) for subject in subjects],
        ledger.last(kind="run.began", subject=run),
        ledger.last(kind="run.collapsed", subject=run),
        [ledger.count(subject=subject) for subject in subjects],
        [ledger.before_last(number, subject=run) for number in range(6)],
        ledger.find_many("promise.proven", subjects),
        ledger.run(run),
    ]


def test_f7_an_archived_run_is_read_as_before_and_the_chain_holds(ledger: Ledger, settings: Settings) -> None:
    for number in range(3):
        add_run(ledger, f"r-{number}")
    ledger.append_many([BEGAN], subject="r-open")
    before = {run: seen(ledger, run) for run in ("r-0", "r-1", "r-2", "r-open", "r-none")}
    total = ledger.count()
    (done,) = ledger.archive(before=LATER)
    assert (done.runs, done.events) == (3, 18)
    assert ledger.count() == total - 18 + 1
    with Ledger.open(settings) as again:
        assert {run: seen(again, run) for run in before} == before
        assert again.verify().ok
        assert again.append(ENTRY, subject="s").id == total + 2
        assert list(again.archive(before=LATER)) == []


def test_f7_only_runs_that_ended_before_the_moment_are_archived(ledger: Ledger) -> None:
    add_run(ledger, "r-0")
    assert list(ledger.archive(before=datetime.now(UTC) - timedelta(hours=1))) == []
    assert ledger.count(kind="store.archived") == 0


def test_f7_a_run_that_waits_for_a_person_is_not_archived(ledger: Ledger) -> None:
    unknown = EffectUnknown(run="r-0", node="0.1", capability="send", target="", intent="", reason="lost")
    add_run(ledger, "r-0", (unknown, "r-0/0.1"))
    add_run(ledger, "r-1")
    assert [done.runs for done in ledger.archive(before=LATER)] == [1]
    ledger.append(EffectSettled(verdict="done", by="ada"), subject="r-0/0.1")
    assert [done.runs for done in ledger.archive(before=LATER)] == [1]


def test_f7_a_run_that_was_taken_up_after_it_was_archived_goes_on(ledger: Ledger) -> None:
    add_run(ledger, "r-0")
    list(ledger.archive(before=LATER))
    ledger.append(ENTRY, subject="r-0")
    kinds = [event.kind for event in ledger.read(subject="r-0")]
    assert (kinds[0], kinds[-1], ledger.count(subject="r-0")) == ("run.began", "doctor.attacked", 5)
    (again,) = ledger.archive(before=LATER)
    assert again.events == 1
    assert [event.kind for event in ledger.read(subject="r-0")] == kinds
    assert ledger.verify().ok


def test_f7_many_runs_go_into_several_files(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archive, "MOST_EVENTS", 12)
    for number in range(7):
        add_run(ledger, f"r-{number}")
    assert [done.runs for done in ledger.archive(before=LATER)] == [2, 2, 2, 1]
    assert ledger.verify().ok
    assert [ledger.count(subject=f"r-{number}") for number in range(7)] == [4] * 7


@pytest.mark.parametrize("how", ["missing", "changed"])
def test_f7_a_file_that_is_not_there_or_not_the_same_is_named(settings: Settings, ledger: Ledger, how: str) -> None:
    add_run(ledger, "r-0")
    (done,) = ledger.archive(before=LATER)
    path = settings.state / "archive" / done.file
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    with Ledger.open(settings) as again:
        with pytest.raises(StoreError, match=done.file):
            list(again.read(subject="r-0"))
        assert done.file in again.verify().broken


def test_f7_events_that_are_deleted_without_a_file_are_still_refused(
    settings: Settings, ledger: Ledger, plain: Plain
) -> None:
    add_run(ledger, "r-0")
    list(ledger.archive(before=LATER))
    with pytest.raises(Exception, match="append-only: DELETE refused"):
        plain.run("DELETE FROM mayfly_events WHERE id = 1")


def test_f7_a_role_that_owns_nothing_archives_nothing(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger:
        add_run(ledger, "r-0")
        count = ledger.count()
        with (
            limited(postgres_settings, "UPDATE ON mayfly_runs") as settings,
            Ledger.open(settings) as app,
            pytest.raises(StoreError, match="must be owner of table"),
        ):
            list(app.archive(before=LATER))
        assert ledger.count() == count


def test_f7_killed_at_any_statement_it_leaves_the_old_ledger_or_the_new_one(settings: Settings) -> None:
    with Ledger.open(settings) as ledger:
        add_run(ledger, "r-0")
        events = list(ledger.read(subject="r-0"))
    told = [json.loads(line) for line in finish(start("archive_killed", store=settings))]
    assert told[-1][0] == 0
    assert len(told) > 8
    assert {status for status, _, _ in told[:-1]} == {-9}
    with closing(Plain(settings)) as plain:
        assert plain.run("SELECT count(*) FROM mayfly_archives") == [(1,)]
    for _, count, ok in told:
        assert ok
        assert count in (FRESH + 6, FRESH + 1)
    with Ledger.open(settings) as ledger:
        assert list(ledger.read(subject="r-0")) == events
    assert len(os.listdir(settings.state / "archive")) == 1


def test_f7_the_file_is_its_owners_alone(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        add_run(ledger, "r-0")
        (done,) = ledger.archive(before=LATER)
    folder = Path(sqlite_settings.state / "archive")
    assert (folder.stat().st_mode & 0o777, (folder / done.file).stat().st_mode & 0o777) == (0o700, 0o600)


def test_f7_a_role_of_the_server_needs_to_change_the_rows_of_runs_alone(postgres_settings: Settings) -> None:
    Ledger.open(postgres_settings).close()
    with limited(postgres_settings, "UPDATE ON mayfly_runs") as settings, Ledger.open(settings) as app:
        with app.claim("r-0") as claim:
            app.fenced(claim.fence).append_many([BEGAN, RESOLVED], subject="r-0")
        assert app.verify().ok
        with closing(Plain(settings)) as plain, pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.run("DELETE FROM mayfly_links")
