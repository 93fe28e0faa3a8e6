"""The newest of a kind, for one subject or for many."""

from __future__ import annotations

from contextlib import closing

import pytest

from mayfly.core import InputError, Settings
from mayfly.store import DoctorAttacked, Event, Ledger, SandboxRan, StoreMigrated, _ledger

from .conftest import FRESH, Plain

KIND = "doctor.attacked"


def attacked(number: int) -> DoctorAttacked:
    return DoctorAttacked(level="test", cases=number, contained=0)


def other(subject: str) -> Event:
    ran = SandboxRan(status="ok", level="x", lane="one-shot", milliseconds=1.0, source_hash="h")
    return Event.of(ran, subject=subject)


def fill(ledger: Ledger, subjects: int, rounds: int) -> None:
    for turn in range(rounds):
        ledger.append_many([Event.of(attacked(turn), subject=f"s-{number}") for number in range(subjects)])
        ledger.append_many([other(f"s-{number}") for number in range(subjects)])


def test_the_last_is_the_newest_that_fits(ledger: Ledger) -> None:
    fill(ledger, 3, 2)
    newest = ledger.last()
    assert newest is not None
    assert newest.id == ledger.count()
    found = ledger.last(kind=KIND, subject="s-1")
    assert found is not None
    assert (found.subject, found.payload["cases"], found.data) == ("s-1", 1, attacked(1))
    assert ledger.last(KIND, "s-1") == found
    by_kind, by_subject = ledger.last(kind=KIND), ledger.last(subject="store")
    assert by_kind is not None
    assert by_kind.subject == "s-2"
    assert by_subject is not None
    assert isinstance(by_subject.data, StoreMigrated)


def test_the_last_of_nothing_is_none(ledger: Ledger) -> None:
    fill(ledger, 1, 1)
    assert ledger.last(kind="kill.switched") is None
    assert ledger.last(subject="nobody") is None
    assert ledger.last(kind="store.migrated", subject="s-0") is None


def test_many_subjects_have_their_newest_each(ledger: Ledger) -> None:
    fill(ledger, 5, 3)
    found = ledger.find_many(KIND, ["s-0", "s-4", "s-0", "nobody"])
    assert set(found) == {"s-0", "s-4"}
    assert [found[name].payload["cases"] for name in ("s-0", "s-4")] == [2, 2]
    assert found["s-4"] == ledger.last(kind=KIND, subject="s-4")


def test_nothing_is_found_for_nobody(ledger: Ledger) -> None:
    fill(ledger, 1, 1)
    assert ledger.find_many(KIND, []) == ledger.find_many(KIND, {"nobody"}) == {}
    assert ledger.find_many("kill.switched", ["s-0"]) == {}


def test_more_subjects_than_fit_one_query_are_all_found(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ledger, "MANY", 7)
    fill(ledger, 50, 2)
    found = ledger.find_many(KIND, {f"s-{number}" for number in range(60)})
    assert set(found) == {f"s-{number}" for number in range(50)}
    assert {event.payload["cases"] for event in found.values()} == {1}


def test_as_many_as_one_query_takes_are_taken(ledger: Ledger) -> None:
    subjects = [f"s-{number}" for number in range(_ledger.MANY)]
    ledger.append_many([Event.of(attacked(1), subject=subject) for subject in subjects])
    assert list(ledger.find_many(KIND, subjects)) == subjects


@pytest.mark.parametrize("subject", ["'; DROP TABLE mayfly_events; --", "%", "_", "s-ü", '"'])
def test_a_subject_is_text_and_nothing_else(ledger: Ledger, subject: str) -> None:
    fill(ledger, 2, 1)
    assert ledger.find_many(KIND, [subject]) == {}
    ledger.append(attacked(9), subject=subject)
    assert list(ledger.find_many(KIND, [subject, "s-0"])) == [subject, "s-0"]


def test_what_cannot_be_asked_for_is_a_mistake(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="several subjects"):
        ledger.find_many(KIND, "s-0")
    for subjects in ([""], ["a\nb"], [None], ["x" * 257]):
        with pytest.raises(InputError, match="printable"):
            ledger.find_many(KIND, subjects)  # type: ignore[arg-type]
    for kind in ("", "nodot", "A.b"):
        with pytest.raises(InputError, match="event kind"):
            ledger.find_many(kind, ["s"])
        with pytest.raises(InputError, match="event kind"):
            ledger.last(kind=kind)


def test_the_newest_is_found_by_its_own_index(settings: Settings, ledger: Ledger) -> None:
    fill(ledger, 50, 4)
    by_one = f"SELECT id FROM mayfly_events WHERE subject = 's-1' AND kind = '{KIND}' ORDER BY id DESC LIMIT 1"
    by_many = f"SELECT max(id) FROM mayfly_events WHERE subject IN ('s-1', 's-2') AND kind = '{KIND}' GROUP BY subject"
    with closing(Plain(settings)) as plain:
        explain = "EXPLAIN QUERY PLAN" if plain.dialect == "sqlite" else "EXPLAIN"
        if plain.dialect == "postgresql":
            # A table of a few pages is read whole, whatever indices it has.
            plain.run("SET enable_seqscan = off")
            plain.run("SET enable_bitmapscan = off")
            plain.run("ANALYZE mayfly_events")
        for query in (by_one, by_many):
            assert "mayfly_events_newest" in str(plain.run(f"{explain} {query}"))


def test_reading_writes_nothing(ledger: Ledger) -> None:
    ledger.last()
    ledger.find_many(KIND, ["s"])
    assert ledger.count() == FRESH
