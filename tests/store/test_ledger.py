from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from mayfly.core import InputError, LimitError, Settings, StoreError, StoreSettings, canonical_json
from mayfly.store import JSON, DoctorAttacked, Event, Ledger, event

from .conftest import FRESH, Plain


@event("test.noted")
class Noted:
    value: JSON


ANY_TEXT = st.text(st.characters(exclude_categories=()))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=20)


def notes(number: int) -> list[Noted]:
    return [Noted(value=index) for index in range(number)]


@profile(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_any_json_comes_back_as_it_was_given(ledger: Ledger, value: Any) -> None:
    kept = ledger.append(Noted(value=value), subject="s")
    [read] = ledger.read(after=kept.id - 1)
    assert read == kept
    assert canonical_json(read.payload["value"]) == canonical_json(value)


def test_nul_and_lone_surrogates_survive(ledger: Ledger) -> None:
    text = "a\x00b\ud800c\udfff\U0001f98b"
    ledger.append(Noted(value={text: text}), subject="s")
    assert [e.payload for e in ledger.read(kind="test.noted")] == [{"value": {text: text}}]


def test_a_subject_may_be_in_any_script(ledger: Ledger) -> None:
    ledger.append(Noted(value=1), subject="Eintagsfliege 蜉蝣 🦋")
    assert ledger.count(subject="Eintagsfliege 蜉蝣 🦋") == 1


def test_an_event_read_again_after_reopening_is_the_same(settings: Settings) -> None:
    with Ledger.open(settings) as ledger:
        kept = ledger.append(Noted(value=1), subject="s")
    with Ledger.open(settings) as ledger:
        assert list(ledger.read(kind="test.noted")) == [kept]


def test_reading_filters_by_kind_subject_after_and_limit(ledger: Ledger) -> None:
    kept = [ledger.append(Noted(value=n), subject=f"s-{n % 2}") for n in range(6)]
    ledger.append(DoctorAttacked(level="x", cases=1, contained=1), subject="s-0")
    assert list(ledger.read(kind="test.noted")) == kept
    assert list(ledger.read(kind="test.noted", subject="s-0")) == kept[::2]
    assert list(ledger.read(kind="test.noted", after=kept[2].id)) == kept[3:]
    assert list(ledger.read(subject="s-1", limit=2)) == kept[1:5:2]
    assert list(ledger.read(limit=0)) == []
    assert list(ledger.read(after=2**70)) == []


def test_reading_crosses_pages_without_loss(ledger: Ledger) -> None:
    kept = ledger.append_many(notes(305), subject="s")
    assert list(ledger.read(kind="test.noted")) == kept
    assert list(ledger.read(kind="test.noted", limit=250)) == kept[:250]


def test_reading_does_not_keep_a_transaction_open(ledger: Ledger) -> None:
    ledger.append_many(notes(150), subject="s")
    reader = ledger.read(kind="test.noted")
    next(reader)
    added = ledger.append(Noted(value="late"), subject="s")
    assert list(reader)[-1] == added


@pytest.mark.parametrize("wrong", [{"after": -1}, {"limit": -1}, {"kind": "\x00"}, {"subject": "\ud800"}])
def test_a_wrong_question_is_refused_at_once(ledger: Ledger, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ledger.read(**wrong)


def test_before_last_is_where_the_last_events_begin(ledger: Ledger) -> None:
    kept = ledger.append_many(notes(5), subject="s")
    assert list(ledger.read(after=ledger.before_last(2))) == kept[-2:]
    assert list(ledger.read(after=ledger.before_last(0))) == []
    assert ledger.before_last(2**70, kind="test.noted") == 0
    with pytest.raises(InputError):
        ledger.before_last(-1)


def test_counting_takes_the_same_filters(ledger: Ledger) -> None:
    ledger.append_many(notes(3), subject="s")
    assert (ledger.count(), ledger.count(kind="test.noted"), ledger.count(subject="t")) == (FRESH + 3, 3, 0)


def test_append_many_is_all_or_nothing(ledger: Ledger) -> None:
    with pytest.raises(InputError):
        ledger.append_many([Noted(value=1), Noted(value=float("nan"))], subject="s")
    assert ledger.count(kind="test.noted") == 0


def test_appending_nothing_is_nothing(ledger: Ledger) -> None:
    assert ledger.append_many([]) == []


def test_events_of_unknown_kinds_are_read_as_plain_mappings(ledger: Ledger, plain: Plain) -> None:
    plain.run(f"""INSERT INTO mayfly_events (id, at, writer, kind, subject, payload)
                  VALUES ({FRESH + 1}, '2040-01-01T00:00:00+00:00', 'w', 'later.happened', 's', '{{"new":[1]}}')""")
    [read] = ledger.read(kind="later.happened")
    assert read.payload == read.data == {"new": [1]}


@pytest.mark.parametrize(
    ("at", "payload"), [("never", "{}"), ("2040-01-01T00:00:00+00:00", "{no"), ("2040-01-01", "[]")]
)
def test_an_event_that_cannot_be_read_is_named(ledger: Ledger, plain: Plain, at: str, payload: str) -> None:
    plain.run(f"INSERT INTO mayfly_events VALUES ({FRESH + 1}, '{at}', 'w', 'later.happened', 's', '{payload}')")
    with pytest.raises(StoreError, match=f"of event {FRESH + 1} is not"):
        list(ledger.read())


def test_a_blob_comes_back_and_is_kept_once(ledger: Ledger, plain: Plain) -> None:
    data = bytes(range(256)) * 100
    assert ledger.put_blob(data) == ledger.put_blob(data)
    assert ledger.get_blob(ledger.put_blob(data)) == data
    assert ledger.get_blob(ledger.put_blob(b"")) == b""
    assert plain.run("SELECT count(*) FROM mayfly_blobs") == [(2,)]


def test_a_damaged_blob_is_named_and_not_returned(ledger: Ledger, plain: Plain) -> None:
    address = ledger.put_blob(b"precious")
    plain.unguard("mayfly_blobs")
    plain.run("UPDATE mayfly_blobs SET data = " + ("'\\x00'::bytea" if plain.dialect == "postgresql" else "x'00'"))
    with pytest.raises(StoreError, match=f"blob {address} is damaged"):
        ledger.get_blob(address)


def test_a_blob_that_is_not_there_is_named(ledger: Ledger) -> None:
    with pytest.raises(StoreError, match=f"no blob {'0' * 64}"):
        ledger.get_blob("0" * 64)
    with pytest.raises(InputError, match="not the address of a blob"):
        ledger.get_blob("../etc/passwd")


def test_a_blob_over_the_limit_is_refused(settings: Settings) -> None:
    small = replace(settings, store=replace(settings.store, blob_size=10))
    with Ledger.open(small) as ledger:
        assert ledger.get_blob(ledger.put_blob(b"x" * 10)) == b"x" * 10
        with pytest.raises(LimitError, match="bytes of a blob: 11"):
            ledger.put_blob(b"x" * 11)


def test_threads_share_one_ledger(ledger: Ledger) -> None:
    def work(number: int) -> None:
        for index in range(25):
            ledger.append(Noted(value=index), subject=f"t-{number}")
            ledger.put_blob(b"the same")
            next(ledger.read(subject=f"t-{number}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        assert [e.payload["value"] for e in ledger.read(subject=f"t-{number}")] == list(range(25))
    assert [e.id for e in ledger.read()] == list(range(1, FRESH + 201))


def test_a_closed_ledger_says_so(settings: Settings) -> None:
    ledger = Ledger.open(settings)
    ledger.close()
    ledger.close()
    with pytest.raises(StoreError, match="closed"):
        ledger.count()


def test_find_makes_no_store(settings: Settings) -> None:
    assert Ledger.find(settings) is None
    assert not settings.state.exists()
    with Ledger.open(settings):
        pass
    found = Ledger.find(settings)
    assert found is not None
    assert found.count() == FRESH
    found.close()


def test_the_state_directory_and_its_file_are_the_owners_alone(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        ledger.append(Noted(value=1), subject="s")
        modes = {path.name: path.stat().st_mode & 0o777 for path in sqlite_settings.state.iterdir()}
    assert sqlite_settings.state.stat().st_mode & 0o777 == 0o700
    assert modes["ledger.db-wal"] == modes["ledger.db"] == 0o600


def test_a_state_directory_with_odd_characters_works(sqlite_settings: Settings) -> None:
    odd = replace(sqlite_settings, state_dir=f"{sqlite_settings.state}/a?b#c %20'é:memory:")
    with Ledger.open(odd) as ledger:
        ledger.append(Noted(value=1), subject="s")
    assert os.path.exists(f"{odd.state}/ledger.db")


@pytest.mark.parametrize("wait", [0.0, float("inf")])
def test_any_busy_timeout_the_settings_allow_works(settings: Settings, wait: float) -> None:
    chosen = replace(settings, store=replace(settings.store, busy_timeout=wait))
    with Ledger.open(chosen) as ledger:
        assert ledger.append(Noted(value=1), subject="s").id == FRESH + 1


def test_sqlite_is_durable_by_its_own_account(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger, ledger._reading() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys")
        found = [connection.value(f"PRAGMA {name}") for name in names]
    assert found == ["wal", 2, 1]


def test_postgres_commits_to_disk_even_where_the_server_would_not(postgres_settings: Settings) -> None:
    url = postgres_settings.store.database_url + "%20-csynchronous_commit%3Doff"
    with Ledger.open(replace(postgres_settings, store=StoreSettings(database_url=url))) as ledger:
        ledger.append(Noted(value=1), subject="s")
        with ledger._reading() as connection:
            assert connection.value("SHOW synchronous_commit") == "on"


def test_event_of_and_payload_are_recorded_alike(ledger: Ledger) -> None:
    one = ledger.append(Noted(value=1), subject="s")
    two = ledger.append(Event.of(Noted(value=1), subject="s"))
    assert (one.kind, one.subject, one.payload) == (two.kind, two.subject, two.payload)


def test_what_is_made_of_the_newest_event_is_made_of_that_however_many_append_at_once(settings: Settings) -> None:
    def count_up(found: Mapping[str, Event]) -> list[Event]:
        last = found["total"].payload["value"] if "total" in found else 0
        assert isinstance(last, int)
        return [Event.of(Noted(value=last + 1), subject="total")]

    def append() -> None:
        with Ledger.open(settings) as opened:
            for _ in range(5):
                opened.append_after("test.noted", ["total"], count_up)

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Ledger.open(settings) as ledger:
        assert [event.payload["value"] for event in ledger.read(kind="test.noted")] == list(range(1, 21))
        assert ledger.append_after("test.noted", ["total"], lambda found: ()) == []
