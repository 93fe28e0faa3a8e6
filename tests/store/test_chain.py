"""The chain: whatever is done behind the ledger's back, `verify` names the first place where it shows."""

from __future__ import annotations

from contextlib import closing

import pytest

from mayfly.core import InputError, Settings
from mayfly.store import DoctorAttacked, Ledger, Verified, _migrate
from mayfly.store._migrate import known

from .conftest import FRESH, Plain, append_as_before
from .test_fencing import BEGAN, COLLAPSED, RESOLVED


def entry(number: int) -> DoctorAttacked:
    return DoctorAttacked(level="x", cases=number, contained=number)


def fill(ledger: Ledger) -> None:
    """Append three times: one event, four of them, and a run with an end, in two more."""
    ledger.append(entry(1), subject="a")
    ledger.append_many([entry(number) for number in range(4)], subject="b")
    ledger.append_many([BEGAN, COLLAPSED], subject="r-1")
    ledger.append_many([BEGAN, RESOLVED], subject="r-2")


# Where the events of `fill` are: the single one, the four, and those of the runs.
ONE, FOUR, RUNS = FRESH + 1, FRESH + 2, FRESH + 6


def broken(settings: Settings, *statements: str, table: str = "mayfly_events") -> Verified:
    """Do what only an owner can, and return what is found."""
    with closing(Plain(settings)) as plain:
        for name in ("mayfly_events", "mayfly_links", "mayfly_blobs"):
            plain.unguard(name)
        for statement in statements:
            plain.run(statement)
    with Ledger.open(settings) as ledger:
        return ledger.verify()


def test_f7_what_was_appended_holds_and_has_a_head(ledger: Ledger) -> None:
    fill(ledger)
    found = ledger.verify()
    # One link for the four migrations before the chain, one for each later one, and four appends.
    assert (found.ok, found.events, found.links) == (True, FRESH + 9, FRESH - 3 + 4)
    assert found.head.startswith(f"{FRESH + 9}:")
    assert ledger.verify(head=found.head).ok


@pytest.mark.parametrize(
    "change",
    [
        'payload = \'{"cases":9,"contained":2,"level":"x"}\'',
        "at = '2020-01-01T00:00:00.000000+00:00'",
        "writer = 'somebody'",
        "kind = 'kill.switched'",
        "subject = 'c'",
    ],
)
def test_f7_an_edit_is_named_by_its_append(settings: Settings, ledger: Ledger, change: str) -> None:
    fill(ledger)
    found = broken(settings, f"UPDATE mayfly_events SET {change} WHERE id = {FOUR + 2}")
    assert (found.at, found.broken) == (
        FOUR,
        f"events {FOUR} to {FOUR + 3}: not what was appended, or not in this place",
    )


def test_f7_a_deletion_is_named(settings: Settings, ledger: Ledger) -> None:
    fill(ledger)
    found = broken(settings, f"DELETE FROM mayfly_events WHERE id = {FOUR + 1}")
    assert (found.at, found.broken) == (FOUR + 1, f"event {FOUR + 1} is missing")


def test_f7_events_that_changed_places_are_named(settings: Settings, ledger: Ledger) -> None:
    fill(ledger)
    swapped = [
        f"UPDATE mayfly_events SET id = 1000 WHERE id = {ONE}",
        f"UPDATE mayfly_events SET id = {ONE} WHERE id = {FOUR}",
        f"UPDATE mayfly_events SET id = {FOUR} WHERE id = 1000",
    ]
    assert broken(settings, *swapped).broken == f"event {ONE}: not what was appended, or not in this place"


def test_f7_an_event_that_somebody_else_inserted_is_named(settings: Settings, ledger: Ledger, plain: Plain) -> None:
    fill(ledger)
    last = ledger.before_last(0)
    plain.run(f"INSERT INTO mayfly_events VALUES ({last + 1}, 'at', 'w', 'k.k', 's', '{{}}')")
    wanted = f"event {last + 1} was inserted: no link of the chain covers it"
    assert ledger.verify().broken == wanted
    ledger.append(entry(1), subject="later")
    found = ledger.verify()
    assert (found.broken, found.at) == (wanted, last + 1)


def test_f7_a_link_that_was_made_to_fit_breaks_the_next_one(settings: Settings, ledger: Ledger) -> None:
    fill(ledger)
    found = broken(settings, f"UPDATE mayfly_links SET hash = '{'ab' * 32}' WHERE last = {ONE}")
    assert found.broken == f"event {ONE}: not what was appended, or not in this place"


def test_f7_an_end_that_is_gone_shows_with_a_head_that_was_kept(settings: Settings, ledger: Ledger) -> None:
    fill(ledger)
    kept = ledger.verify().head
    gone = [
        f"DELETE FROM {table} WHERE {key} >= {RUNS}"
        for table, key in (("mayfly_events", "id"), ("mayfly_links", "first"))
    ]
    assert broken(settings, *gone, "DELETE FROM mayfly_runs").ok
    found = ledger.verify(head=kept)
    assert found.broken == f"the ledger ends at event {RUNS - 1} and the head says {RUNS + 3}: its end is gone"
    ledger.append_many([entry(7)] * 9, subject="instead")
    assert "not the one whose head was kept" in ledger.verify(head=kept).broken


def test_f7_a_head_from_before_holds_while_the_ledger_grows(ledger: Ledger) -> None:
    fill(ledger)
    kept = ledger.verify().head
    fill_more = [entry(number) for number in range(3)]
    ledger.append_many(fill_more, subject="more")
    assert ledger.verify(head=kept).ok
    number, _, hash = kept.partition(":")
    assert not ledger.verify(head=f"{number}:{hash[::-1]}").ok
    with pytest.raises(InputError, match="a head looks like ID:HASH"):
        ledger.verify(head="nonsense")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE mayfly_runs SET status = 'resolved' WHERE id = 'r-1'", "row of run r-1 says status 'resolved', its"),
        ("UPDATE mayfly_runs SET generation = 9 WHERE id = 'r-2'", "row of run r-2 says generation 9, its events 0"),
        ("UPDATE mayfly_runs SET seconds = 0.5 WHERE id = 'r-2'", "row of run r-2 says seconds 0.5, its events 1.5"),
        ("DELETE FROM mayfly_runs WHERE id = 'r-2'", "the row of run r-2 is missing"),
        ("UPDATE mayfly_runs SET id = 'r-3' WHERE id = 'r-2'", "the row of run r-3 was inserted"),
    ],
)
def test_f7_a_row_of_a_run_that_does_not_follow_from_its_events_is_named(
    settings: Settings, ledger: Ledger, change: str, told: str
) -> None:
    fill(ledger)
    assert told in broken(settings, change).broken


def test_f7_a_blob_that_was_changed_is_named(settings: Settings, ledger: Ledger) -> None:
    hash = ledger.put_blob(b"precious")
    data = "x'00'" if not settings.store.database_url else "'\\x00'"
    assert broken(settings, f"UPDATE mayfly_blobs SET data = {data}").broken == f"blob {hash} was changed"


def test_f4_a_store_from_before_is_linked_and_counted_when_it_is_opened(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(_migrate, "known", lambda dialect: known(dialect)[:3])
        with Ledger.open(settings) as old:
            append_as_before(old, [BEGAN, COLLAPSED, RESOLVED], subject="r-1")
            append_as_before(old, [BEGAN], subject="r-2")
            kept = list(old.read())
    with Ledger.open(settings) as new:
        assert list(new.read())[: len(kept)] == kept
        # What a driver wrote that had lost its run is not the end of it.
        assert [(row.id, row.status) for row in new.runs()] == [("r-2", "interrupted"), ("r-1", "collapsed")]
        new.append_many([BEGAN, RESOLVED], subject="r-3")
        assert new.verify().ok


def test_f4_a_store_whose_upgrade_fails_stays_as_it_was(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(_migrate, "known", lambda dialect: known(dialect)[:3])
        with Ledger.open(settings) as old:
            append_as_before(old, [BEGAN], subject="r-1")

    def fail(connection: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as failing:
        failing.setattr(_migrate, "link_all", fail)
        with pytest.raises(KeyboardInterrupt):
            Ledger.open(settings)
    with closing(Plain(settings)) as plain:
        assert plain.run("SELECT max(id) FROM mayfly_migrations") == [(3,)]
        assert plain.run("SELECT max(id) FROM mayfly_events") == [(4,)]
    with Ledger.open(settings) as ledger:
        assert [row.id for row in ledger.runs()] == ["r-1"]
        assert ledger.verify().ok
